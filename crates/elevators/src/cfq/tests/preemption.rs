// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.8: which arrivals end another queue's turn.

use base::IoprioValue;
use blk::ProcessId;

use super::line::*;
use crate::cfq::requests::NewRequest;

/// The active queue's turn has just begun.
const ACTIVE_AT: u64 = 1 << 30;
const FAR: u64 = 1 << 40;

/// An active reader of that ioprio (or, without one, the writeback), with a request on the device
/// and another one waiting.
fn busy(generation: &str, ioprio: Option<IoprioValue>) -> Line {
    let mut line = Line::on(true, generation, &[]);
    let process = ioprio.map(|ioprio| line.process(ioprio));
    for sector in [ACTIVE_AT, ACTIVE_AT + 1000] {
        line.arrives(process, process.is_some(), sector);
    }
    assert_eq!(line.next(), Some(ACTIVE_AT));
    line
}

fn preempts(
    line: &mut Line,
    process: Option<ProcessId>,
    sync: bool,
    metadata: bool,
    sector: u64,
) -> bool {
    let before = line.statistic("slices_preempted");
    let request = line.request(process, sync, sector);
    line.arrives_as(NewRequest { metadata, ..request });
    line.statistic("slices_preempted") > before
}

#[test]
fn classes_kinds_and_metadata() {
    let (rt, be, idle) = (Some(real_time(4)), Some(best_effort(4)), Some(idle()));
    for (active, new, sync, metadata, in_a, in_b) in [
        (be, be, true, false, false, false),
        (be, rt, true, false, true, true),
        (be, Some(best_effort(0)), true, false, false, false),
        (rt, be, true, false, false, false),
        (rt, rt, true, false, false, false),
        (be, idle, true, false, false, false),
        (idle, be, true, false, true, true),
        (idle, be, false, false, true, true),
        (None, be, true, false, true, true),
        (None, idle, true, false, false, false),
        (be, be, false, false, false, false),
        (be, be, true, true, true, true),
        (rt, be, true, true, true, false),
    ] {
        for (generation, expected) in [("2.6.32", in_a), ("2.6.35", in_b)] {
            let mut line = busy(generation, active);
            let process = new.map(|ioprio| line.process(ioprio));
            assert_eq!(
                preempts(&mut line, process, sync, metadata, FAR),
                expected,
                "{generation}: {active:?} by {new:?}, sync: {sync}, metadata: {metadata}"
            );
        }
    }
}

#[test]
fn metadata_goes_before_data_but_not_before_metadata() {
    for generation in ["2.6.32", "2.6.35"] {
        let mut line = busy(generation, Some(best_effort(4)));
        let (one, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
        assert!(preempts(&mut line, Some(one), true, true, FAR));
        assert!(!preempts(&mut line, Some(one), true, true, FAR + 1000), "no queue's turn");
        assert_eq!(line.next(), Some(FAR), "{generation}");
        assert!(!preempts(&mut line, Some(other), true, true, FAR << 1), "{generation}");
    }
}

#[test]
fn a_used_up_slice_is_over_at_any_arrival() {
    for (since_ms, expected) in [(96, false), (100, true)] {
        for generation in ["2.6.32", "2.6.35"] {
            let mut line = busy(generation, Some(best_effort(4)));
            line.completes(ACTIVE_AT);
            assert_eq!(line.next(), Some(ACTIVE_AT + 1000));
            line.pass(since_ms);
            let other = line.process(best_effort(4));
            let preempts = preempts(&mut line, Some(other), true, false, FAR);
            assert_eq!(preempts, expected, "{generation}, {since_ms} ms after the slice began");
        }
    }
}

/// A reader of far requests or of near ones, its device kept idle for it.
fn waited_for(generation: &str, distance: u64) -> Line {
    let mut line = Line::on(true, generation, &[]);
    let process = line.process(best_effort(4));
    for number in 0..6 {
        line.read_for(process, ACTIVE_AT + number * (SECTORS + distance), 0);
    }
    assert!(line.is_waiting_for_more());
    line
}

#[test]
fn a_near_request_goes_ahead_while_the_device_is_kept_idle() {
    for (generation, distance, away, expected) in [
        ("2.6.32", 0, 0, true),
        ("2.6.32", 0, 500, false),
        ("2.6.32", 1000, 800, true),
        ("2.6.32", 1000, 1200, false),
        ("2.6.35", 0, 8192, true),
        ("2.6.35", 0, 8193, false),
    ] {
        let mut line = waited_for(generation, distance);
        let sector = line.cfq.head_sector + away;
        let other = line.process(best_effort(4));
        let preempts = preempts(&mut line, Some(other), true, false, sector);
        assert_eq!(preempts, expected, "{generation}: steps of {distance}, {away} away");
    }
}

#[test]
fn two_that_seek_take_turns_at_once() {
    for (others, expected) in [(1, true), (2, false)] {
        let mut line = Line::b(&[]);
        let seekers: Vec<ProcessId> = (0..=others).map(|_| line.process(best_effort(4))).collect();
        for seeker in &seekers {
            let start = u64::from(seeker.0 + 1) << 40;
            for number in 0..6 {
                line.read_for(*seeker, start + (number << 24), 0);
            }
            line.pass(40);
        }
        for seeker in &seekers[2..] {
            line.reads(*seeker, &[u64::from(seeker.0 + 1) << 41]);
        }
        line.reads(seekers[0], &[1 << 42]);
        while !line.is_active(seekers[0]) {
            line.next().expect("they have requests");
        }
        assert_eq!(line.queue(seekers[0]).waiting, 0);
        if others == 2 {
            // Another one of the same kind waits.
            line.reads(seekers[2], &[1 << 44]);
        }
        let preempts = preempts(&mut line, Some(seekers[1]), true, false, 1 << 43);
        assert_eq!(preempts, expected, "{others} others");
    }
}

#[test]
fn who_preempts_goes_first_and_who_was_preempted_keeps_its_time() {
    let mut line = busy("2.6.32", Some(best_effort(4)));
    let waiting = line.process(best_effort(4));
    line.reads(waiting, &[FAR >> 1]);
    line.completes(ACTIVE_AT);
    line.pass(40);
    let other = line.process(best_effort(4));
    assert!(preempts(&mut line, Some(other), true, true, FAR));
    assert_eq!(line.next(), Some(FAR), "not the one that waited longer");
    let first = line.queue(ProcessId(0));
    // Its key has the 60 ms that were left already.
    assert_eq!((first.residual_ticks, first.waiting), (0, 1));
    line.completes(FAR);
    line.pass(8);
    assert_eq!(line.next(), Some(FAR >> 1));
}

#[test]
fn groups_do_not_preempt_each_other_but_synchronous_requests_preempt_writes() {
    let mut line = busy("2.6.35", Some(best_effort(4)));
    let group = line.group(100);
    let other = line.process_in(group, real_time(0));
    assert!(!preempts(&mut line, Some(other), true, true, FAR));
    let mut line = busy("2.6.35", None);
    let group = line.group(100);
    let other = line.process_in(group, best_effort(4));
    assert!(preempts(&mut line, Some(other), true, false, FAR));
}
