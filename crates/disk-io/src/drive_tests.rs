// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop with scripted hosts: what they are told, and when, in the order of events.

use super::*;
use crate::engine::{EngineKind, EngineSettings, Geometry};
use crate::failures::Reason;
use crate::{IoError, LARGEST_DISCARD_SECTORS, SubmitError};
use std::fs::File;
use std::sync::Arc;

const BLOCK_SECTORS: u32 = 8;
const MS: u64 = 1_000_000;

/// A host that keeps `depth` requests in flight until it has done `total` of them.
struct Backlog {
    op: base::Op,
    depth: u32,
    total: u32,
    /// Sector of the n-th request.
    sector: fn(u32) -> u64,
    sectors: u32,
    started: u32,
    free_tags: Vec<Tag>,
    ended: Vec<(u64, Result<(), blk::IoError>)>,
    interrupted_ns: Option<u64>,
    now_ns: u64,
}

impl Backlog {
    fn new(op: base::Op, depth: u32, total: u32) -> Backlog {
        Backlog {
            op,
            depth,
            total,
            sector: |n| u64::from(n % 64 * BLOCK_SECTORS),
            sectors: BLOCK_SECTORS,
            started: 0,
            // Tags need not be below the depth.
            free_tags: (100..100 + depth).map(Tag).collect(),
            ended: Vec::new(),
            interrupted_ns: None,
            now_ns: 0,
        }
    }

    fn in_flight(&self) -> u32 {
        self.depth - self.free_tags.len() as u32
    }

    fn see(&mut self, now_ns: u64) {
        assert!(now_ns >= self.now_ns, "time goes forward");
        self.now_ns = now_ns;
    }
}

impl DriveHost for Backlog {
    fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), blk::IoError>) {
        self.see(now_ns);
        assert!(!self.free_tags.contains(&tag), "each command ends once");
        self.free_tags.push(tag);
        self.ended.push((now_ns, result));
    }

    fn advance(&mut self, now_ns: u64) {
        self.see(now_ns);
    }

    fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        self.see(now_ns);
        if self.started == self.total || self.interrupted_ns.is_some() {
            return None;
        }
        let tag = self.free_tags.pop()?;
        let sector = (self.sector)(self.started);
        self.started += 1;
        Some(Command { tag, op: self.op, sector, sectors: self.sectors })
    }

    fn next_wake_ns(&self) -> Option<u64> {
        None
    }

    fn finished(&self) -> bool {
        let all_started = self.started == self.total || self.interrupted_ns.is_some();
        all_started && self.in_flight() == 0
    }

    fn interrupt(&mut self, now_ns: u64) {
        assert_eq!(self.interrupted_ns, None, "told once");
        self.interrupted_ns = Some(now_ns);
    }
}

fn engine_on(file: File, depth: u32) -> Engine {
    let geometry = Geometry { capacity_bytes: 1 << 20, block_bytes: 4096, direct: false };
    let kind = Some(EngineKind::Threads);
    let settings = EngineSettings { depth, longest_bytes: 4096, kind };
    Engine::new(Arc::new(file), geometry, settings).unwrap()
}

fn engine(depth: u32) -> Engine {
    let file = tempfile::tempfile().unwrap();
    file.set_len(1 << 20).unwrap();
    engine_on(file, depth)
}

fn look_on(_now_ns: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn every_command_is_done_and_told_once() {
    let mut host = Backlog::new(base::Op::Read, 5, 300);
    let driven = drive(&mut host, &mut engine(5), None, &mut look_on).unwrap();
    assert_eq!(host.ended.len(), 300);
    assert!(host.ended.iter().all(|(_, result)| result.is_ok()));
    assert!(!driven.interrupted && driven.failures.is_empty());
    let expected =
        Traffic { reads: 300, read_bytes: 300 * 4096, in_flight_max: 5, ..Traffic::default() };
    assert_eq!(driven.traffic, expected);
    assert_eq!(driven.elapsed_ns, host.now_ns);
}

#[test]
fn a_rate_is_never_exceeded() {
    let rate = NonZeroU64::new(4096 * 1000).unwrap();
    let mut host = Backlog::new(base::Op::Write, 4, 40);
    let driven = drive(&mut host, &mut engine(4), Some(rate), &mut look_on).unwrap();
    assert_eq!(driven.traffic.writes, 40);
    // One block takes the slower disk a millisecond, so the n-th ends n milliseconds from the
    // start at the soonest.
    for (n, (at_ns, _)) in (1..).zip(&host.ended) {
        assert!(*at_ns >= n * MS, "number {n} at {at_ns} ns");
    }
}

#[test]
fn an_interrupted_run_drains_and_starts_nothing_new() {
    for rate in [None, NonZeroU64::new(4096 * 1000)] {
        let mut host = Backlog::new(base::Op::Read, 3, u32::MAX);
        let mut ticks = 0;
        let mut stop_at_the_third = |_now_ns| {
            ticks += 1;
            if ticks < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let driven = drive(&mut host, &mut engine(3), rate, &mut stop_at_the_third).unwrap();
        assert!(driven.interrupted);
        assert_eq!(host.ended.len() as u32, host.started, "what was started has ended");
        assert_eq!(driven.traffic.reads, u64::from(host.started));
        assert!(host.interrupted_ns.is_some_and(|at_ns| at_ns <= driven.elapsed_ns));
    }
}

#[test]
fn a_full_disk_fails_each_write_and_is_told_once() {
    let full = File::options().read(true).write(true).open("/dev/full").unwrap();
    let mut host = Backlog::new(base::Op::Write, 2, 9);
    let driven = drive(&mut host, &mut engine_on(full, 2), None, &mut look_on).unwrap();
    assert!(host.ended.iter().all(|(_, result)| *result == Err(blk::IoError::NoSpace)));
    assert_eq!(driven.failures.len(), 1);
    assert_eq!(driven.failures[0].count, 9);
    assert_eq!(driven.failures[0].reason, Reason::Target(IoError::NoSpace));
    assert_eq!(driven.traffic.writes, 0);
}

#[test]
fn commands_that_the_engine_does_not_take_fail_and_the_rest_goes_on() {
    let mut host = Backlog::new(base::Op::Read, 2, 10);
    // Every other one begins inside a block.
    host.sector = |n| u64::from(n * BLOCK_SECTORS + n % 2);
    let driven = drive(&mut host, &mut engine(2), None, &mut look_on).unwrap();
    let refused = host.ended.iter().filter(|(_, result)| *result == Err(INVALID)).count();
    assert_eq!((refused, driven.traffic.reads), (5, 5));
    let misaligned =
        SubmitError::Misaligned { offset_bytes: 9 * 512, length_bytes: 4096, block_bytes: 4096 };
    assert_eq!(driven.failures[0].reason, Reason::Refused(misaligned));
    assert_eq!(driven.failures[0].count, 5);
}

/// Of its length only the lower 32 bits were once seen, and a discard of one block ended well.
#[test]
fn a_discard_whose_bytes_32_bits_do_not_hold_is_refused() {
    let mut host = Backlog::new(base::Op::Discard, 1, 1);
    host.sectors = 2 * LARGEST_DISCARD_SECTORS + BLOCK_SECTORS;
    let driven = drive(&mut host, &mut engine(1), None, &mut look_on).unwrap();
    assert_eq!((host.ended[0].1, driven.traffic.discards), (Err(INVALID), 0));
}

#[test]
fn a_host_that_waits_for_nothing_is_not_waited_for() {
    let mut host = Backlog::new(base::Op::Read, 1, 2);
    // Its one tag is lost, as if the scheduler kept a request to itself.
    host.free_tags.clear();
    let error = drive(&mut host, &mut engine(1), None, &mut look_on).unwrap_err();
    assert!(matches!(error, DriveError::Stuck { .. }), "{error}");
}

/// A host that does no I/O but wants to be woken at certain times.
struct Sleeper {
    wakes_ns: Vec<u64>,
    woken_ns: Vec<u64>,
}

impl DriveHost for Sleeper {
    fn complete(&mut self, _: u64, _: Tag, _: Result<(), blk::IoError>) {
        unreachable!("nothing is in flight")
    }

    fn advance(&mut self, now_ns: u64) {
        while self.next_wake_ns().is_some_and(|wake_ns| wake_ns <= now_ns) {
            self.wakes_ns.pop();
            self.woken_ns.push(now_ns);
        }
    }

    fn next_command(&mut self, _: u64) -> Option<Command> {
        None
    }

    fn next_wake_ns(&self) -> Option<u64> {
        self.wakes_ns.last().copied()
    }

    fn finished(&self) -> bool {
        self.wakes_ns.is_empty()
    }

    fn interrupt(&mut self, _: u64) {}
}

#[test]
fn the_host_is_woken_in_time_and_the_watcher_between() {
    // Latest first; the third is far enough for ticks of the watcher before it.
    let mut host = Sleeper { wakes_ns: vec![250 * MS, 2 * MS, MS], woken_ns: Vec::new() };
    let mut ticks_ns = Vec::new();
    let mut watch = |now_ns| {
        ticks_ns.push(now_ns);
        ControlFlow::Continue(())
    };
    drive(&mut host, &mut engine(1), None, &mut watch).unwrap();
    assert_eq!(host.woken_ns.len(), 3);
    for (woken_ns, wanted_ns) in host.woken_ns.iter().zip([MS, 2 * MS, 250 * MS]) {
        assert!(*woken_ns >= wanted_ns, "woken at {woken_ns}, wanted {wanted_ns}");
    }
    assert!(ticks_ns.len() >= 4, "two wakes, two ticks at 100 ms each, one more: {ticks_ns:?}");
}
