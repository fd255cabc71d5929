// SPDX-License-Identifier: MIT OR Apache-2.0
//! The dial of `tfq`: with `strict=0` a flash disk keeps nearly all of its throughput, and who
//! waits for each read is served all the same, in whole runs of `bfq sim`.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run of a job file of this repository gave one job, and all of them.
struct Run {
    /// Bytes read in a second: by the job, and by all.
    job: f64,
    all: f64,
    /// The latency that 99 of 100 reads of the job do not exceed, in ns.
    longest_ns: f64,
}

/// Runs a job file of this repository under `tfq:strict=0` and under none, its jobs not in groups.
fn run(name: &str, device: &str, job: &str) -> [Run; 2] {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs").join(name));
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs.fio");
    fs::write(&jobs, text.unwrap().replace("group_reporting\n", "")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bfq"))
        .arg("sim")
        .arg(jobs)
        .args(["--device", device, "--scheduler", "tfq:strict=0,none", "--runtime", "4"])
        .args(["--quiet", "--output-format", "json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    [0, 1].map(|number| {
        let all = result["runs"][number]["fio"]["jobs"].as_array().unwrap();
        let rate = |job: &Value| job["read"]["bw_bytes"].as_f64().unwrap();
        let one = all.iter().find(|one| one["jobname"] == job).unwrap();
        Run {
            job: rate(one),
            all: all.iter().map(rate).sum(),
            longest_ns: one["read"]["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap(),
        }
    })
}

/// One reader waits for each of its reads, nine read in sequence with eight requests at a time.
#[test]
fn a_random_reader_beside_sequential_ones_is_not_lost() {
    let [dial, none] = run("s-suite/s07-random-reads.fio", "ssd-sata", "target");
    let (times, part) = (dial.job / none.job, dial.all / none.all);
    // If nothing were ever held back for it, it would get 8.2 times as much.
    assert!(times >= 10.0 && part >= 0.9, "{times} times as much, all together {part} of none's");
}

/// A small reader beside four that keep 32 requests each in an NVMe disk.
#[test]
fn a_small_reader_beside_deep_ones_does_not_wait_long() {
    let [dial, none] = run("tenants/latency-beside-throughput.fio", "ssd-nvme", "web");
    let (took, part) = (dial.longest_ns / none.longest_ns, dial.all / none.all);
    assert!(took <= 0.1 && part >= 0.75, "{took} of none's latency, {part} of its throughput");
    // If nothing were ever held back for it, it would get 10.7 times as much.
    let times = dial.job / none.job;
    assert!(times >= 12.0, "{times} times as much");
}
