// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq what-if` on a trace of which the disk is not named.

use std::fs;
use std::process::{Command, Output, Stdio};

fn what_if(trace: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.csv"), trace).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(["what-if", "x.csv", "--scheduler", "none", "--format", "json"]);
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap()
}

/// A trace of 60 reads of 4 KiB all over a disk, one after the other, which take `took` tenths of a
/// microsecond each.
fn reads(took: u64) -> String {
    let line = |number: u64| {
        let time = 128_166_372_000_000_000 + number * 10_000_000;
        let offset = (number * 37 % 60) * 60_000_000_000 / 4096 * 4096;
        format!("{time},host,0,Read,{offset},4096,{took}\n")
    };
    (0..60).map(line).collect()
}

#[test]
fn the_nearest_disk_is_taken_and_named() {
    // 12 ms are those of a hard disk, 80 µs of an SSD, which gets the size of the recorded disk.
    for (took, disk) in [(120_000, "hdd-desktop"), (800, "ssd-sata")] {
        let output = what_if(&reads(took), &[]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        let expected = format!("no --device is named; nearest is {disk}, on which 60 requests");
        assert!(said.contains(&expected), "{said}");
        assert!(!said.contains("not near"), "{said}");
        let results: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let device = &results["runs"][0]["device"];
        assert_eq!(device["profile"], disk);
        assert!(device["capacity_bytes"].as_u64() > Some(3_540_000_000_000), "{device}");
    }
    let output = what_if(&reads(50_000_000), &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("that is not near: bfq bench --fit"), "{said}");
}

#[test]
fn a_named_disk_is_taken_without_a_word() {
    let output = what_if(&reads(120_000), &["--device", "hdd-desktop", "--quiet"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_trace_without_times_needs_a_named_disk() {
    let output = what_if("fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x read 0 4096\n", &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("it does not say how long") && said.contains("--device NAME"), "{said}");
}

/// A trace as `bfq top --record` writes it, of a disk: process, operation (of blkparse) and sector,
/// each a millisecond after the other and done half of one later.
fn recorded(ios: &[(u32, &str, u64)]) -> String {
    let line = |(number, (pid, op, sector)): (usize, &(u32, &str, u64))| {
        let (ms, end) = (number, number * 10 + 5);
        let extent = if *op == "FN" { String::new() } else { format!(" {sector} + 8") };
        format!(
            "8,0 0 {number} 0.{ms:03}000000 {pid} Q {op}{extent} [p{pid}]\n\
             8,0 0 {number} 0.{end:04}00000 0 C {op}{extent} [0]\n"
        )
    };
    ios.iter().enumerate().map(line).collect()
}

fn jobs(output: &Output) -> Vec<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let jobs = results["runs"][0]["fio"]["jobs"].as_array().unwrap();
    jobs.iter().map(|job| job["jobname"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_process_that_only_discards_or_flushes_has_no_job_and_is_told() {
    let trace = recorded(&[(7, "R", 0), (8, "D", 64), (9, "FN", 0), (7, "FN", 0), (7, "WS", 128)]);
    let output = what_if(&trace, &["--device", "ssd-sata"]);
    assert_eq!(jobs(&output), ["p7-7"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("2 processes that only flushed or discarded are left out"), "{said}");

    let output = what_if(&recorded(&[(8, "D", 64), (9, "FN", 0)]), &["--device", "ssd-sata"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no process reads or writes in it"), "{said}");
}

#[test]
fn the_busiest_processes_have_jobs_not_the_first() {
    let mut ios: Vec<(u32, &str, u64)> =
        (0..30).map(|pid| (100 + pid, "R", u64::from(pid) * 8)).collect();
    ios.extend((0..5).map(|io| (200, "R", 1024 + io * 8)));
    let jobs = jobs(&what_if(&recorded(&ios), &["--device", "ssd-sata"]));
    assert_eq!(jobs.len(), 25);
    assert!(jobs.contains(&"p200-200".to_owned()) && jobs.contains(&"others".to_owned()));
}

#[test]
fn two_disks_on_one_are_told() {
    let trace = recorded(&[(7, "R", 0), (8, "R", 64)]);
    let two = trace.replace("8,0 0 1 ", "8,16 0 1 ");
    let told = |trace: &str| {
        let output = what_if(trace, &["--device", "ssd-sata"]);
        String::from_utf8(output.stderr).unwrap().contains("I/O of 2 disks (8,0 8,16)")
    };
    assert!(told(&two) && !told(&trace));
}

#[test]
fn of_a_format_that_is_not_known_nothing_is_asked_that_cannot_be_told() {
    let output = what_if("nothing that is known\n", &["--device", "ssd-sata"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("expected one of") && !said.contains("to be told"), "{said}");
}
