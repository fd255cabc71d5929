// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulations of the recorded scenarios against what Linux 6.1 did
//! (`data/results/kernel-results.csv`, and `-2` for the second set).

use fidelity::results::{
    Agreement, Case, JobComparison, Proximity, Recording, cases, compare_behaviours, markdown,
    read_recordings, repeat,
};
use std::ops::ControlFlow;
use std::path::Path;

fn recordings() -> Vec<Recording> {
    read_recordings(include_str!("../data/results/kernel-results.csv")).unwrap()
}

fn second_recordings() -> Vec<Recording> {
    read_recordings(include_str!("../data/results/kernel-results-2.csv")).unwrap()
}

fn jobs(folder: &str, scenario: &str) -> Vec<workload::Job> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/results").join(folder);
    workload::load(&folder.join(format!("{scenario}.fio"))).unwrap()
}

/// Simulates all cases that `wanted` picks and asserts that each of their lines is good enough.
fn assert_lines(wanted: impl Fn(&Case) -> bool, is_good: impl Fn(&JobComparison) -> bool) {
    let recordings = recordings();
    let mut lines = Vec::new();
    for case in cases(&recordings).iter().filter(|case| wanted(case)) {
        let jobs = jobs("scenarios", &case.scenario);
        lines.extend(repeat(&recordings, case, &jobs).unwrap());
    }
    assert!(!lines.is_empty(), "no recording was picked");
    lines.retain(|line| !is_good(line));
    assert!(lines.is_empty(), "{}", markdown(&lines));
}

fn assert_agreement(worst: Agreement, wanted: impl Fn(&Case) -> bool) {
    assert_lines(
        |case| !case.is_chaotic() && wanted(case),
        |line| matches!(line, JobComparison::Once(once) if once.agreement() <= worst),
    );
}

#[test]
fn none_at_depth_32() {
    assert_agreement(Agreement::Agrees, |case| case.scheduler == "none" && case.depth == 32);
}

#[test]
fn mq_deadline_at_depth_32() {
    assert_agreement(Agreement::Agrees, |case| case.scheduler == "mq-deadline" && case.depth == 32);
}

#[test]
fn kyber_at_any_depth() {
    assert_agreement(Agreement::Agrees, |case| case.scheduler == "kyber");
}

#[test]
fn bfq_without_heuristics_at_depth_32() {
    // Of eight readers some have a slot every second or two, so that the end of the run cuts off a
    // good part of what they get.
    assert_agreement(Agreement::WithinSlot, |case| {
        ["bfq-ll0", "bfq-ll0-strict"].contains(&case.scheduler.as_str()) && case.depth == 32
    });
}

#[test]
fn bfq_without_heuristics_at_depth_1() {
    let scenarios = ["fair2", "fair8", "fairg4", "seq1", "seq16", "idle", "rt"];
    assert_agreement(Agreement::WithinSlot, |case| {
        ["bfq-ll0", "bfq-ll0-strict"].contains(&case.scheduler.as_str())
            && case.depth == 1
            && scenarios.contains(&case.scenario.as_str())
    });
}

#[test]
fn bfq_with_heuristics_where_it_is_not_chaotic() {
    assert_agreement(Agreement::WithinSlot, |case| case.scheduler == "bfq");
}

/// The long ones are left to `make fidelity`.
#[test]
fn bfq_with_heuristics_where_it_is_chaotic() {
    let short = |case: &Case| ["onoff1", "softrt"].contains(&case.scenario.as_str());
    assert_lines(
        |case| case.is_chaotic() && short(case) && case.disk == "hdd" && case.depth == 32,
        |line| matches!(line, JobComparison::Orders(orders) if orders.proximity() <= Proximity::Near),
    );
}

/// What hangs on the host alone: who sleeps for a tag and who is woken, who runs the loop after a
/// write, and when a completion does.
#[test]
fn the_other_schedulers_beside_thinking_processes_and_deep_writers() {
    let recordings = second_recordings();
    for (scenario, disk, depth, scheduler) in [
        ("idlet", "hdd", 1, "mq-deadline"),
        ("awrnd", "hdd", 1, "mq-deadline"),
        ("awseq", "hdd", 1, "mq-deadline"),
        ("onoff", "hdd", 32, "none"),
        ("startw", "hdd", 32, "none"),
        ("randd", "ssd", 32, "none"),
    ] {
        let case = Case {
            scenario: scenario.into(),
            disk: disk.into(),
            depth,
            scheduler: scheduler.into(),
        };
        let lines = repeat(&recordings, &case, &jobs("scenarios-2", scenario)).unwrap();
        assert!(!lines.is_empty(), "{case:?} was not recorded");
        for line in lines {
            assert!(
                matches!(&line, JobComparison::Once(once) if once.agreement() == Agreement::Agrees),
                "{case:?}: {line:?}"
            );
        }
    }
}

/// A reader of one read at a time beside a writer of 32, on all disks.
#[test]
fn nobody_waits_two_seconds_beside_a_deep_writer() {
    let recordings = second_recordings();
    let deep = |case: &&Case| {
        ["awseq", "awrnd"].contains(&case.scenario.as_str()) && case.scheduler.starts_with("bfq")
    };
    for case in cases(&recordings).iter().filter(deep) {
        let jobs = jobs("scenarios-2", &case.scenario);
        let ours = compare_behaviours(case, &jobs).unwrap().improved;
        assert!(ours.longest_wait_ms < 2000.0, "{case:?}: {ours:?}");
    }
}

/// The reader and the writer share a queue here, after a stable merge.
#[test]
fn a_reader_that_shares_a_queue_with_a_deep_writer_does_not_starve() {
    let profile = device::Profile::parse_argument("reference-hdd:depth=1").unwrap();
    let jobs = jobs("scenarios-2", "awseq");
    let setup = sim::Setup {
        jobs: &jobs,
        group_weights: &[],
        settings: blk::QueueSettings::parse("nr_requests=256").unwrap(),
        page_cache: Default::default(),
        profile: &profile,
        elevator: elevators::build("bfq", 0, &sim::limits(&profile)).unwrap(),
        seed: 1,
        order: Default::default(),
    };
    let simulated = sim::simulate(setup, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
    let reader = run.fio.jobs.iter().find(|job| job.jobname == "rd.0").unwrap();
    let longest_ms = reader.read.lat_ns.max / 1_000_000;
    assert!(longest_ms < 2000, "{longest_ms} ms");
}

#[test]
fn every_scenario_has_a_job_file() {
    for (recordings, folder) in [(recordings(), "scenarios"), (second_recordings(), "scenarios-2")]
    {
        for case in cases(&recordings) {
            let name = format!("data/results/{folder}/{}.fio", case.scenario);
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name).is_file(), "{name}");
        }
    }
}
