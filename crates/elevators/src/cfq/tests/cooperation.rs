// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.9: queues with requests near each other.

use blk::ProcessId;

use super::line::*;

/// Two processes that read one file together, every other request each: the first is at `START` and
/// its queue is empty now; the second has the request after it waiting; a third one waits far away.
const START: u64 = 1 << 20;
const FAR: u64 = 1 << 40;

fn together(generation: &str, ioprios: [base::IoprioValue; 2]) -> (Line, ProcessId, ProcessId) {
    let mut line = Line::on(true, generation, &[]);
    let far = line.process(best_effort(4));
    let [one, other] = ioprios.map(|ioprio| line.process(ioprio));
    line.reads(one, &[START]);
    line.reads(far, &[FAR]);
    line.reads(other, &[START + SECTORS]);
    assert_eq!(line.next(), Some(START));
    line.completes(START);
    (line, one, other)
}

#[test]
fn control_jumps_to_the_queue_at_the_head() {
    let (mut line, _, other) = together("2.6.32", [best_effort(4); 2]);
    assert!(!line.is_waiting_for_more(), "no need to wait");
    assert_eq!(line.next(), Some(START + SECTORS), "before the one far away that came earlier");
    assert!(line.is_active(other));
    assert_eq!(line.statistic("jumps"), 1);
}

#[test]
fn control_does_not_jump_back_and_forth() {
    let (mut line, one, other) = together("2.6.32", [best_effort(4); 2]);
    line.next();
    assert!(line.queue(other).cooperates);
    line.reads(one, &[START + 2 * SECTORS]);
    line.completes(START + SECTORS);
    assert_eq!(line.next(), Some(START + 2 * SECTORS), "there");
    line.reads(other, &[START + 3 * SECTORS]);
    line.completes(START + 2 * SECTORS);
    assert_eq!(line.statistic("jumps"), 2);
    assert_eq!(line.next(), None, "not back again: the first one may come back itself");
    line.pass(8);
    assert_eq!(line.next(), Some(FAR));
}

#[test]
fn only_queues_of_the_same_level_cooperate() {
    for (ioprios, jumps) in [
        ([best_effort(4), best_effort(4)], 1),
        ([best_effort(4), best_effort(5)], 0),
        ([best_effort(4), idle()], 0),
    ] {
        let (mut line, ..) = together("2.6.32", ioprios);
        line.next();
        assert_eq!(line.statistic("jumps"), jumps, "{ioprios:?}");
    }
}

#[test]
fn near_is_nearer_than_8192_sectors() {
    for (away, near) in [(0, true), (8192, true), (8193, false)] {
        for behind in [false, true] {
            let mut line = Line::b(&[]);
            let (one, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
            line.reads(one, &[START]);
            line.reads(other, &[FAR]);
            line.next();
            let head = START + SECTORS;
            line.cfq.head_sector = head;
            let third = line.process(best_effort(4));
            line.reads(third, &[if behind { head - away } else { head + away }]);
            let cooperator = line.cfq.close_cooperator(line.queue_id(one));
            let expected = near.then(|| line.queue_id(third));
            assert_eq!(cooperator, expected, "{away} sectors, behind: {behind}");
        }
    }
}

#[test]
fn generation_b_merges_them() {
    let (mut line, one, other) = together("2.6.35", [best_effort(4); 2]);
    assert_eq!(line.next(), Some(START + SECTORS));
    assert_eq!(line.statistic("merges"), 1);
    let shared = line.queue_id(other);
    line.reads(one, &[START + 2 * SECTORS]);
    line.completes(START + SECTORS);
    assert_eq!((line.queue_id(one), line.queue(one).processes()), (shared, 2));
    assert_eq!(line.next(), Some(START + 2 * SECTORS), "one queue, one turn");
    assert_eq!(line.statistic("slices"), 2);
}

#[test]
fn what_is_not_merged() {
    let (mut line, ..) = together("2.6.35", [real_time(4), best_effort(4)]);
    line.next();
    assert_eq!(line.statistic("merges"), 0, "classes");

    let mut line = Line::b(&[]);
    let group = line.group(100);
    let (one, other) = (line.process(best_effort(4)), line.process_in(group, best_effort(4)));
    line.reads(one, &[START]);
    line.reads(other, &[START + SECTORS]);
    assert_eq!(line.next(), Some(START));
    line.completes(START);
    assert_eq!(line.cfq.close_cooperator(line.queue_id(one)), None, "groups");

    let (mut line, one, _) = together("2.6.35", [best_effort(4); 2]);
    let id = line.queue_id(one);
    for number in 0..6 {
        line.cfq.queues[id].history.arrived(number << 30, (number << 30) + 8, true);
    }
    assert_eq!(line.cfq.close_cooperator(id), None, "who seeks");
}

#[test]
fn processes_that_seek_part_again() {
    let (mut line, one, other) = together("2.6.35", [best_effort(4); 2]);
    line.next();
    line.reads(one, &[START + 2 * SECTORS]);
    let shared = line.queue_id(one);
    assert_eq!(shared, line.queue_id(other));
    line.completes(START + SECTORS);
    for number in 1..6 {
        line.reads(other, &[number << 30]);
    }
    while line.queue(other).waiting > 0 {
        for sector in line.all() {
            line.completes(sector);
        }
        line.pass(4);
    }
    line.pass(200);
    assert!(line.cfq.queues[shared].splits, "its turn has ended");
    line.reads(one, &[7 << 30]);
    assert_ne!(line.queue_id(one), shared);
    assert_eq!(line.statistic("splits"), 1);
    line.reads(other, &[8 << 30]);
    assert_eq!(line.queue_id(other), shared, "the last one keeps it");
    assert!(!line.cfq.queues[shared].splits);
}

#[test]
fn merged_queues_go_when_their_processes_do() {
    let (mut line, one, other) = together("2.6.35", [best_effort(4); 2]);
    line.next();
    line.cfq.process_ends(line.now_ticks(), other);
    line.cfq.process_ends(line.now_ticks(), one);
    line.completes(START + SECTORS);
    line.pass(8);
    assert_eq!(line.next(), Some(FAR));
    assert_eq!(line.cfq.queues.iter().count(), 1, "only the one far away is left");
}
