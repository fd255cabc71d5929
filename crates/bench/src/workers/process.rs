// SPDX-License-Identifier: MIT OR Apache-2.0
//! One process of a job at work on the target: its issuer, an engine, and what it measures.

use super::assignment::ProcessReport;
use super::board::Board;
use super::latencies::LatencyCounter;
use base::Op;
use disk_io::{Completion, Engine, EngineError, Target};
use std::time::{Duration, Instant};
use workload::{Io, IoKind, Issuer, IssuerStep, Region, Ticket};

/// It looks up whether it is enough at least this often.
const PATIENCE: Duration = Duration::from_millis(50);

/// And whether another process has come so far, while I/O of its own is under way.
const FOLLOWING_PATIENCE: Duration = Duration::from_micros(200);

/// A process that is ready to begin.
pub(super) struct ReadyProcess<'a> {
    clone: u32,
    issuer: Issuer,
    engine: Engine,
    board: &'a Board,
    /// I/Os in flight by their tag; as many as the engine takes.
    slots: Vec<Option<Slot>>,
    /// Asked for, and not yet handed over: the engine is full, or a sync waits for what
    /// is before it.
    held: Option<Io>,
    completions: Vec<Completion>,
    latencies: LatencyCounter,
    syncs: LatencyCounter,
    report: ProcessReport,
    completed_ios: u64,
    /// What the page cache has to forget each time the process begins to read it.
    afresh: Option<(&'a Target, Region)>,
}

#[derive(Clone, Copy)]
struct Slot {
    ticket: Ticket,
    kind: IoKind,
    created_ns: u64,
}

/// What a process waits for.
enum Pause {
    /// A completion, or this time.
    Until(u64),
    /// A completion, however long it takes.
    Completion,
    /// Until another process has completed its I/Os.
    Follow(u32, u64),
    /// Nothing: it has ended.
    Ended,
}

impl<'a> ReadyProcess<'a> {
    /// Number `clone` of its job, with an engine for `depth` I/Os at a time.
    pub(super) fn new(
        clone: u32,
        issuer: Issuer,
        engine: Engine,
        depth: u32,
        board: &'a Board,
    ) -> Self {
        ReadyProcess {
            clone,
            issuer,
            engine,
            board,
            slots: vec![None; depth as usize],
            held: None,
            completions: Vec::with_capacity(depth as usize),
            latencies: LatencyCounter::new(),
            syncs: LatencyCounter::new(),
            report: ProcessReport::default(),
            completed_ios: 0,
            afresh: None,
        }
    }

    /// The same, reading a file that is not in the page cache: when it has come to the end it
    /// begins with another such file, which is its own once more, forgotten.
    pub(super) fn reading_afresh(self, target: &'a Target, region: Region) -> Self {
        ReadyProcess { afresh: Some((target, region)), ..self }
    }

    /// Works until the job is done or the board says that it is enough.
    ///
    /// # Errors
    /// The engine reports no completions any more. I/Os that fail end the process and are in the
    /// report.
    pub(super) fn run(mut self, start: Instant) -> Result<ProcessReport, EngineError> {
        let now = || start.elapsed().as_nanos() as u64;
        loop {
            if self.board.is_enough() {
                self.stop();
            }
            match self.submit_all(now()) {
                Pause::Ended => break,
                Pause::Until(until_ns) => {
                    let left = Duration::from_nanos(until_ns.saturating_sub(now()));
                    self.engine.wait(left.min(PATIENCE), &mut self.completions)?;
                }
                Pause::Completion => self.engine.wait(PATIENCE, &mut self.completions)?,
                Pause::Follow(other, ios) => self.follow(other, ios)?,
            }
            self.collect(now());
        }
        self.board.ended(self.clone);
        self.report.began_ns = self.issuer.started_ns().unwrap_or(0);
        let rates_from_ns = self.issuer.measure_from_ns().unwrap_or(0);
        self.report.in_ramp.time_ns = rates_from_ns - self.report.began_ns;
        self.report.ended_ns = now();
        self.report.latencies = self.latencies.into_latencies();
        self.report.syncs = self.syncs.into_latencies();
        Ok(self.report)
    }

    /// Hands over all that is to be done now.
    fn submit_all(&mut self, now_ns: u64) -> Pause {
        loop {
            let io = match self.held.take() {
                Some(io) => io,
                None => match self.issuer.poll(now_ns) {
                    IssuerStep::Submit(io) => io,
                    IssuerStep::Sleep { until_ns } => return Pause::Until(until_ns),
                    IssuerStep::Wait => return Pause::Completion,
                    IssuerStep::Follow { clone, completed_ios } => {
                        return Pause::Follow(clone, completed_ios);
                    }
                    IssuerStep::Done => return Pause::Ended,
                },
            };
            let is_sync = matches!(io.kind, IoKind::Fsync | IoKind::Fdatasync);
            let free = self.slots.iter().position(Option::is_none);
            match free {
                Some(slot) if !is_sync || self.engine.in_flight() == 0 => {
                    self.submit(now_ns, slot, io);
                    if is_sync {
                        return Pause::Completion;
                    }
                }
                _ => {
                    self.held = Some(io);
                    return Pause::Completion;
                }
            }
        }
    }

    fn submit(&mut self, now_ns: u64, slot: usize, io: Io) {
        let op = match io.kind {
            IoKind::Read => Op::Read,
            IoKind::Write => Op::Write,
            IoKind::Trim => Op::Discard,
            IoKind::Fsync | IoKind::Fdatasync => Op::Flush,
        };
        if let Some((target, region)) = self.afresh
            && io.kind == IoKind::Read
            && io.offset_bytes == region.start_bytes
        {
            target.forget(region.start_bytes, region.length_bytes);
        }
        let request =
            disk_io::Io { op, offset_bytes: io.offset_bytes, length_bytes: io.length_bytes };
        match self.engine.submit(slot as u32, request) {
            Ok(()) => {
                let Io { ticket, kind, .. } = io;
                self.slots[slot] = Some(Slot { ticket, kind, created_ns: now_ns });
            }
            Err(error) => {
                self.fail(&error);
                self.issuer.completed(now_ns, io.ticket);
            }
        }
    }

    /// Takes what has ended.
    fn collect(&mut self, now_ns: u64) {
        let is_in_ramp = self.issuer.measure_from_ns().is_some_and(|from_ns| now_ns < from_ns);
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            let Some(slot) = self.slots[completion.tag as usize].take() else { continue };
            self.issuer.completed(now_ns, slot.ticket);
            self.completed_ios += 1;
            self.board.completed(self.clone, self.completed_ios);
            match (completion.result, slot.kind) {
                (Err(error), _) => self.fail(&error),
                (Ok(()), IoKind::Read | IoKind::Write | IoKind::Trim) => {
                    self.latencies.count(now_ns - slot.created_ns);
                    self.report.ios += 1;
                    self.report.bytes += u64::from(completion.io.length_bytes);
                    if is_in_ramp {
                        self.report.in_ramp.ios += 1;
                        self.report.in_ramp.bytes += u64::from(completion.io.length_bytes);
                    }
                }
                (Ok(()), IoKind::Fsync | IoKind::Fdatasync) => {
                    self.syncs.count(now_ns - slot.created_ns);
                }
            }
        }
        self.completions = completions;
    }

    /// Waits for another process of the job, and for I/O of its own meanwhile.
    fn follow(&mut self, other: u32, ios: u64) -> Result<(), EngineError> {
        let come = || self.board.has_come_to(other, ios);
        if !come() {
            match self.engine.in_flight() {
                0 => self.board.wait_unless(come, PATIENCE),
                _ => self.engine.wait(FOLLOWING_PATIENCE, &mut self.completions)?,
            }
        }
        if self.board.has_come_to(other, ios) {
            self.issuer.release();
        }
        Ok(())
    }

    fn fail(&mut self, error: &dyn std::error::Error) {
        self.report.error.get_or_insert_with(|| error.to_string());
        self.stop();
    }

    /// No more I/O; what is in flight still counts.
    fn stop(&mut self) {
        self.issuer.stop();
        if let Some(io) = self.held.take() {
            self.issuer.completed(0, io.ticket);
        }
    }
}
