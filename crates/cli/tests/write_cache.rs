// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tfq` beside a writer whose writes a disk's cache takes at once and carries out later, in whole
//! runs of `bfq sim`.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a job file on a simulated hard disk.
fn run(jobs: &Path) -> Value {
    run_with_seed(jobs, 1)
}

fn run_with_seed(jobs: &Path, seed: u32) -> Value {
    // A job file may ask for logs.
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bfq"))
        .arg("sim")
        .arg(jobs)
        .args(["--device", "hdd-desktop", "--scheduler", "tfq", "--fair", "--quiet"])
        .args(["--output-format", "json", "--seed", &seed.to_string()])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What each process of a job file had of what is due to it.
fn judge(jobs: &Path) -> Vec<f64> {
    let result = run(jobs);
    let processes = result["runs"][0]["fairness"]["processes"].as_array().unwrap();
    processes.iter().map(|process| process["r"].as_f64().unwrap()).collect()
}

/// A job file for one disk, with more options for all jobs and then the jobs, in a folder that
/// lasts as long as it.
fn job_file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs.fio");
    let text = format!("[global]\ndirect=1\nfilename=disk\ntime_based\n{text}");
    fs::write(&jobs, text).unwrap();
    (folder, jobs)
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
    let (_folder, jobs) = job_file(
        "\
size=1g
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
    );
    let [_, second, _] = judge(&jobs)[..] else { panic!("three processes") };
    // It has 0.74 where the pause counts as time in which something was written.
    assert!(second >= 0.9, "{second}");
}

/// A log whose records go to the disk with a flush each waits for the cache, which a bulk writer
/// fills; but not for the slot of that writer, too.
#[test]
fn a_log_beside_a_bulk_writer_does_not_wait_for_its_slots() {
    let (_folder, jobs) = job_file(
        "\
size=1g
runtime=20
rw=write
ioengine=libaio

[log]
bs=16k
iodepth=8
fsync=16

[bulk]
bs=256k
iodepth=32
offset=1g
",
    );
    let [log, bulk] = judge(&jobs)[..] else { panic!("two processes") };
    // It has 0.04 where it waits for its turn.
    assert!(log >= 0.3 && bulk >= 0.5, "{log}, beside {bulk}");
}

/// What a queue read and wrote in a slot says nothing of how fast it reads.
#[test]
fn who_reads_a_little_beside_its_writes_does_not_make_writes_dear() {
    let (_folder, jobs) = job_file(
        "\
size=4g
runtime=20
ioengine=libaio

[both]
rw=rw
rwmixread=10
bs=128k
iodepth=8
offset=1g

[writer]
rw=write
bs=256k
iodepth=8
offset=8g

[reader]
ioengine=psync
rw=randread
norandommap
bs=4k
offset=16g
",
    );
    let shares = judge(&jobs);
    // The least has 0.08 where such slots tell and a disk may seem slow without a bound.
    assert!(shares.iter().all(|share| *share >= 0.5), "{shares:?}");
}

/// Up to which latency a part of the frames of a film took, in ms.
fn frames_took_ms(result: &Value, film: &str, percentile: &str) -> f64 {
    let all = result["runs"][0]["fio"]["jobs"].as_array().unwrap();
    let film = all.iter().find(|job| job["jobname"] == film).unwrap();
    film["read"]["clat_ns"]["percentile"][percentile].as_f64().unwrap() / 1e6
}

/// The frames of a film beside nothing but writers: the disk reads ahead for it, as the writers
/// leave little in its cache.
#[test]
fn a_film_beside_writers_is_read_ahead() {
    for (what, writers) in [
        ("one with many writes at a time", "ioengine=libaio\niodepth=32"),
        ("five with one write at a time", "ioengine=psync\nnumjobs=5"),
    ] {
        let (_folder, jobs) = job_file(&format!(
            "\
size=1g

[writer]
{writers}
bs=256k
rw=write
runtime=26

[film]
ioengine=libaio
iodepth=64
bs=128k
rw=read
rate_iops=25
offset=64g
startdelay=5
runtime=20
",
        ));
        let result = run(&jobs);
        // Most frames are in the disk's cache; where nothing is read ahead the median is 37 and
        // 14 ms. A frame is shown for 40 ms; the slowest of twenty takes 48 and 340 ms there.
        for (percentile, most_ms) in [("50.000000", 5.0), ("95.000000", 40.0)] {
            let took = frames_took_ms(&result, "film", percentile);
            assert!(took < most_ms, "{what}: {percentile} % took up to {took} ms");
        }
    }
}

/// A film that begins beside readers and writers pays for two moves of the head a frame, until the
/// disk reads ahead for it. With these seeds 6 to 11 of its 1000 frames were late when it began as
/// one that had had what was lent to it.
#[test]
fn a_film_that_begins_beside_others_is_in_time() {
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs/player-readers-writers.fio");
    for seed in [4, 5, 9] {
        let took = frames_took_ms(&run_with_seed(&jobs, seed), "player", "99.500000");
        assert!(took < 40.0, "seed {seed}: 99.5 % took up to {took} ms");
    }
}
