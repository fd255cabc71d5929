// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tfq` beside a writer whose writes a disk's cache takes at once and carries out later, in whole
//! runs of `bfq sim`.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What each process of a job file had of what is due to it, on a simulated hard disk.
fn judge(jobs: &Path) -> Vec<f64> {
    let output = Command::new(env!("CARGO_BIN_EXE_bfq"))
        .arg("sim")
        .arg(jobs)
        .args(["--device", "hdd-desktop", "--scheduler", "tfq", "--fair", "--quiet"])
        .args(["--output-format", "json"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let processes = result["runs"][0]["fairness"]["processes"].as_array().unwrap();
    processes.iter().map(|process| process["r"].as_f64().unwrap()).collect()
}

#[test]
fn a_random_reader_beside_a_deep_writer_has_most_of_what_is_due_to_it() {
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs/fairness/awrnd.fio");
    let [writer, reader] = judge(&jobs)[..] else { panic!("two processes") };
    // Where the rate of the disk is taken to be that of its cache, the reader has 0.64.
    assert!(reader >= 0.7 && writer >= 0.7, "{reader}, beside {writer}");
}

/// What a writer was about to show when it ended says nothing of the next one, long after it.
#[test]
fn a_writer_that_ends_leaves_nothing_to_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs.fio");
    fs::write(
        &jobs,
        "\
[global]
direct=1
filename=disk
size=1g
time_based
ioengine=libaio
bs=256k

[first]
rw=write
iodepth=8
runtime=2

[second]
startdelay=60
rw=write
iodepth=32
offset=1g
runtime=30

[reader]
startdelay=60
ioengine=psync
rw=randread
norandommap
bs=4k
offset=2g
runtime=30
",
    )
    .unwrap();
    let [_, second, _] = judge(&jobs)[..] else { panic!("three processes") };
    // It has 0.74 where the pause counts as time in which something was written.
    assert!(second >= 0.9, "{second}");
}
