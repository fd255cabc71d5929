// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq explain` as users meet it: what it says, in words and as JSON, and its exit codes.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output, Stdio};

/// A reader in a light group beside two in a heavy one.
const JOBS: &str = "\
[global]
direct=1
size=64m
runtime=500ms
time_based
[light]
cgroup=light
rw=randread
bs=16k
[heavy]
cgroup=heavy
cgroup_weight=300
ioengine=libaio
iodepth=4
rw=read
bs=256k
numjobs=2
";

/// Runs `bfq` in a folder of its own, which has the job file.
fn bfq(arguments: &[&str]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("jobs.fio"), JOBS).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::null());
    (command.output().unwrap(), folder)
}

fn explain(more: &[&str]) -> String {
    let arguments = [&["explain", "jobs.fio", "--job", "light"][..], more].concat();
    let (output, _) = bfq(&arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors, "", "no progress bar in a pipe");
    String::from_utf8(output.stdout).unwrap()
}

fn json(more: &[&str]) -> Value {
    let text = explain(&[&["--output-format", "json"][..], more].concat());
    serde_json::from_str(&text).unwrap()
}

/// The sum of a figure over the rows of a list.
fn sum(list: &Value, key: &str) -> u64 {
    list.as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum()
}

#[test]
fn the_text_has_the_reason_the_table_the_counts_and_the_slowest() {
    let text = explain(&["--slowest", "2"]);
    for part in [
        "light of group /light, under bfq on simulated hdd-desktop, seed 1",
        "mean latency",
        "Where the time of its",
        "waiting in the scheduler, while",
        "heavy (/heavy)",
        "What was decided about it",
        "turns on the disk",
        "The slowest: ",
        "No. 2: ",
    ] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    assert!(!text.contains("No. 3") && !text.contains('\x1b'), "{text}");
    assert_eq!(text, explain(&["--slowest", "2"]), "the same input, the same output");
    assert_ne!(text, explain(&["--slowest", "2", "--seed", "2"]));
}

#[test]
fn the_json_adds_up_and_agrees_with_the_simulation() {
    let found = json(&["--slowest", "3"]);
    assert_eq!((&found["job"], &found["group"]), (&"light".into(), &"/light".into()));
    assert_eq!(sum(&found["causes"], "ns"), found["latency_ns"].as_u64().unwrap());
    let slowest = found["slowest"].as_array().unwrap();
    assert_eq!(slowest.len(), 3);
    for slow in slowest {
        assert_eq!(sum(&slow["causes"], "ns"), slow["latency_ns"].as_u64().unwrap());
        assert_eq!(sum(&slow["steps"], "lasting_ns"), slow["latency_ns"].as_u64().unwrap());
    }

    let arguments = ["sim", "jobs.fio", "--scheduler", "bfq", "--output-format", "json"];
    let (output, _) = bfq(&arguments);
    let simulated: Value = serde_json::from_slice(&output.stdout).unwrap();
    let measured = &simulated["runs"][0]["fio"]["jobs"][0]["read"]["lat_ns"];
    assert_eq!(measured["N"], found["ios"]);
    assert_eq!(measured["max"], found["latency_max_ns"]);
    let mean_ns = measured["mean"].as_f64().unwrap();
    assert!((mean_ns - found["latency_mean_ns"].as_f64().unwrap()).abs() < 1.0, "{measured}");
}

#[test]
fn settings_reach_the_scheduler_and_the_layer() {
    let raised = |found: &Value| {
        let counts = found["counts"].as_array().unwrap().clone();
        counts.iter().any(|row| row["name"].as_str().unwrap().starts_with("raises_"))
    };
    assert!(raised(&json(&[])));
    let plain = json(&["--set", "low_latency=0", "--set", "slice_idle=0", "--slowest", "0"]);
    assert!(!raised(&plain));
    assert!(plain["slowest"].as_array().unwrap().is_empty());
    let idled = plain["causes"].as_array().unwrap().iter();
    assert_eq!(idled.filter(|row| row["cause"] == "behind_idling").count(), 0);
    let found = json(&["--device", "ssd-sata:depth=1", "--runtime", "100ms"]);
    assert_eq!(found["device"], "ssd-sata");
    assert_eq!(found["elapsed_ns"].as_u64().unwrap() / 100_000_000, 1);
}

#[test]
fn tfq_gives_its_reasons_too() {
    let by_time = ["--scheduler", "tfq", "--slowest", "1"];
    let text = explain(&by_time);
    for part in ["light of group /light, under tfq on", "on loan", "turn of heavy"] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    let found = json(&[&by_time[..], &["--set", "low_latency=0"]].concat());
    assert_eq!(found["scheduler"], "tfq");
    assert_eq!(sum(&found["causes"], "ns"), found["latency_ns"].as_u64().unwrap());
    let rules: Vec<_> =
        found["causes"].as_array().unwrap().iter().map(|row| &row["rule"]).collect();
    assert!(rules.contains(&&"slot".into()) && !rules.contains(&&"on_loan".into()), "{rules:?}");
}

#[test]
fn a_real_target_is_explained_too() {
    let size = ["--target", "disk", "--size", "256m", "--limit-bytes-per-s", "64m"];
    let found = json(&[&size[..], &["--runtime", "200ms", "--quiet"]].concat());
    assert_eq!((&found["mode"], &found["device"]), (&"run".into(), &"disk".into()));
    assert!(found["ios"].as_u64().unwrap() > 0);
    assert_eq!(sum(&found["causes"], "ns"), found["latency_ns"].as_u64().unwrap());

    let (output, _) = bfq(&["explain", "jobs.fio", "--job", "light", "--target", "missing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing"));
}

#[test]
fn a_file_takes_the_result() {
    let arguments = ["explain", "jobs.fio", "--job", "heavy", "--output", "why.txt"];
    let (output, folder) = bfq(&arguments);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let text = fs::read_to_string(folder.path().join("why.txt")).unwrap();
    assert!(text.starts_with("heavy of group /heavy, 2 processes, under bfq"), "{text}");
}

#[test]
fn mistakes_are_said_in_one_line() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--job", "lihgt"], &["lihgt", "did you mean `light`?"]),
        (&["--job", "light", "--set", "low_latncy=0"], &["low_latncy", "low_latency"]),
        (&["--job", "light", "--set", "low_latency"], &["--set low_latency", "NAME=VALUE"]),
        (&["--job", "light", "--device", "hdd-desktp"], &["hdd-desktp"]),
        (&["--job", "light", "--group", "haevy=1"], &["haevy", "/heavy"]),
        (&["--job", "light", "--queue", "nr_request=1"], &["nr_request", "nr_requests"]),
    ];
    for (more, parts) in cases {
        let (output, _) = bfq(&[&["explain", "jobs.fio"][..], more].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {message}");
        assert!(output.stdout.is_empty() && message.starts_with("bfq: "), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
        for part in parts {
            assert!(message.contains(part), "{part:?} is missing in: {message}");
        }
    }
    let (output, _) = bfq(&["explain", "jobs.fio"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--job"));
}
