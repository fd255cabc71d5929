// SPDX-License-Identifier: MIT OR Apache-2.0
//! How `bfq run` ends before its time: at the first signal, at a second one, killed.

use super::{BUFFERED, MIB, Scratch, json, stderr};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A job that goes on for an hour.
const ENDLESS: &str = "[reader]\nrw=randread\nbs=4k\nsize=4m\ntime_based\ndirect=1\nruntime=1h\n\
                       iodepth=4\nioengine=libaio\n";

/// A run that goes on until it is interrupted.
pub fn endless(place: &Scratch, arguments: &str) -> Child {
    begun(place, &format!("--quiet {arguments}"))
}

/// The same, not necessarily quiet.
fn begun(place: &Scratch, arguments: &str) -> Child {
    place.write("endless.fio", ENDLESS);
    place
        .command(&format!("endless.fio --output-format json {BUFFERED} {arguments}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the process has read more than `bytes`, its own program not counted.
pub fn wait_for_reads(child: &mut Child, bytes: u64) {
    let path = format!("/proc/{}/io", child.id());
    for _ in 0..10_000 {
        let figures = fs::read_to_string(&path).unwrap_or_default();
        let read = figures.lines().find_map(|line| line.strip_prefix("rchar: "));
        if read.is_some_and(|read| read.parse::<u64>().unwrap() > bytes) {
            return;
        }
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the run does not begin");
}

pub fn signal(child: &Child, name: &str) {
    let killed = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", child.id())).status();
    assert!(killed.unwrap().success());
}

#[test]
fn an_interrupted_run_prints_what_it_has_and_leaves_nothing() {
    for name in ["INT", "TERM"] {
        let place = Scratch::new();
        let mut child = endless(&place, "--target t --size 4m --scheduler none,mq-deadline");
        wait_for_reads(&mut child, 2 * MIB);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let results = json(&output);
        let note = results["note"].as_str().unwrap();
        assert!(note.contains("interrupted"), "{note}");
        let runs = results["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 1, "the second scheduler did not begin");
        let read_bytes = runs[0]["fio"]["jobs"][0]["read"]["io_bytes"].as_u64().unwrap();
        assert!(read_bytes > 0);
        assert_eq!(runs[0]["device_stats"]["read_bytes"], read_bytes, "what was begun has ended");
        assert_eq!(place.names(), ["endless.fio"]);
    }
}

/// Whether an interrupt was sent to the process that it has not taken yet.
fn has_pending_interrupt(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:")).unwrap();
    u64::from_str_radix(pending.trim(), 16).unwrap() & 0b10 != 0
}

#[test]
fn a_second_interrupt_ends_at_once_and_leaves_nothing() {
    let place = Scratch::new();
    // At a byte a second, what is in flight never ends.
    let mut child =
        endless(&place, "--target t --size 4m --scheduler none --limit-bytes-per-s 1 --depth 4");
    wait_for_reads(&mut child, 16 << 10);
    signal(&child, "INT");
    while has_pending_interrupt(&child) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(child.try_wait().unwrap(), None, "it waits for what is in flight");
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "nothing half-written");
    assert_eq!(place.names(), ["endless.fio"]);
}

#[test]
fn what_a_run_waits_for_is_said() {
    let place = Scratch::new();
    let arguments = "--target t --size 4m --scheduler none --limit-bytes-per-s 1 --depth 4";
    let mut child = begun(&place, &format!("{arguments} --runtime 10ms"));
    let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut next = |word: &str| loop {
        let line = notes.next().expect("a further note").unwrap();
        if line.contains("has to end first") {
            assert!(line.contains(word), "{line}");
            return;
        }
    };
    next("the planned end has passed");
    signal(&child, "INT");
    next("interrupted");
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(place.names(), ["endless.fio"]);
}

#[test]
fn a_crash_leaves_nothing_either() {
    let place = Scratch::new();
    let mut child = endless(&place, "--target t --size 4m --scheduler none");
    wait_for_reads(&mut child, MIB);
    signal(&child, "KILL");
    child.wait_with_output().unwrap();
    assert_eq!(place.names(), ["endless.fio"]);
}
