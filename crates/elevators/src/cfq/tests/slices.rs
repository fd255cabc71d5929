// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.3: lengths, start and end of slices.

use blk::{Elevator, GroupId};

use super::line::*;
use base::Class;

#[test]
fn slices_by_level() {
    let line = Line::a(&[]);
    let lengths = |sync| -> Vec<i64> {
        (0..8).map(|level| 4 * line.cfq.level_slice_ticks(sync, level)).collect()
    };
    assert_eq!(lengths(true), [180, 160, 140, 120, 100, 80, 60, 40]);
    assert_eq!(lengths(false), [72, 64, 56, 48, 40, 32, 24, 16]);
}

#[test]
fn slices_follow_their_tunables_in_whole_ticks() {
    for (name, value, sync, ticks) in [
        ("slice_sync", "50", true, [21, 13, 7]),
        ("slice_sync", "1", true, [1, 1, 1]),
        ("slice_async", "200", false, [90, 50, 20]),
    ] {
        let line = Line::a(&[(name, value)]);
        let measured = [0, 4, 7].map(|level| line.cfq.level_slice_ticks(sync, level));
        assert_eq!(measured, ticks, "{name}={value}");
    }
}

#[test]
fn readers_in_turn_have_their_slices() {
    // The slice begins with the first completion: a request of 4 ms before it.
    for (levels, spans_ms) in [([4, 4], [104, 104]), ([0, 7], [184, 44]), ([3, 6], [124, 64])] {
        let mut line = Line::a(&[]);
        let readers = levels.map(|level| line.process(best_effort(level)));
        let turns = line.run(&mut readers.map(Load::reader), 2000);
        for load in [0, 1] {
            let of = turns[2..turns.len() - 1].iter().filter(|turn| turn.load == load);
            let spans: Vec<i64> = of.map(|turn| turn.span_ms).collect();
            assert!(spans.len() >= 3, "{turns:?}");
            assert!(spans.iter().all(|span| *span == spans_ms[load]), "{levels:?}: {spans:?}");
        }
    }
}

#[test]
fn a_slice_starts_with_the_first_completion_and_does_not_end_before() {
    let mut line = Line::a(&[]);
    let (slow, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
    line.reads(slow, &[0, 1000]);
    line.reads(other, &[1 << 30]);
    assert_eq!(line.all(), [0, 1000]);
    line.pass(1000);
    line.reads(slow, &[2000]);
    assert_eq!(line.next(), Some(2000), "a second after it was selected");
    line.completes(0);
    line.reads(slow, &[3000]);
    line.pass(96);
    assert_eq!(line.next(), Some(3000), "the slice is not over yet");
    line.pass(4);
    line.reads(slow, &[4000]);
    assert_eq!(line.next(), Some(1 << 30), "100 ms after the first completion");
}

#[test]
fn low_latency_shortens_slices_so_that_all_have_their_turn() {
    // slice ticks, busy queues, ticks of the group → ticks
    let line = Line::b(&[]);
    for (slice, busy, group, shortened) in [
        (25, 1, 75, 25),
        (25, 3, 75, 25),
        (25, 4, 75, 18),
        (25, 10, 75, 7),
        (25, 19, 75, 4),
        (25, 100, 75, 4),
        (45, 100, 75, 7),
        (10, 100, 75, 1),
        (25, 1, 5, 5),
        (25, 1, 0, 4),
    ] {
        assert_eq!(
            line.cfq.shortened_ticks(slice, busy, group),
            shortened,
            "slice {slice}, {busy} busy queues, {group} for the group"
        );
    }
    let line = Line::b(&[("slice_idle", "0")]);
    assert_eq!(line.cfq.shortened_ticks(25, 100, 0), 1, "never nothing");
}

#[test]
fn many_readers_share_300_ms() {
    for (generation, low_latency, longest_ms) in
        [("2.6.35", "1", 32), ("2.6.35", "0", 104), ("2.6.32", "1", 104)]
    {
        let mut line = Line::on(true, generation, &[("low_latency", low_latency)]);
        let mut readers: Vec<Load> =
            (0..10).map(|_| Load::reader(line.process(best_effort(4)))).collect();
        line.run(&mut readers, 3000);
        let turns = line.run(&mut readers, 3000);
        let longest = turns.iter().map(|turn| turn.span_ms).max();
        assert_eq!(longest, Some(longest_ms), "{generation}, low_latency={low_latency}");
    }
}

#[test]
fn the_number_of_busy_queues_grows_at_once_and_falls_slowly() {
    let mut line = Line::b(&[]);
    let mut smoothed = Vec::new();
    for number in 0..6 {
        let process = line.process(best_effort(4));
        line.reads(process, &[number << 32]);
        smoothed.push(line.cfq.groups[GroupId::ROOT].smooth_busy(Class::BestEffort));
    }
    assert_eq!(smoothed, [1, 2, 3, 4, 5, 6]);
    line.cfq.set_tunable(0, "slice_idle", "0").expect("a tunable");
    smoothed.clear();
    while let Some(sector) = line.next() {
        line.completes(sector);
        smoothed.push(line.cfq.groups[GroupId::ROOT].smooth_busy(Class::BestEffort));
    }
    assert_eq!(smoothed, [6, 6, 5, 4, 3, 2], "where 5, 4, 3, 2, 1, 0 are left");
}
