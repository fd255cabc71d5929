// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reasons from recorded streams in a made-up sysfs.

use super::*;
use live::DiskFigures;
use std::fs;

#[path = "../tests/recorded/mod.rs"]
mod recorded;

/// A sysfs with a disk under a scheduler, and the stream of its decisions, if there is one.
fn sys(scheduler: &str, decisions: Option<&[u8]>) -> tempfile::TempDir {
    let sys = tempfile::tempdir().unwrap();
    let (queue, debug) = ("block/sda/queue", "kernel/debug/bfq/sda");
    for folder in [queue, debug] {
        fs::create_dir_all(sys.path().join(folder)).unwrap();
    }
    fs::write(sys.path().join(queue).join("scheduler"), format!("none [{scheduler}]\n")).unwrap();
    if let Some(bytes) = decisions {
        fs::write(sys.path().join(debug).join("decisions"), bytes).unwrap();
    }
    sys
}

fn told(sys: &tempfile::TempDir) -> DiskFigures {
    let mut reasons = Reasons::of(sys.path(), ["sda"].into_iter());
    let mut snapshot = Snapshot::default();
    for _interval in 0..2 {
        snapshot.disks = vec![DiskFigures { name: "sda".to_owned(), ..DiskFigures::default() }];
        reasons.poll();
        let ended = reasons.end_interval();
        ended.into_iter().for_each(|interval| interval.tell().add_to(&mut snapshot));
    }
    snapshot.disks.swap_remove(0)
}

#[test]
fn each_interval_has_what_was_decided_in_it() {
    let disk = told(&sys("bfq", Some(&recorded::recording())));
    assert_eq!(disk.no_reasons, None);
    let activity = disk.activity.unwrap();
    assert_eq!(activity.scheduler, "bfq");
    let who: Vec<&str> = activity.holders.iter().map(|one| one.who.as_str()).collect();
    assert_eq!(who, ["reader"]);
    let why = activity.why("reader").unwrap();
    assert_eq!((why.ios, why.latency_ns), (10, 20_000_000));
    assert!(why.sentence.starts_with("reader spent"), "{why:?}");
}

#[test]
fn reasons_are_those_that_the_recording_has() {
    for (policy, bytes) in
        [("bfq", recorded::recording()), ("tfq", recorded::recording_by::<bfq::TimeFair>())]
    {
        let activity = told(&sys(policy, Some(&bytes))).activity.unwrap();
        assert_eq!(activity.scheduler, policy);
        let run = RecordedRun::read(bytes).unwrap();
        let said = run.explanation("reader", 0, "").unwrap();
        let why = activity.why("reader").unwrap();
        assert_eq!((&why.sentence, why.ios), (&said.sentence, said.ios));
        assert_eq!(why.latency_ns, said.latency_ns);
        let ns = |cause| said.causes.iter().find(|row| row.cause == cause).map(|row| row.ns);
        assert!(why.causes.iter().all(|row| ns(row.cause) == Some(row.ns)), "{why:?}");
    }
}

#[test]
fn what_is_more_than_enough_is_not_read() {
    let recording = recorded::recording();
    let sys = sys("bfq", Some(&recording.repeat(2 * MOST_BYTES / recording.len())));
    let mut reasons = Reasons::of(sys.path(), ["sda"].into_iter());
    reasons.poll();
    assert!(matches!(reasons.streams[0].opened, Ok(None)), "it is closed");
    let read = reasons.end_interval().remove(0).read.unwrap();
    assert!(read.len() < 3 * MOST_BYTES / 2, "{}", read.len());
}

#[test]
fn where_nothing_can_be_read_it_is_said_why() {
    for (scheduler, decisions, why) in [
        ("mq-deadline", None, "sda: its scheduler is mq-deadline; expected bfq or tfq"),
        ("bfq", None, "the kernel's own"),
        ("tfq", Some(&b"nothing"[..]), "sda: byte 0: this is no recording"),
    ] {
        let disk = told(&sys(scheduler, decisions));
        assert_eq!(disk.activity, None);
        let said = disk.no_reasons.unwrap();
        assert!(said.contains(why), "{said}");
    }
}
