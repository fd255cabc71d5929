// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.8: who is waited for, and what ends it.

use blk::ProcessId;

use super::line::*;
use crate::cfq::expiry::Expiry;
use crate::cfq::requests::NewRequest;

/// A request of this size doesn't end a wait at once.
const PAGE_SECTORS: u64 = 8;

/// A process with `reads` behind it, each `think_ms` after the end of the one before, and
/// `distance` from it. There is no other process.
fn process_with(line: &mut Line, reads: u64, think_ms: i64, distance: u64) -> ProcessId {
    let process = line.process(best_effort(4));
    for number in 0..reads {
        line.pass(think_ms);
        line.read_for(process, (1 << 20) + number * (SECTORS + distance), 4);
    }
    process
}

#[test]
fn think_time_and_seeking_decide_who_is_waited_for() {
    const NEAR: u64 = 0;
    const FAR: u64 = 1 << 20;
    for (generation, tunables, reads, think_ms, distance, window) in [
        ("2.6.32", &[][..], 1, 40, NEAR, true),
        ("2.6.32", &[], 2, 40, NEAR, true),
        ("2.6.32", &[], 3, 40, NEAR, false),
        ("2.6.32", &[], 20, 12, NEAR, false),
        ("2.6.32", &[], 20, 8, NEAR, true),
        ("2.6.32", &[("slice_idle", "40")], 20, 40, NEAR, true),
        ("2.6.32", &[("slice_idle", "0")], 1, 0, NEAR, false),
        ("2.6.32", &[], 20, 4, FAR, true),
        ("2.6.32", &[], 20, 8, FAR, false),
        ("2.6.32", &[("low_latency", "0")], 20, 4, FAR, false),
        ("2.6.32", &[("low_latency", "0")], 20, 4, NEAR, true),
        ("2.6.35", &[], 20, 8, NEAR, true),
        ("2.6.35", &[], 20, 12, NEAR, false),
        ("2.6.35", &[], 5, 0, FAR, true),
        ("2.6.35", &[], 6, 0, FAR, false),
        ("2.6.35", &[("low_latency", "0")], 6, 0, FAR, false),
        ("2.6.35", &[("slice_idle", "0")], 1, 0, NEAR, false),
    ] {
        let mut line = Line::on(true, generation, tunables);
        let process = process_with(&mut line, reads, think_ms, distance);
        assert_eq!(
            line.queue(process).idle_window,
            window,
            "{generation} {tunables:?}: {reads} reads, {distance} apart, after {think_ms} ms"
        );
    }
}

#[test]
fn the_idle_class_and_writes_are_never_waited_for() {
    let mut line = Line::a(&[]);
    let process = line.process(idle());
    line.read_for(process, 0, 4);
    assert!(!line.is_waiting_for_more());
    line.writes(&[1000]);
    assert_eq!(line.next(), Some(1000));
    line.completes(1000);
    assert!(!line.is_waiting_for_more());
}

#[test]
fn a_deep_queue_is_waited_for_though_it_seeks() {
    for (depth, window) in [(3, false), (4, true)] {
        let mut line = Line::b(&[]);
        let process = line.process(best_effort(4));
        for round in 0..4 {
            let sectors: Vec<u64> = (0..depth).map(|n| (round * depth + n) << 24).collect();
            line.reads(process, &sectors);
            for sector in line.all() {
                line.completes(sector);
            }
        }
        assert!(line.cfq.is_seeky(line.queue_id(process)));
        assert_eq!(line.queue(process).idle_window, window, "{depth} requests at a time");
    }
}

#[test]
fn the_device_is_kept_for_8_ms() {
    for generation in ["2.6.32", "2.6.35"] {
        let mut line = Line::on(true, generation, &[]);
        let (reader, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
        line.reads(reader, &[0]);
        line.reads(other, &[1 << 30]);
        assert_eq!(line.next(), Some(0));
        assert_eq!(line.next(), None, "the reader may come back");
        line.pass(4);
        line.completes(0);
        assert!(line.is_waiting_for_more());
        line.pass(4);
        assert_eq!(line.next(), None);
        line.pass(4);
        assert_eq!(line.next(), Some(1 << 30));
        assert_eq!(line.statistic("slices_idled_out"), 1);
    }
}

#[test]
fn what_comes_in_time_is_served_at_once() {
    let mut line = Line::a(&[]);
    let (reader, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
    line.reads(reader, &[0]);
    line.reads(other, &[1 << 30]);
    line.next();
    line.completes(0);
    line.pass(4);
    line.reads(reader, &[SECTORS]);
    assert!(!line.is_waiting_for_more());
    assert_eq!(line.next(), Some(SECTORS));
    assert_eq!(line.statistic("waits_rewarded"), 1);
}

#[test]
fn generation_a_waits_less_for_who_seeks() {
    let mut line = Line::a(&[]);
    let process = process_with(&mut line, 5, 0, 1 << 20);
    assert!(line.is_waiting_for_more());
    let wait_ticks = line.cfq.idle_timer_ticks.map(|ticks| ticks - line.now_ticks());
    assert_eq!(wait_ticks, Some(1), "2 ms, rounded up");
    line.pass(4);
    assert!(line.is_active(process), "and no other wants the device");
}

#[test]
fn a_small_request_may_wait_for_more_of_its_kind_if_nobody_else_waits() {
    let mut line = Line::a(&[]);
    let reader = line.process(best_effort(4));
    line.read_for(reader, 0, 4);
    let request = line.request(Some(reader), true, SECTORS);
    let request = NewRequest { end_sector: request.sector + PAGE_SECTORS, ..request };
    line.arrives_as(request);
    assert!(!line.cfq.kick, "no run of our own for it");
    assert!(line.queue(reader).must_dispatch);
    assert_eq!(line.next(), Some(SECTORS), "but it is served when the host asks");
    assert!(!line.queue(reader).must_dispatch);
}

#[test]
fn a_slice_does_not_end_before_the_awaited_request_was_dispatched() {
    let mut line = Line::a(&[("slice_sync", "8")]);
    let reader = line.process(best_effort(4));
    line.read_for(reader, 0, 4);
    line.pass(4);
    let request = line.request(Some(reader), true, 100);
    line.arrives_as(NewRequest { end_sector: request.sector + PAGE_SECTORS, ..request });
    line.pass(20);
    assert_eq!(line.next(), Some(100));
    assert_eq!(line.statistic("slices"), 1);
}

#[test]
fn nobody_is_waited_for_in_vain() {
    type Prepare = fn(&mut Line, ProcessId);
    let cases: [(&str, Prepare); 4] = [
        ("after the exit of its process", |line, process| {
            line.cfq.process_ends(line.now_ticks(), process);
        }),
        ("without idling", |line, _| {
            blk::Elevator::set_tunable(&mut line.cfq, 0, "slice_idle", "0").expect("a tunable");
        }),
        ("when its requests are late", |line, _| line.pass(200)),
        ("with more of its own waiting", |line, process| line.reads(process, &[SECTORS])),
    ];
    for (text, prepare) in cases {
        let mut line = Line::a(&[]);
        let process = process_with(&mut line, 3, 0, 0);
        line.reads(process, &[0]);
        line.next();
        prepare(&mut line, process);
        line.completes(0);
        assert!(!line.is_waiting_for_more(), "{text}");
    }
}

#[test]
fn a_process_that_comes_back_too_late_for_its_slice_is_not_waited_for() {
    // It thinks 8 ms; its slice of 100 ms begins with the first of these completions.
    for (left_ms, waits) in [(8, true), (4, false)] {
        let mut line = Line::a(&[]);
        let process = process_with(&mut line, 60, 8, 0);
        line.pass(8);
        line.cfq.expire(line.now_ticks(), Expiry::Empty);
        let sectors = [60, 61].map(|number| (1 << 20) + number * SECTORS);
        line.reads(process, &sectors);
        assert_eq!(line.all(), sectors);
        line.completes(sectors[0]);
        line.pass(100 - left_ms);
        line.completes(sectors[1]);
        assert_eq!(line.is_waiting_for_more(), waits, "{left_ms} ms left");
    }
}

#[test]
fn generation_a_waits_only_for_a_drained_device() {
    for (generation, waits) in [("2.6.32", false), ("2.6.35", true)] {
        let mut line = Line::on(true, generation, &[]);
        let (first, second) = (line.process(best_effort(4)), line.process(best_effort(4)));
        line.reads(first, &[0]);
        line.next();
        line.completes(0);
        line.reads(first, &[SECTORS]);
        line.next();
        line.pass(100);
        line.reads(second, &[1 << 30]);
        assert_eq!(line.next(), Some(1 << 30), "the first slice is over");
        line.completes(1 << 30);
        assert_eq!(line.is_waiting_for_more(), waits, "{generation}");
    }
}

#[test]
fn queueing_flash_is_not_kept_idle() {
    for (rotational, waits) in [(true, true), (false, false)] {
        for generation in ["2.6.32", "2.6.35"] {
            let mut line = Line::on(rotational, generation, &[]);
            let process = line.process(best_effort(4));
            line.read_for(process, 0, 4);
            assert_eq!(line.is_waiting_for_more(), waits, "{generation}, rotational: {rotational}");
        }
    }
}

#[test]
fn generation_b_waits_for_the_last_of_those_that_seek() {
    let mut line = Line::b(&[]);
    let seekers = [0; 2].map(|_| {
        line.pass(40);
        process_with(&mut line, 6, 0, 1 << 20)
    });
    let reader = line.process(best_effort(4));
    assert!(seekers.iter().all(|seeker| !line.queue(*seeker).idle_window));
    line.pass(40);
    line.reads(seekers[0], &[1 << 32]);
    line.reads(seekers[1], &[1 << 33]);
    line.reads(reader, &[1 << 34]);
    assert_eq!(line.next(), Some(1 << 32));
    assert_eq!(line.next(), Some(1 << 33), "both of them at once");
    line.completes(1 << 32);
    assert_eq!(line.next(), None, "the second one is the last of its kind");
    line.completes(1 << 33);
    assert!(line.is_waiting_for_more());
    line.pass(8);
    assert_eq!(line.next(), Some(1 << 34));
}
