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
