// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq run --fair`: each job alone on the target first, then the verdict on each scheduler.

use super::ending::{endless, signal, wait_for_reads};
use super::{MIB, Scratch, stderr};

/// Two groups of weights 100 and 300 that keep a target busy, which is held to a rate below.
fn groups() -> String {
    let group = |name: &str, weight: u32| {
        format!("[{name}]\ncgroup={name}\ncgroup_weight={weight}\nsize=8m\n")
    };
    let busy = "[global]\nioengine=libaio\ndirect=1\nrw=randread\nbs=128k\niodepth=16\n\
                time_based\nruntime=2\n";
    format!("{busy}{}{}", group("a", 100), group("b", 300))
}

#[test]
fn two_groups_on_a_target_held_to_a_rate() {
    let place = Scratch::new();
    place.write("groups.fio", groups());
    let results = place.results(
        "groups.fio --target t --size 16m --scheduler none,bfq:low_latency=0 \
         --limit-bytes-per-s 64m --fair",
    );
    let near = |value: &serde_json::Value, expected: f64, tolerance: f64| {
        let figure = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
        assert!((figure - expected).abs() < tolerance, "{figure}, expected {expected}");
        figure
    };
    let mut worst = Vec::new();
    for (run, share_of_a) in results["runs"].as_array().unwrap().iter().zip([0.5, 0.25]) {
        let fairness = &run["fairness"];
        for (process, due) in fairness["processes"].as_array().unwrap().iter().zip([0.25, 0.75]) {
            near(&process["demand"], 1.0, 0.1);
            near(&process["share"], due, 0.06);
            // Less is possible on a busy machine, more is not, but for the first requests.
            let alone = process["alone_bw_bytes"].as_u64().unwrap();
            assert!((1..70 * MIB).contains(&alone), "{process}");
        }
        let [a, b] = [0, 1].map(|place| fairness["processes"][place]["r"].as_f64().unwrap());
        let expected = share_of_a / (1.0 - share_of_a) * 3.0;
        assert!((a / b / expected - 1.0).abs() < 0.5, "{a} {b}, expected {expected} times as much");
        near(&fairness["worst"], a.min(b), 1e-9);
        // The machine may have been busier while both ran than while each was alone: it is their
        // parts of what both got that the scheduler decides.
        let shares = [0, 1].map(|place| fairness["processes"][place]["share"].as_f64().unwrap());
        let both = a * shares[0] + b * shares[1];
        // What a process does alone takes almost all of the time, so that U is almost the same.
        let useful = near(&fairness["useful"], both, both * 0.1);
        worst.push(a.min(b) / useful);
    }
    assert!(worst[0] < worst[1], "without a scheduler a process gets less than is due: {worst:?}");
    assert_eq!(place.names(), ["groups.fio"]);
}

#[test]
fn without_the_option_nobody_is_judged_and_nothing_runs_alone() {
    let place = Scratch::new();
    place.write("groups.fio", groups().replace("time_based\nruntime=2\n", ""));
    let run = |more: &str| {
        let arguments = "groups.fio --target t --size 16m --scheduler none";
        place.results(&format!("{arguments} {more}"))["runs"][0].clone()
    };
    let (plain, judged) = (run(""), run("--fair"));
    assert!(plain.get("fairness").is_none());
    assert_eq!(judged["fairness"]["processes"].as_array().unwrap().len(), 2);
    // What the jobs did alone is not in the figures of the run.
    assert_eq!(judged["device_stats"]["read_bytes"], plain["device_stats"]["read_bytes"]);
    assert_eq!(judged["device_stats"]["read_bytes"], 16 * MIB);
}

#[test]
fn what_cannot_be_judged_is_refused_before_anything_is_done() {
    let place = Scratch::new();
    place.write("odd.fio", "[fine]\nrw=read\nsize=1m\n[odd]\nrw=read\nsize=1m\nflow=8\n");
    let output = place.run("odd.fio --target t --size 2m --scheduler none --fair");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let start = "bfq: odd.fio:4: job odd: --fair is not defined for it: with flow=";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(place.names(), ["odd.fio"]);
}

#[test]
fn an_interrupt_while_a_job_is_alone_ends_it_all() {
    let place = Scratch::new();
    let mut child = endless(&place, "--target t --size 4m --scheduler none --fair");
    wait_for_reads(&mut child, 2 * MIB);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = "bfq: interrupted while the jobs ran alone (--fair): no results\n";
    assert_eq!(stderr(&output), said);
    assert!(output.stdout.is_empty());
    assert_eq!(place.names(), ["endless.fio"]);
}

#[test]
fn requests_that_fail_while_a_job_is_alone_are_told_with_its_name() {
    let place = Scratch::new();
    place.write("write.fio", "[writer]\nrw=write\nbs=64k\nsize=16m\ndirect=1\n");
    // A file of 16 MiB with no data yet, on a file system of 4 MiB.
    let script = "truncate -s 16m disk/t; exec \"$0\" run write.fio --target disk/t --allow-write \
                  --scheduler none --quiet --fair";
    let Some(output) = place.with_mount("tmpfs -o size=4m", script) else { return };
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let expected = "bfq: job writer, alone (--fair): disk/t: ";
    assert!(said.starts_with(expected) && said.contains("no space left"), "{said}");
}
