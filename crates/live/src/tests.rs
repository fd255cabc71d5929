// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of events, and what is told of them.

use crate::disk::MOST_PROCESSES;
use crate::{
    BlockEvent, BlockEventKind, DeviceId, Monitor, Name, Owner, ProcessFigures, Snapshot,
    ThreadOwners, Watched,
};
use base::Op;
use proptest::prelude::*;
use trace::Flags;

const DISK: DeviceId = DeviceId(8 << 20);
const PARTITION: DeviceId = DeviceId(8 << 20 | 1);
const MS: u64 = 1_000_000;

struct Anybody;

impl ThreadOwners for Anybody {
    fn owner(&mut self, thread: u32) -> Option<Owner> {
        let group = Some(format!("/group{}", thread % 2));
        let (name, is_kernel) = (format!("p{thread}"), thread >= 1 << 20);
        let name = if thread == 14 { "two\nlines\x1b[2J".to_owned() } else { name };
        (thread != 13).then_some(Owner { process: thread, name, group, is_kernel })
    }
}

fn monitor() -> Monitor {
    let (device, partitions) = (DISK, vec![PARTITION]);
    Monitor::new(&[Watched { name: "sda".to_owned(), device, partitions }], MS)
}

/// An event at a time in milliseconds.
fn event(
    at_ms: u64,
    kind: BlockEventKind,
    thread: u32,
    op: Op,
    sector: u64,
    sectors: u32,
) -> BlockEvent {
    let name = Name::new(&format!("t{thread}"));
    let (time_ns, flags) = (at_ms * MS, Flags::PLAIN);
    let device = if kind == BlockEventKind::Queued { PARTITION } else { DISK };
    BlockEvent { time_ns, kind, device, thread, name, op, flags, sector, sectors }
}

fn play(events: &[(u64, BlockEventKind, u32, Op, u64, u32)]) -> Monitor {
    let mut monitor = monitor();
    for &(at_ms, kind, thread, op, sector, sectors) in events {
        monitor.take(&event(at_ms, kind, thread, op, sector, sectors), &mut Anybody);
    }
    monitor
}

fn of(snapshot: &Snapshot, pid: u32) -> &ProcessFigures {
    let mut all = snapshot.disks[0].processes.iter();
    all.find(|process| process.pid == Some(pid)).unwrap()
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-6
}

#[test]
fn the_time_of_the_device_is_divided_among_those_in_it() {
    use BlockEventKind::{Completed, Issued, Queued};
    let mut monitor = play(&[
        (1, Queued, 1, Op::Read, 0, 8),
        (2, Queued, 2, Op::Write, 100, 16),
        (11, Issued, 7, Op::Read, 0, 8),
        (21, Issued, 7, Op::Write, 100, 16),
        (41, Completed, 0, Op::Read, 0, 8),
        (51, Completed, 0, Op::Write, 100, 16),
    ]);
    let snapshot = monitor.snapshot(101 * MS);
    let disk = &snapshot.disks[0];
    assert!(near(disk.busy_percent, 40.0) && near(disk.depth, 0.6), "{disk:?}");
    assert_eq!(disk.deepest, 2);
    let (first, second) = (of(&snapshot, 1), of(&snapshot, 2));
    // Of 40 ms the first has 10 alone and half of 20.
    assert!(near(first.figures.time_percent, 50.0), "{first:?}");
    assert!(near(second.figures.time_percent, 50.0), "{second:?}");
    assert_eq!((first.figures.read_bytes, second.figures.written_bytes), (4096, 8192));
    assert!(near(first.figures.bytes_percent, 100.0 / 3.0), "{first:?}");
    assert_eq!(first.figures.waiting.worst_ns, 10 * MS);
    assert_eq!(first.figures.in_device.worst_ns, 30 * MS);
    assert_eq!(second.figures.whole.worst_ns, 49 * MS);
    assert!(near(first.figures.queue_depth, 0.4), "{first:?}");
}

#[test]
fn what_is_under_way_counts_in_each_interval() {
    use BlockEventKind::{Completed, Issued, Queued};
    let mut monitor = play(&[(1, Queued, 1, Op::Read, 0, 8), (11, Issued, 1, Op::Read, 0, 8)]);
    let snapshot = monitor.snapshot(21 * MS);
    assert!(near(of(&snapshot, 1).figures.time_percent, 100.0), "{snapshot:?}");
    assert!(near(snapshot.disks[0].busy_percent, 50.0), "{snapshot:?}");
    assert_eq!(of(&snapshot, 1).figures.ios, 0);
    monitor.take(&event(31, Completed, 0, Op::Read, 0, 8), &mut Anybody);
    let snapshot = monitor.snapshot(41 * MS);
    assert!(near(snapshot.disks[0].busy_percent, 50.0), "{snapshot:?}");
    assert!(near(of(&snapshot, 1).figures.queue_depth, 0.5), "{snapshot:?}");
    assert_eq!(of(&snapshot, 1).figures.in_device.worst_ns, 20 * MS);
    let snapshot = monitor.snapshot(51 * MS);
    assert!(snapshot.disks[0].processes.is_empty(), "{snapshot:?}");
}

#[test]
fn a_request_that_is_given_back_waits_again_and_keeps_its_owner() {
    use BlockEventKind::{Completed, Issued, Queued, Requeued};
    let mut monitor = play(&[
        (1, Queued, 1, Op::Read, 0, 8),
        (11, Issued, 1, Op::Read, 0, 8),
        (21, Requeued, 0, Op::Read, 0, 8),
        (31, Issued, 0, Op::Read, 0, 8),
        (41, Completed, 0, Op::Read, 0, 8),
    ]);
    let snapshot = monitor.snapshot(101 * MS);
    assert!(near(snapshot.disks[0].busy_percent, 20.0), "{snapshot:?}");
    assert!(near(of(&snapshot, 1).figures.time_percent, 100.0), "{snapshot:?}");
}

#[test]
fn who_has_ended_or_is_not_known_is_told_so() {
    use BlockEventKind::{Completed, Issued, Queued};
    let mut monitor = play(&[
        (1, Queued, 13, Op::Write, 0, 8),
        (2, Issued, 0, Op::Write, 0, 8),
        (3, Completed, 0, Op::Write, 0, 8),
        (4, Issued, 0, Op::Read, 64, 8),
        (6, Completed, 0, Op::Read, 64, 8),
    ]);
    monitor.lost(3, MS);
    let snapshot = monitor.snapshot(101 * MS);
    assert_eq!(snapshot.lost_events, 3);
    assert_eq!((of(&snapshot, 13).name.as_str(), &of(&snapshot, 13).group), ("t13", &None));
    let unknown = snapshot.disks[0].processes.last().unwrap();
    assert_eq!((unknown.name.as_str(), unknown.pid), ("unknown", None));
    assert!(near(unknown.figures.time_percent, 200.0 / 3.0), "{unknown:?}");
    assert_eq!(snapshot.disks[0].no_group.written_bytes, 4096);
}

/// What was under way may have ended in the gap; what was issued after it has not.
#[test]
fn after_a_gap_in_the_events_what_was_under_way_is_not_known() {
    use BlockEventKind::{Completed, Issued, Queued};
    let mut monitor = play(&[(11, Queued, 1, Op::Read, 0, 8), (11, Issued, 1, Op::Read, 0, 8)]);
    // The completion of that was among these.
    monitor.lost(3, 21 * MS);
    for (at_ms, kind) in [(31, Queued), (31, Issued)] {
        monitor.take(&event(at_ms, kind, 2, Op::Read, 64, 8), &mut Anybody);
    }
    let snapshot = monitor.snapshot(41 * MS);
    let disk = &snapshot.disks[0];
    assert!(near(disk.busy_percent, 50.0) && near(disk.depth, 0.5), "{disk:?}");
    assert!(near(of(&snapshot, 1).figures.time_percent, 50.0), "{snapshot:?}");

    monitor.take(&event(51, Completed, 0, Op::Read, 64, 8), &mut Anybody);
    let snapshot = monitor.snapshot(61 * MS);
    let disk = &snapshot.disks[0];
    assert!(near(disk.busy_percent, 50.0) && near(disk.depth, 0.5), "{disk:?}");
    assert_eq!((disk.processes.len(), of(&snapshot, 2).figures.ios), (1, 1), "{disk:?}");

    // A gap in the end of an interval, before which not all events are here yet, ends it later.
    monitor.take(&event(71, Queued, 1, Op::Read, 0, 8), &mut Anybody);
    monitor.lost(1, 91 * MS);
    assert_eq!(monitor.snapshot(81 * MS).disks[0].waiting_ios, 1);
    let snapshot = monitor.snapshot(101 * MS);
    assert_eq!(snapshot.disks[0].waiting_ios, 0);
    assert!(near(of(&snapshot, 1).figures.queue_depth, 0.5), "{snapshot:?}");
    assert!(monitor.snapshot(111 * MS).disks[0].processes.is_empty());
}

/// Without a word from the kernel that events were lost.
#[test]
fn a_request_is_given_up_when_others_were_done_ten_minutes_later() {
    use BlockEventKind::{Completed, Issued, Queued};
    let mut monitor = play(&[(1, Queued, 1, Op::Read, 0, 8), (1, Issued, 1, Op::Read, 0, 8)]);
    for (minute, expected) in [(9, 1), (10, 1), (11, 0)] {
        let at_ms = minute * 60_000;
        for (later_ms, kind) in [(0, Queued), (0, Issued), (1, Completed)] {
            monitor.take(&event(at_ms + later_ms, kind, 2, Op::Read, 64, 8), &mut Anybody);
        }
        monitor.snapshot((at_ms + 2) * MS);
        let snapshot = monitor.snapshot((at_ms + 3) * MS);
        let under_way = snapshot.disks[0].processes.len();
        assert_eq!(under_way, expected, "minute {minute}: {snapshot:?}");
    }
}

/// A line feed would end a line of a trace, an escape sequence be an order to a terminal.
#[test]
fn names_are_what_can_be_printed() {
    use BlockEventKind::Queued;
    let snapshot = play(&[(1, Queued, 14, Op::Write, 0, 8)]).snapshot(2 * MS);
    assert_eq!(of(&snapshot, 14).name, "two?lines?[2J");
}

#[test]
fn ten_thousand_processes_need_no_more_than_a_thousand() {
    use BlockEventKind::{Completed, Issued, Queued};
    let mut monitor = monitor();
    let week_ms = 7 * 24 * 3600 * 1000;
    for (round, processes) in [(0, 10_000_u64), (1, 2_000)] {
        for process in 0..processes as u32 {
            let at_ms = round * week_ms / 2 + u64::from(process) * 10 + 1;
            let place = u64::from(process) * 8;
            for (kind, later_ms) in [(Queued, 0), (Issued, 1), (Completed, 2)] {
                let event = event(at_ms + later_ms, kind, process, Op::Read, place, 8);
                monitor.take(&event, &mut Anybody);
            }
        }
        let snapshot = monitor.snapshot((round + 1) * week_ms / 2 * MS);
        let disk = &snapshot.disks[0];
        assert!(disk.processes.len() <= MOST_PROCESSES + 1, "{}", disk.processes.len());
        let others = disk.processes.iter().find(|process| process.name == "others").unwrap();
        let told = disk.processes.len() as u64 - 1;
        assert_eq!(others.figures.ios + told, processes);
        assert_eq!(disk.folded_processes, processes - told);
        assert_eq!(disk.all.read_bytes, processes * 4096);
    }
}

fn any_event() -> impl Strategy<Value = BlockEvent> {
    let kind = prop_oneof![
        4 => Just(BlockEventKind::Queued),
        4 => Just(BlockEventKind::Issued),
        1 => Just(BlockEventKind::Requeued),
        4 => Just(BlockEventKind::Completed)
    ];
    let op = prop_oneof![Just(Op::Read), Just(Op::Write), Just(Op::Discard), Just(Op::Flush)];
    (0_u64..100, kind, 0_u32..20, op, 0_u64..64, 0_u32..24).prop_map(
        |(at_ms, kind, thread, op, sector, sectors)| {
            event(at_ms, kind, thread, op, sector, if op == Op::Flush { 0 } else { sectors })
        },
    )
}

proptest! {
    #[test]
    fn no_order_of_events_panics_and_shares_add_up(
        events in prop::collection::vec(any_event(), 0..200),
        ends in prop::collection::vec(0_u64..200, 1..4),
    ) {
        let mut monitor = monitor();
        for chunk in events.chunks(events.len() / ends.len() + 1) {
            for event in chunk {
                prop_assert!(monitor.take(event, &mut Anybody).is_some());
            }
            let snapshot = monitor.snapshot(ends[0] * MS);
            let disk = &snapshot.disks[0];
            let sum = |of: fn(&ProcessFigures) -> f64| -> f64 { disk.processes.iter().map(of).sum() };
            let time = sum(|process| process.figures.time_percent);
            prop_assert!(near(time, 100.0) || near(time, 0.0), "{time}");
            let bytes = sum(|process| process.figures.bytes_percent);
            prop_assert!(near(bytes, 100.0) || near(bytes, 0.0), "{bytes}");
            prop_assert!(disk.utilisation_percent <= 100.0 + 1e-6);
        }
    }
}
