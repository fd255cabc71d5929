// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that watches a disk by pages of a kernel's buffer, without root: those of `bfq-live`'s
//! tests, in which `dd` reads from a loop device while another writes to it.
#![cfg(target_endian = "little")]

use live::{Decoder, DeviceId, Owner, ThreadOwners, Watched};
use std::fs::File;
use std::io::BufReader;
use top::{Feed, Recording, TopError};
use trace::{ReadOptions, RequestEvent, TraceReader};

const PAGES: [&[u8]; 2] = [
    include_bytes!("../../live/tests/data/cpu0.page"),
    include_bytes!("../../live/tests/data/cpu1.page"),
];

/// The files `format` of all events.
const FORMATS: &str = include_str!("../../live/tests/data/formats.txt");

/// A time before the first event, and one in the middle of them.
const START_NS: u64 = 27_941_179_000_000;
const MIDDLE_NS: u64 = 27_941_181_500_000;

struct Dd;

impl ThreadOwners for Dd {
    fn owner(&mut self, thread: u32) -> Option<Owner> {
        let group = Some("/test".to_owned());
        Some(Owner { process: thread, name: "dd".to_owned(), group, is_kernel: false })
    }
}

fn format(event: &str) -> String {
    let start = FORMATS.find(&format!("name: {event}\n")).expect("it is there");
    let end = FORMATS[start + 1..].find("name: ").map_or(FORMATS.len(), |end| start + 1 + end);
    FORMATS[start..end].to_owned()
}

fn feed() -> Feed<Dd> {
    let (name, device) = ("loop0".to_owned(), DeviceId::new(7, 0));
    let watched = Watched { name, device, partitions: Vec::new() };
    Feed::new(&[watched], Decoder::new(format).unwrap(), Dd, START_NS)
}

#[test]
fn intervals_have_what_happened_in_them_and_the_recording_has_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.trace");
    let mut feed = feed();
    feed.record(Recording::begin(&path).unwrap());
    PAGES.iter().for_each(|page| feed.read(page));
    feed.read(b"no page");
    let mut snapshots = Vec::new();
    for until_ns in [MIDDLE_NS, u64::MAX] {
        feed.take(until_ns).unwrap();
        snapshots.push(feed.snapshot(until_ns.min(2 * MIDDLE_NS - START_NS)));
    }
    let bytes = |place: usize| snapshots[place].disks[0].all.bytes();
    assert!(bytes(0) > 0 && bytes(1) > 0, "{} {}", bytes(0), bytes(1));
    assert_eq!(bytes(0) + bytes(1), 2 << 20, "what both were told to move");
    assert_eq!(snapshots[0].disks[0].groups[1].group, "/test");

    let recorded = feed.end_recording().unwrap().unwrap();
    assert_eq!((&recorded.path, recorded.lost_events), (&path, 0));
    assert_eq!(feed.end_recording().unwrap(), None);
    let file = BufReader::new(File::open(&path).unwrap());
    let trace = TraceReader::new(file, "x.trace", ReadOptions::default()).unwrap();
    let records: Vec<_> = trace.map(Result::unwrap).collect();
    for event in [RequestEvent::Queued, RequestEvent::Completed] {
        let records = records.iter().filter(|record| record.event == event);
        assert_eq!(records.map(|record| record.length_bytes).sum::<u64>(), 2 << 20, "{event:?}");
    }
}

#[test]
fn a_recording_that_cannot_be_made_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = Recording::begin(folder.path()).unwrap_err();
    assert!(!error.is_usage());
    let TopError::Recording { path, .. } = error else { panic!("{error}") };
    assert_eq!(path, folder.path());
}
