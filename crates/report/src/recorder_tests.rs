// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of single processes.

use super::*;
use base::Direction;

const MS: u64 = 1_000_000;

fn read(created_ns: u64, accepted_ns: u64) -> Sample {
    Sample { direction: Direction::Read, bytes: 4096, created_ns, accepted_ns }
}

#[test]
fn the_ramp_is_not_counted() {
    let mut recorder = Recorder::new(false, None);
    recorder.start(150 * MS);
    recorder.submitted(100 * MS, 1, 1);
    recorder.completed(149 * MS, &read(100 * MS, 100 * MS));
    recorder.synced(149 * MS, 100 * MS);
    assert!(recorder.directions[0].is_none() && recorder.sync.is_none());
    // Begun in the ramp, completed after it: counts, with all its latency.
    recorder.completed(150 * MS, &read(100 * MS, 100 * MS));
    recorder.finish(250 * MS);
    recorder.finish(300 * MS);
    let record = recorder.directions[0].as_ref().unwrap();
    assert_eq!((record.ios, record.clat().max()), (1, 50 * MS));
    assert_eq!(recorder.counted_ns(), 100 * MS);
    assert_eq!(recorder.depths, [0; 7]);
}

#[test]
fn submission_is_a_time_of_its_own_for_asynchronous_processes_only() {
    for (asynchronous, slats, clat) in [(true, 1, 3 * MS), (false, 0, 5 * MS)] {
        let mut recorder = Recorder::new(asynchronous, None);
        recorder.start(0);
        recorder.completed(6 * MS, &read(MS, 3 * MS));
        let record = recorder.directions[0].as_ref().unwrap();
        let slat = recorder.slat(Direction::Read).unwrap_or_default();
        assert_eq!(slat.count(), slats);
        assert_eq!((record.clat().max(), record.lat().max()), (clat, 5 * MS));
    }
}

#[test]
fn a_call_counts_at_rising_depths_and_one_that_was_asked_for_at_the_last() {
    let mut recorder = Recorder::new(true, None);
    recorder.start(0);
    recorder.submitted(0, 5, 8); // found 3, so depths 4, 5, 6, 7, 8
    assert_eq!(recorder.depths, [0, 0, 4, 1, 0, 0, 0]);
    assert_eq!(recorder.submit_calls, [0, 0, 1, 0, 0, 0, 0]);
    recorder.submitted_batch(0, 5, 8);
    assert_eq!(recorder.depths, [0, 0, 4, 6, 0, 0, 0]);
    assert_eq!(recorder.submit_calls, [0, 0, 2, 0, 0, 0, 0]);
}

#[test]
fn classes_of_calls() {
    let classes: Vec<_> =
        [0, 1, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65].into_iter().map(call_class).collect();
    assert_eq!(classes, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
}

#[test]
fn latency_classes_are_bounded_above() {
    let mut recorder = Recorder::new(false, None);
    recorder.start(0);
    for (latency_ns, class) in
        [(1, 0), (2, 1), (999, 9), (1000, 10), (1_999_999_999, 30), (2_000_000_000, 31)]
    {
        let before = recorder.classes[class];
        recorder.completed(latency_ns, &read(0, 0));
        assert_eq!(recorder.classes[class], before + 1, "{latency_ns} ns");
    }
}

#[test]
fn the_class_is_the_first_whose_bound_is_greater() {
    let near = |value: u64| [value.saturating_sub(1), value, value.saturating_add(1)];
    let powers = (0..64).map(|bits| 1 << bits);
    for latency_ns in powers.chain(CLASS_BOUNDS_NS).chain([u64::MAX]).flat_map(near) {
        let expected = CLASS_BOUNDS_NS.iter().filter(|&&bound| bound <= latency_ns).count();
        assert_eq!(latency_class(latency_ns), expected, "{latency_ns} ns");
    }
}

#[test]
fn a_process_that_never_ran_has_no_span() {
    let mut recorder = Recorder::new(false, None);
    recorder.finish(5);
    assert_eq!((recorder.counted_ns(), recorder.span_ns()), (0, None));
}
