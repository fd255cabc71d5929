// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports for the tests of pages: a small one with something of everything, and one
//! of many scenarios.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Groups, a start, a click now and then: something of everything that is drawn.
const JOBS: &str = "\
; Something of everything: <b>not bold</b> & \"quoted\".
;
; Shows:  that pages are drawn.
[global]
time_based
runtime=2
size=64m
bs=256k
[light]
cgroup=light
rw=read
[heavy]
cgroup=heavy
cgroup_weight=300
rw=write
[reader-1]
rw=read
[reader-2]
rw=read
startdelay=190ms
[clicks]
rw=randread
bs=4k
thinktime=100ms
[command]
rw=randread
bs=4k
time_based=0
number_ios=50
startdelay=1
";

/// Six scenarios, of which two are of former years: a burst, groups with long names, a start, and
/// what no scheduler changes.
const SCENARIOS: [(&str, &str); 6] = [
    (
        "burst",
        "; A burst beside a slow reader.\n;\n; Shows: that scales are cut.\n
        [global]\nsize=64m\nbs=64k\nrw=read\n
        [a-player-of-films-that-take-long]\nrate=2m\ntime_based\nruntime=3\n
        [burst]\nsize=8m\nio_size=8m\nstartdelay=1\n",
    ),
    (
        "groups",
        "; Five groups beside each other.\n
        [global]\nsize=64m\nbs=64k\nrw=randread\niodepth=8\nioengine=libaio\ntime_based\nruntime=1\n
        [one]\ncgroup=customers-of-the-first-floor\n[two]\ncgroup=customers-of-the-second-floor\n
        [three]\ncgroup=three\ncgroup_weight=200\n[four]\ncgroup=four\n[five]\ncgroup=five\n",
    ),
    (
        "start",
        "; A start beside readers.\n;\n; Measure: start of command\n
        [global]\nsize=64m\nbs=4k\nrw=randread\n
        [reader-1]\nbs=256k\nrw=read\ntime_based\nruntime=1\n
        [reader-2]\nbs=256k\nrw=read\ntime_based\nruntime=1\n
        [command]\nnumber_ios=20\nstartdelay=300ms\n",
    ),
    ("alone", "; One reader.\n[only]\nsize=4m\nbs=4k\nrw=randread\n"),
    ("2008-page/old", "; One reader of 2008.\n[only]\nsize=4m\nbs=64k\nrw=read\n"),
    ("2010-slides/older", "; One reader of 2010.\n[only]\nsize=4m\nbs=64k\nrw=read\n"),
];

fn bfq(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a small report in a folder: one scenario on two disks, and a comparison on a real one.
pub fn small(folder: &Path) -> PathBuf {
    std::fs::write(folder.join("everything.fio"), JOBS).unwrap();
    bfq(
        folder,
        &[
            "sim",
            "everything.fio",
            "--device",
            "hdd-desktop",
            "--device",
            "ssd-sata",
            "--scheduler",
            "bfq,bfq:low_latency=0,none",
            "--output-format",
            "json",
            "--output",
            "everything.json",
            "--quiet",
        ],
    );
    std::fs::write(folder.join("disk.jsonl"), bench()).unwrap();
    bfq(folder, &["report", "everything.json", "disk.jsonl", "-o", "report.html"]);
    folder.join("report.html")
}

/// Makes a report of more scenarios than can all be open.
pub fn many(folder: &Path) -> PathBuf {
    let mut results = Vec::new();
    for (place, (name, jobs)) in SCENARIOS.iter().enumerate() {
        let file = folder.join(format!("{name}.fio"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let lines: Vec<&str> = jobs.lines().map(str::trim_start).collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        let result = format!("{place}.json");
        let file = format!("{name}.fio");
        let schedulers = "bfq,bfq:low_latency=0,slice_idle=0,none,mq-deadline,kyber";
        let mut arguments = vec!["sim", &file, "--device", "ssd-sata", "--scheduler", schedulers];
        arguments.extend(["--output-format", "json", "--output", &result, "--quiet"]);
        bfq(folder, &arguments);
        results.push(result);
    }
    // The oldest first: the page puts them in order.
    let mut arguments = vec!["report"];
    arguments.extend(results.iter().rev().map(String::as_str));
    arguments.extend(["-o", "many.html"]);
    bfq(folder, &arguments);
    folder.join("many.html")
}

/// Eight rounds of three schedulers: one starts programs a hundred times as fast and has fewer
/// frames late, one is different each time.
fn bench() -> String {
    let patient = "bfq:low_latency=0,slice_idle=0";
    let opening = json!({"opening": {
        "version": "0.1.0", "kernel": "6.18.0", "target": "/srv", "disk": "a disk", "rounds": 8,
        "candidates": ["none", patient, "mq-deadline"], "seed": 1,
        "scenarios": ["start-readers", "player"],
    }});
    let mut lines = vec![opening];
    for round in 0..8 {
        let wild = [0.02, 1.0, 40.0][round as usize % 3];
        for (candidate, better) in [("none", 1.0), (patient, 0.01), ("mq-deadline", wild)] {
            let value = (20.0 + f64::from(round)) * better;
            for (scenario, metric) in [("start-readers", "start_up"), ("player", "late_frames")] {
                lines.push(measurement(candidate, scenario, metric, round, value));
            }
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn measurement(candidate: &str, scenario: &str, metric: &str, round: u32, value: f64) -> Value {
    json!({"measurement": {
        "candidate": candidate, "scenario": scenario, "round": round, "began_s": 0.0,
        "values": {metric: value},
    }})
}
