// SPDX-License-Identifier: MIT OR Apache-2.0
//! A week of intervals, and I/O that never ends: what is kept does not grow with either.

use crate::disk::MOST_PROCESSES;
use crate::in_flight::MOST_UNDER_WAY;
use crate::requests::MOST_REQUESTS;
use crate::threads::MOST_THREADS;
use crate::{
    BlockEvent, BlockEventKind, DeviceId, Monitor, Name, Owner, Screen, ThreadOwners, Totals,
    Watched,
};
use base::Op;
use trace::Flags;

const DISK: DeviceId = DeviceId(8 << 20);
const INTERVAL_NS: u64 = 2_000_000_000;
/// Intervals of two seconds.
const OF_A_WEEK: u64 = 7 * 24 * 3600 / 2;

/// Processes that come once, each with a group that comes once.
struct Newcomers;

impl ThreadOwners for Newcomers {
    fn owner(&mut self, thread: u32) -> Option<Owner> {
        let (name, group) = (format!("p{thread}"), Some(format!("/run/{thread}.scope")));
        Some(Owner { process: thread, name, group, is_kernel: false })
    }
}

fn monitor() -> Monitor {
    let (name, device) = ("sda".to_owned(), DISK);
    Monitor::new(&[Watched { name, device, partitions: Vec::new() }], 0)
}

/// I/O of a process; what it never comes to is left out.
fn play(monitor: &mut Monitor, at_ns: u64, number: u64, kinds: &[BlockEventKind]) {
    for (step, &kind) in kinds.iter().enumerate() {
        let event = BlockEvent {
            time_ns: at_ns + 1000 * step as u64,
            kind,
            device: DISK,
            thread: number as u32,
            name: Name::new("p"),
            op: Op::Read,
            flags: Flags::PLAIN,
            sector: number * 8,
            sectors: 8,
        };
        monitor.take(&event, &mut Newcomers);
    }
}

#[test]
fn a_week_of_processes_that_come_and_go_needs_no_more_than_an_hour_of_them() {
    use BlockEventKind::{Completed, Issued, Queued, Requeued};
    let (mut monitor, mut totals, mut screen) = (monitor(), Totals::default(), Screen::new(false));
    let mut most = 0;
    for interval in 0..OF_A_WEEK {
        let began_ns = interval * INTERVAL_NS;
        let kinds: &[BlockEventKind] = match interval % 100_000 {
            // The end of one is lost, another is given back to the scheduler and never comes again.
            70 => &[Queued, Issued],
            770 => &[Queued, Issued, Requeued],
            other if other % 10 == 0 => &[Queued, Issued, Completed],
            _ => &[],
        };
        play(&mut monitor, began_ns, interval + 1, kinds);
        let snapshot = monitor.snapshot(began_ns + INTERVAL_NS);
        totals.add(&snapshot);
        screen.add(snapshot);
        most = most.max(monitor.entries() + totals.entries() + screen.entries());
    }
    // Of what never ends all keys since the first are kept for ten minutes at most.
    assert!(most <= 2000, "{most}");
    assert!(totals.entries() < 3600 / 20 + 400, "{} groups", totals.entries());
    assert!(screen.entries() <= 120);
}

#[test]
fn io_that_never_ends_is_forgotten_in_the_end() {
    use BlockEventKind::{Issued, Queued, Requeued};
    let mut monitor = monitor();
    for interval in 0..4 {
        for number in interval * 20_000..(interval + 1) * 20_000 {
            let kinds: &[BlockEventKind] =
                if number % 2 == 0 { &[Queued, Issued] } else { &[Queued, Issued, Requeued] };
            play(&mut monitor, number * 10_000, number + 1, kinds);
            assert!(monitor.requests() <= MOST_REQUESTS, "{}", monitor.requests());
        }
        monitor.snapshot((interval + 1) * 200_000_000);
        let most = MOST_PROCESSES + 1 + 4 * MOST_REQUESTS + 3 * MOST_UNDER_WAY + MOST_THREADS + 100;
        assert!(monitor.entries() <= most, "{} of at most {most}", monitor.entries());
    }
}
