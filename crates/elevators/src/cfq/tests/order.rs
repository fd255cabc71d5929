// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.4: whose turn it is in generation A.

use super::line::*;

/// The first loads of the turns.
fn order(turns: &[Turn], count: usize) -> Vec<usize> {
    turns.iter().take(count).map(|turn| turn.load).collect()
}

#[test]
fn equal_queues_go_round() {
    let mut line = Line::a(&[]);
    let readers = [0; 3].map(|_| line.process(best_effort(4)));
    let turns = line.run(&mut readers.map(Load::reader), 2000);
    assert_eq!(order(&turns, 9), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

#[test]
fn real_time_before_best_effort_before_idle() {
    let mut line = Line::a(&[]);
    let [idle, be, rt] = [idle(), best_effort(0), real_time(7)].map(|prio| line.process(prio));
    line.reads(idle, &[10]);
    line.reads(be, &[20]);
    line.reads(rt, &[30]);
    assert_eq!(line.next(), Some(30));
    line.completes(30);
    line.pass(8);
    assert_eq!(line.next(), Some(20), "after waiting 8 ms for more");
    line.completes(20);
    assert_eq!(line.next(), None);
    line.pass(8);
    assert_eq!(line.next(), Some(10));
}

#[test]
fn a_class_starves_those_below() {
    let mut line = Line::a(&[]);
    let loads = [real_time(4), best_effort(0), idle()].map(|ioprio| line.process(ioprio));
    let shares = line.shares(&mut loads.map(Load::reader), 2000);
    assert_eq!(shares, [100, 0, 0]);
    let mut line = Line::a(&[]);
    let loads = [best_effort(7), idle()].map(|ioprio| line.process(ioprio));
    let shares = line.shares(&mut loads.map(Load::reader), 2000);
    assert_eq!(shares, [100, 0]);
}

#[test]
fn time_is_shared_by_levels() {
    // In proportion to the slices, with 4 ms before each.
    for (levels, shares) in
        [([4, 4, 4], [33, 33, 33]), ([3, 3, 6], [40, 40, 21]), ([0, 4, 4], [47, 27, 27])]
    {
        let mut line = Line::a(&[]);
        let readers = levels.map(|level| line.process(best_effort(level)));
        let measured = line.shares(&mut readers.map(Load::reader), 20_000);
        for (measured, expected) in measured.iter().zip(shares) {
            assert!(measured.abs_diff(expected) <= 1, "{levels:?}: {measured} % for {expected} %");
        }
    }
}

#[test]
fn keys_let_higher_levels_in_earlier() {
    let mut line = Line::a(&[]);
    let [first, low, high] = [4, 7, 0].map(|level| line.process(best_effort(level)));
    line.reads(first, &[0]);
    line.reads(low, &[1 << 20]);
    line.reads(high, &[1 << 30]);
    // Keys, ticks from now: 0 · others 1 × (45 − 10) = 35 · others 2 × (45 − 45) = 0.
    assert_eq!(line.next(), Some(0), "of equal keys the first");
    line.completes(0);
    line.pass(8);
    assert_eq!(line.next(), Some(1 << 30));
    line.completes(1 << 30);
    line.pass(8);
    assert_eq!(line.next(), Some(1 << 20));
}

/// A queue of level 4 is waited for in vain `span_ms` after its slice began; returns what is
/// remembered of the slice, ms.
fn residual_after(span_ms: i64) -> i64 {
    let mut line = Line::a(&[]);
    let (process, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
    line.reads(process, &[0]);
    line.reads(other, &[1 << 30]);
    line.next();
    line.completes(0);
    line.read_for(process, SECTORS, span_ms);
    let id = line.queue_id(process);
    line.pass(8);
    assert!(!line.is_active(process));
    4 * line.cfq.queues[id].residual_ticks
}

#[test]
fn time_left_is_kept_for_the_next_turn_and_overrun_is_paid_back() {
    for (span_ms, residual_ms) in [(4, 100 - 12), (40, 100 - 48), (88, 4), (100, 0), (160, -60)] {
        assert_eq!(residual_after(span_ms), residual_ms, "idle after {span_ms} ms");
    }
}

#[test]
fn the_next_key_takes_the_residual_in() {
    let mut line = Line::a(&[]);
    let [early, late] = [0; 2].map(|_| line.process(best_effort(4)));
    line.reads(early, &[0]);
    line.next();
    line.completes(0);
    let blocker = line.process(best_effort(4));
    line.reads(blocker, &[1 << 20]);
    line.pass(8);
    assert_eq!(line.next(), Some(1 << 20));
    assert_eq!(line.queue(early).residual_ticks, 23);
    line.reads(late, &[1 << 30]);
    line.reads(early, &[SECTORS]);
    assert_eq!(line.queue(early).residual_ticks, 0, "used");
    line.completes(1 << 20);
    line.pass(8);
    // late: others 1 × 20 ticks; early: others 2 × 20 − 23 ticks.
    assert_eq!(line.next(), Some(SECTORS), "it came later, with credit");
}

#[test]
fn a_queue_that_simply_stops_keeps_nothing() {
    let mut line = Line::a(&[("slice_idle", "0")]);
    let (process, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
    line.reads(process, &[0]);
    line.next();
    line.reads(other, &[1 << 30]);
    line.completes(0);
    assert_eq!(line.next(), Some(1 << 30), "not waited for");
    assert_eq!(line.queue(process).residual_ticks, 0);
}

#[test]
fn time_nobody_used_is_not_overrun() {
    let mut line = Line::a(&[]);
    let (alone, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
    line.read_for(alone, 0, 4);
    line.pass(10_000);
    assert!(line.is_active(alone), "it keeps its turn: no other wants one");
    line.reads(other, &[1 << 30]);
    assert_eq!(line.next(), Some(1 << 30));
    assert_eq!(line.queue(alone).residual_ticks, 0);
}

#[test]
fn the_idle_class_goes_last_in_line() {
    let mut line = Line::a(&[]);
    let idlers = [0; 2].map(|_| line.process(idle()));
    line.reads(idlers[0], &[0, 100, 200]);
    line.reads(idlers[1], &[1 << 30, (1 << 30) + 100]);
    for served in [&[0, 1 << 30][..], &[100, (1 << 30) + 100, 200]] {
        assert_eq!(line.all(), served, "one request each, until one of them is alone");
        served.iter().for_each(|sector| line.completes(*sector));
    }
}
