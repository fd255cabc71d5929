// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.5: groups and kinds of load, generation B.

use blk::{Elevator, GroupId};

use super::line::*;
use crate::cfq::service_tree::End;
use crate::cfq::service_tree::Workload::{Async, Sync, SyncNoIdle};
use base::Class::BestEffort;
use base::Ioprio;

#[test]
fn time_is_shared_by_weights() {
    for (weights, shares) in [
        ([100, 100], [50, 50]),
        ([100, 200], [33, 67]),
        ([100, 300], [25, 75]),
        ([50, 1000], [5, 95]),
    ] {
        let mut line = Line::b(&[]);
        let readers = weights.map(|weight| {
            let group = line.group(weight);
            Load::reader(line.process_in(group, best_effort(4)))
        });
        let mut readers = readers;
        let measured = line.shares(&mut readers, 60_000);
        for (measured, expected) in measured.iter().zip(shares) {
            assert!(measured.abs_diff(expected) <= 2, "{weights:?}: {measured} % for {expected} %");
        }
    }
}

#[test]
fn generation_a_knows_no_groups() {
    let mut line = Line::a(&[]);
    let mut readers = [100, 900].map(|weight| {
        let group = line.group(weight);
        Load::reader(line.process_in(group, best_effort(4)))
    });
    assert_eq!(line.shares(&mut readers, 20_000), [50, 50]);
}

#[test]
fn processes_share_what_their_group_has_and_the_root_is_a_group_of_weight_100() {
    let mut line = Line::b(&[]);
    let group = line.group(200);
    let mut readers: Vec<Load> =
        (0..2).map(|_| Load::reader(line.process_in(group, best_effort(4)))).collect();
    readers.push(Load::reader(line.process(best_effort(4))));
    let shares = line.shares(&mut readers, 60_000);
    for (measured, expected) in shares.iter().zip([33, 33, 33]) {
        assert!(measured.abs_diff(expected) <= 2, "{shares:?}");
    }
}

#[test]
fn the_last_queue_of_a_group_keeps_its_turn_until_it_has_requests_again() {
    let mut line = Line::b(&[]);
    let group = line.group(100);
    let (one, other) = (line.process_in(group, best_effort(4)), line.process(best_effort(4)));
    line.read_for(one, 0, 0);
    line.reads(other, &[1 << 30]);
    line.reads(one, &[SECTORS]);
    line.next();
    line.pass(100);
    assert_eq!(line.next(), None, "the slice is over, a request is under way");
    line.completes(SECTORS);
    line.pass(4);
    assert_eq!(line.next(), None, "the next one will come");
    line.reads(one, &[2 * SECTORS]);
    assert_eq!(line.next(), Some(1 << 30), "it has, and may wait its turn");
    assert_eq!(line.statistic("slices_used_up"), 1);
    line.completes(1 << 30);
    line.pass(8);
    assert_eq!(line.next(), Some(2 * SECTORS));
}

#[test]
fn the_last_queue_of_a_group_is_not_waited_for_long() {
    let mut line = Line::b(&[]);
    let group = line.group(100);
    let (one, other) = (line.process_in(group, best_effort(4)), line.process(best_effort(4)));
    line.read_for(one, 0, 0);
    line.reads(other, &[1 << 30]);
    line.reads(one, &[SECTORS]);
    line.next();
    line.pass(100);
    line.completes(SECTORS);
    line.pass(8);
    assert_eq!(line.next(), Some(1 << 30));
}

#[test]
fn a_new_weight_holds_at_once() {
    let mut line = Line::b(&[]);
    let groups = [100, 100].map(|weight| line.group(weight));
    let mut readers = groups.map(|group| Load::reader(line.process_in(group, best_effort(4))));
    line.run(&mut readers, 1000);
    line.cfq.group_weight(0, groups[1], 400);
    let shares = line.shares(&mut readers, 60_000);
    assert!(shares[1].abs_diff(80) <= 2, "{shares:?}");
}

#[test]
fn a_group_is_charged_for_the_time_it_used() {
    // A tick of a group of default weight is 4096; one that becomes busy is 50 behind the last.
    let mut line = Line::b(&[]);
    let group = line.group(200);
    let (here, there) = (line.process(best_effort(4)), line.process_in(group, best_effort(4)));
    line.reads(here, &[0]);
    line.reads(there, &[1 << 30]);
    let times = |line: &Line| [GroupId::ROOT, group].map(|id| line.cfq.groups[id].virtual_time());
    assert_eq!(times(&line), [0, 50]);
    line.next();
    line.completes(0);
    line.reads(here, &[SECTORS]);
    line.next();
    line.pass(40);
    line.completes(SECTORS);
    assert_eq!(times(&line), [0, 50], "charged when the turn ends");
    line.pass(8);
    assert_eq!(line.cfq.groups.first(), Some(group));
    line.next();
    line.pass(12);
    line.completes(1 << 30);
    line.reads(here, &[2 * SECTORS]);
    line.pass(8);
    // 12 ticks: 10 with a request, 2 waited for. In the other group 2 ticks at twice the weight.
    assert_eq!(line.cfq.groups[group].virtual_time(), 50 + 2 * 2048);
}

#[test]
fn time_without_completion_counts_from_selection() {
    for (span_ms, ticks) in [(0, 1), (4, 1), (40, 10)] {
        let mut line = Line::b(&[]);
        let (rt, be) = (line.process(real_time(4)), line.process(best_effort(4)));
        line.reads(be, &[0, 1000]);
        assert_eq!(line.next(), Some(0));
        line.pass(span_ms);
        line.reads(rt, &[1 << 30]);
        let charged = line.cfq.groups[GroupId::ROOT].virtual_time();
        assert_eq!(charged, ticks * 4096, "preempted after {span_ms} ms");
    }
}

#[test]
fn writes_alone_are_charged_their_whole_slice() {
    let mut line = Line::b(&[]);
    let group = line.group(100);
    line.writes(&[0, SECTORS]);
    let before = line.cfq.groups[GroupId::ROOT].virtual_time();
    assert_eq!(line.all().len(), 2);
    let reader = line.process_in(group, best_effort(4));
    line.reads(reader, &[1 << 30]);
    let charged = line.cfq.groups[GroupId::ROOT].virtual_time();
    // It left the busy ones with that; nothing else is in the root.
    assert_eq!((before, charged), (0, 10 * 4096));
}

#[test]
fn kinds_of_load_by_idle_window_and_direction() {
    let mut line = Line::b(&[]);
    let (reader, seeker) = (line.process(best_effort(4)), line.process(best_effort(4)));
    for number in 0..6 {
        line.read_for(seeker, (number + 1) << 30, 0);
    }
    line.pass(40);
    line.reads(seeker, &[0]);
    line.reads(reader, &[1 << 20]);
    line.writes(&[1 << 21]);
    let workload = |id| line.cfq.queues[id].location.map(|at| at.workload);
    assert_eq!(workload(line.queue_id(reader)), Some(Sync));
    assert_eq!(workload(line.queue_id(seeker)), Some(SyncNoIdle));
    let writes = line.cfq.existing_queue(None, false, Ioprio::DEFAULT);
    assert_eq!(workload(writes.expect("there are writes")), Some(Async));
}

#[test]
fn who_seeks_is_served_by_the_root_unless_groups_are_isolated() {
    for (isolation, place) in [("0", GroupId::ROOT), ("1", GroupId(1))] {
        let mut line = Line::b(&[("group_isolation", isolation)]);
        let group = line.group(100);
        let seeker = line.process_in(group, best_effort(4));
        for number in 0..6 {
            line.read_for(seeker, (number + 1) << 30, 0);
        }
        line.pass(40);
        line.reads(seeker, &[0]);
        let location = line.queue(seeker).location.expect("it is busy");
        assert_eq!((location.workload, location.group), (SyncNoIdle, place));
    }
}

/// A line with these numbers of busy queues in the root: readers, seekers, writes (each
/// of another level).
fn with_queues(readers: u64, seekers: u64, writes: u8) -> Line {
    let mut line = Line::b(&[]);
    for number in 0..readers + seekers {
        let process = line.process(best_effort(4));
        line.reads(process, &[number << 30]);
        if number >= readers {
            let id = line.queue_id(process);
            line.cfq.leave_service(id);
            line.cfq.queues[id].idle_window = false;
            let now_ticks = line.now_ticks();
            line.cfq.enter_service(now_ticks, id, End::Back);
        }
    }
    for level in 0..writes {
        let process = line.process(best_effort(level));
        line.arrives(Some(process), false, (1 << 50) + u64::from(level) * 1000);
    }
    line
}

#[test]
fn kinds_of_load_share_300_ms_by_their_queues() {
    // Queues: readers, seekers, writes → ticks for each kind (75 in all).
    for (queues, sync, no_idle, write) in [
        ((1, 0, 0), 75, 4, 2),
        ((1, 1, 0), 37, 37, 2),
        ((3, 1, 0), 56, 18, 2),
        ((1, 0, 1), 37, 4, 14),
        ((1, 1, 1), 25, 25, 10),
        ((20, 0, 1), 71, 4, 2),
        ((0, 40, 1), 4, 73, 2),
    ] {
        let line = with_queues(queues.0, queues.1, queues.2);
        let ticks = [Sync, SyncNoIdle, Async]
            .map(|workload| line.cfq.workload_slice_ticks(GroupId::ROOT, BestEffort, workload));
        assert_eq!(ticks, [sync, no_idle, write], "{queues:?}");
    }
}

#[test]
fn readers_seekers_and_writes_all_have_their_part() {
    let mut line = Line::b(&[]);
    let mut loads = [
        Load::reader(line.process(best_effort(4))),
        Load::seeker(line.process(best_effort(4))),
        Load::writeback(),
    ];
    line.run(&mut loads, 1000);
    let shares = line.shares(&mut loads, 30_000);
    assert!(shares.iter().all(|share| *share >= 5), "{shares:?}");
    assert!(shares[2] < shares[0] && shares[2] < shares[1], "{shares:?}");
}

#[test]
fn a_kind_of_load_is_served_until_its_time_is_over() {
    let mut line = Line::b(&[]);
    let mut loads: Vec<Load> = (0..4).map(|_| Load::reader(line.process(best_effort(4)))).collect();
    loads.extend((0..4).map(|_| Load::seeker(line.process(best_effort(4)))));
    line.run(&mut loads, 3000);
    let turns = line.run(&mut loads, 6000);
    let kinds: Vec<bool> = turns.iter().map(|turn| turn.load >= 4).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(turns.len() > 60, "{} turns", turns.len());
    assert!((20..=60).contains(&changes), "{changes} changes of kind in 6 s: about 150 ms each");
}

#[test]
fn a_group_goes_on_where_it_was_interrupted() {
    let mut line = with_queues(1, 1, 0);
    let group = line.group(100);
    let other = line.process_in(group, best_effort(4));
    let first = line.next().expect("a request");
    let root = |line: &Line| line.cfq.groups[GroupId::ROOT].unfinished;
    assert_eq!(root(&line), None, "it is being served");
    line.reads(other, &[1 << 45]);
    line.completes(first);
    line.pass(8);
    assert_eq!(line.next(), Some(1 << 45), "the other group has had less");
    let left = root(&line).expect("time is left");
    assert_eq!(left.left_ticks, 37 - 2);
    line.completes(1 << 45);
    line.pass(8);
    line.next().expect("the root again");
    assert_eq!(root(&line), None);
}
