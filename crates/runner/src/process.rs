// SPDX-License-Identifier: MIT OR Apache-2.0
//! One process of a job: its issuer, what it has under way, and its recorder.

use crate::buffered::Buffered;
use crate::ended_io::EndedIo;
use crate::flows::{Flows, Member};
use crate::reaping::{Awaited, Reaping};
use crate::token::token;
use base::{Op, SECTOR_BYTES};
use blk::{Bio, BlockLayer, Done, IoError, ProcessId, Submission};
use report::{Direction, Recorder, Sample};
use workload::cache::PageCache;
use workload::{Failure, Io, IoKind, Issuer, IssuerStep, Job, Verify};

/// When a process goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// At that time, or when one of its I/Os has ended.
    At(u64),
    /// When one of its I/Os has ended, or when the layer has a request for it.
    Event,
    /// When a clone of the same job has completed that number of I/Os, or has ended.
    Follow(Follow),
    /// Never: the process has ended.
    Ended,
}

/// What a process waits for that follows another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Follow {
    /// The process that is followed.
    pub(crate) process: u32,
    /// How many I/Os it has to have completed.
    pub(crate) completed_ios: u64,
}

#[derive(Debug)]
pub(crate) struct JobProcess {
    pub(crate) number: u32,
    /// Which of the processes of its job.
    clone: u32,
    pub(crate) id: ProcessId,
    pub(crate) job: usize,
    pub(crate) issuer: Issuer,
    pub(crate) recorder: Recorder,
    pub(crate) depth: u32,
    pub(crate) in_flight: u32,
    /// Polled, and not yet begun: the first I/O of a pass through the page cache, before which the
    /// process drops its file. It is rare: boxed, it takes one word here.
    pub(crate) held: Option<Box<Io>>,
    /// I/Os in one call of submission at most.
    call_most: u32,
    /// What it has not reaped; none: it reaps each I/O when it ends.
    reaping: Option<Reaping>,
    /// It slept in a submission and has not filled its queue since: it submits before it reaps.
    catches_up: bool,
    /// Its place in its flow, if it is part of one.
    pub(crate) member: Option<Member>,
    /// How its contents are checked; none: not at all.
    pub(crate) verify: Option<Verify>,
    /// It checks all that it reads, as it writes nothing.
    only_reads: bool,
    /// What it does through the page cache; none: its I/O is direct.
    pub(crate) buffered: Option<Buffered>,
    /// The layer keeps its last bio until there is a request for it.
    pub(crate) asleep: bool,
    /// Listed among those that go on in this instant.
    pub(crate) due: bool,
    started: bool,
    /// It sleeps until after the last instant that there is.
    pub(crate) never_wakes: bool,
    /// It is told of by itself: what it waits for another process before its first I/O is not its.
    is_apart: bool,
    ended: bool,
    /// I/Os that ended since it last went on.
    reaped: u32,
    /// I/Os that ended since it began.
    completed_ios: u64,
}

impl JobProcess {
    /// A process that has not begun. `number` is its place among all.
    pub(crate) fn new(
        number: u32,
        id: ProcessId,
        (place, clone): (usize, u32),
        job: &Job,
        issuer: Issuer,
        recorder: Recorder,
    ) -> Self {
        let depth = job.queue_depth().max(1);
        let reaps = job.batches.reap.filter(|_| !job.buffered);
        Self {
            number,
            clone,
            id,
            job: place,
            issuer,
            recorder,
            depth,
            in_flight: 0,
            held: None,
            call_most: job.batches.submit.unwrap_or(u32::MAX).max(1),
            reaping: reaps.map(Reaping::new),
            catches_up: false,
            member: job.flow.map(Member::new),
            verify: job.verify,
            only_reads: job.rw.reads() && !job.rw.writes(),
            buffered: None,
            asleep: false,
            due: false,
            started: false,
            never_wakes: false,
            is_apart: !job.process_names.is_empty(),
            ended: false,
            reaped: 0,
            completed_ios: 0,
        }
    }

    /// Submits what is to be submitted now.
    pub(crate) fn go_on(
        &mut self,
        now_ns: u64,
        layer: &mut BlockLayer,
        cache: Option<&mut PageCache>,
        flows: &mut Flows,
    ) -> Next {
        if self.ended {
            return Next::Ended;
        }
        if self.reaped > 0 {
            self.recorder.reaped(now_ns, std::mem::take(&mut self.reaped));
        }
        if self.asleep && layer.look(now_ns, self.id) {
            self.asleep = false;
        }
        if self.asleep {
            return Next::Event;
        }
        let next = match cache {
            Some(cache) if self.buffered.is_some() => {
                self.go_on_buffered(now_ns, layer, cache, flows)
            }
            _ => self.go_on_directly(now_ns, layer, flows),
        };
        if next == Next::Ended {
            self.end(now_ns);
        }
        next
    }

    /// Reaps and submits as long as that goes on at this instant.
    fn go_on_directly(&mut self, now_ns: u64, layer: &mut BlockLayer, flows: &mut Flows) -> Next {
        loop {
            if !self.reap(now_ns) {
                return Next::Event;
            }
            let Some(next) = self.submit_call(now_ns, layer, flows) else { continue };
            if !self.asleep && std::mem::take(&mut self.catches_up) {
                continue;
            }
            let Some(reaping) = &mut self.reaping else { return next };
            let is_full = self.in_flight >= self.depth || self.issuer.is_full();
            let waits = next == Next::Event && !self.asleep;
            reaping.waits(if waits && is_full { Awaited::Room } else { Awaited::Any });
            // No event will tell it of those that have ended already.
            if self.asleep || !reaping.has_next(self.in_flight) {
                return next;
            }
        }
    }

    /// Learns of the I/Os that have ended, as its options say. False if it waits for more of them
    /// before it submits again.
    #[inline]
    fn reap(&mut self, now_ns: u64) -> bool {
        if self.catches_up && self.in_flight < self.depth {
            return true;
        }
        self.catches_up = false;
        self.reaping.is_none() || self.reap_calls(now_ns)
    }

    /// The calls that it makes to reap. False if it waits for more I/Os to end.
    #[inline(never)]
    fn reap_calls(&mut self, now_ns: u64) -> bool {
        let Some(mut reaping) = self.reaping.take() else { return true };
        loop {
            let taken = reaping.call(self.in_flight);
            for io in (0..taken).map_while(|_| reaping.take()).collect::<Vec<_>>() {
                self.io_ended(now_ns, io);
            }
            if taken > 0 {
                self.recorder.reaped(now_ns, taken);
            }
            if taken == 0 || !reaping.is_emptying() {
                break;
            }
        }
        let goes_on = !reaping.is_emptying();
        self.reaping = Some(reaping);
        goes_on
    }

    /// One call of submission, whose I/Os go through a plug. None: the call is full, and the
    /// next one follows.
    #[inline]
    fn submit_call(
        &mut self,
        now_ns: u64,
        layer: &mut BlockLayer,
        flows: &mut Flows,
    ) -> Option<Next> {
        let room = self.depth - self.in_flight.min(self.depth);
        let plugged = room.min(self.call_most) > 1;
        if plugged {
            layer.plug(self.id);
        }
        let before = self.in_flight;
        let next = self.submit_all(now_ns, layer, flows);
        if plugged {
            layer.unplug(now_ns, self.id);
        }
        if self.in_flight > before {
            let ios = self.in_flight - before;
            match self.call_most {
                u32::MAX => self.recorder.submitted(now_ns, ios, self.in_flight),
                _ => self.recorder.submitted_batch(now_ns, ios, self.in_flight),
            }
        }
        next
    }

    #[inline(always)]
    fn submit_all(
        &mut self,
        now_ns: u64,
        layer: &mut BlockLayer,
        flows: &mut Flows,
    ) -> Option<Next> {
        let mut left = self.call_most;
        loop {
            let io = match self.poll(now_ns, flows) {
                IssuerStep::Submit(io) => {
                    self.count_in_flow(&io, flows);
                    io
                }
                IssuerStep::Sleep { until_ns: u64::MAX } => return Some(Next::Event),
                IssuerStep::Sleep { until_ns } => return Some(Next::At(until_ns)),
                IssuerStep::Wait => return Some(Next::Event),
                IssuerStep::Follow { clone, completed_ios } => {
                    return Some(Next::Follow(self.follow(clone, completed_ios)));
                }
                IssuerStep::Done => return Some(Next::Ended),
            };
            if self.submit(now_ns, io, layer) == Submission::Sleeping {
                self.asleep = true;
                self.catches_up = self.reaping.is_some();
                return Some(Next::Event);
            }
            if self.in_flight >= self.depth || is_flush(io.kind) {
                return Some(Next::Event);
            }
            left -= 1;
            if left == 0 {
                return None;
            }
        }
    }

    /// That another process of its job has to complete that number of I/Os.
    pub(crate) fn follow(&self, clone: u32, completed_ios: u64) -> Follow {
        Follow { process: self.number - self.clone + clone, completed_ios }
    }

    #[inline(always)]
    pub(crate) fn poll(&mut self, now_ns: u64, flows: &mut Flows) -> IssuerStep {
        let mut is_held_back = false;
        if let Some(member) = &mut self.member
            && self.issuer.started_ns().is_some_and(|started_ns| started_ns <= now_ns)
        {
            let sleep_ns = flows.ahead(member, self.number);
            // A flow without `flow_sleep` holds it back until others are as far.
            is_held_back = sleep_ns == Some(0);
            self.issuer.hold_back(sleep_ns);
        }
        let step = self.issuer.poll(now_ns);
        self.never_wakes = step == IssuerStep::Sleep { until_ns: u64::MAX } && !is_held_back;
        if self.issuer.takes_restart() {
            self.recorder.restart(now_ns);
        }
        if !self.started && (!self.is_apart || matches!(step, IssuerStep::Submit(_))) {
            self.started = true;
            let started_ns = self.issuer.started_ns().filter(|_| !self.is_apart);
            let counts_from_ns = self.issuer.measure_from_ns().filter(|_| !self.is_apart);
            let [started_ns, counts_from_ns] =
                [started_ns, counts_from_ns].map(|at_ns| at_ns.unwrap_or(now_ns));
            self.recorder.start_with_ramp(started_ns, counts_from_ns);
        }
        step
    }

    /// Counts an I/O that its issuer has it do in its flow.
    #[inline(always)]
    pub(crate) fn count_in_flow(&mut self, io: &Io, flows: &mut Flows) {
        if let Some(member) = self.member.as_mut().filter(|_| !is_flush(io.kind)) {
            flows.issued(member);
        }
    }

    /// It has nothing more to do.
    fn end(&mut self, now_ns: u64) {
        self.ended = true;
        self.recorder.set_depth(self.issuer.depth());
        match self.issuer.failure() {
            Some(Failure::Trace) => self.recorder.fail(IoError::Io.errno()),
            Some(Failure::LatencyTarget) => self.recorder.fail(IoError::TimedOut.errno()),
            None => {}
        }
        self.recorder.finish(now_ns);
    }

    #[inline(always)]
    fn submit(&mut self, now_ns: u64, io: Io, layer: &mut BlockLayer) -> Submission {
        self.in_flight += 1;
        let bio = Bio {
            token: token(self.number, io.ticket.0),
            op: match io.kind {
                IoKind::Read => Op::Read,
                IoKind::Write => Op::Write,
                IoKind::Trim => Op::Discard,
                IoKind::Fsync | IoKind::Fdatasync => Op::Flush,
            },
            sync: io.sync,
            metadata: io.metadata,
            read_ahead: io.read_ahead,
            sector: io.offset_bytes / SECTOR_BYTES,
            sectors: (u64::from(io.length_bytes) / SECTOR_BYTES) as u32,
            process: Some(self.id),
        };
        layer.submit(now_ns, bio)
    }

    /// Whether what it reads now is checked.
    pub(crate) fn checks_reads(&self) -> bool {
        self.verify.is_some() && (self.only_reads || self.issuer.reads_back())
    }

    /// One of its bios has ended.
    #[inline]
    pub(crate) fn bio_ended(&mut self, now_ns: u64, done: &Done) {
        let io = EndedIo::of_bio(done);
        match &mut self.reaping {
            Some(reaping) => reaping.push(io),
            None => {
                self.reaped += 1;
                self.io_ended(now_ns, io);
            }
        }
    }

    /// It learns that one of its I/Os has ended. An error stops the process, as in fio.
    #[inline(always)]
    pub(crate) fn io_ended(&mut self, now_ns: u64, io: EndedIo) {
        let EndedIo { ticket, kind, result, sample } = io;
        self.in_flight -= 1;
        self.completed_ios += 1;
        self.issuer.completed(now_ns, ticket);
        let direction = match (result, kind) {
            (Err(errno), _) => {
                self.recorder.fail(errno);
                self.stop(now_ns);
                return;
            }
            (Ok(()), IoKind::Fsync | IoKind::Fdatasync) => {
                self.recorder.synced(now_ns, sample.created_ns);
                return;
            }
            (Ok(()), IoKind::Read) => Direction::Read,
            (Ok(()), IoKind::Write) => Direction::Write,
            (Ok(()), IoKind::Trim) => Direction::Trim,
        };
        self.recorder.completed(now_ns, &Sample { direction, ..sample });
    }

    /// It begins no more I/O; what is in flight still counts.
    pub(crate) fn stop(&mut self, now_ns: u64) {
        self.issuer.stop();
        if let Some(io) = self.held.take() {
            self.issuer.completed(now_ns, io.ticket);
        }
    }

    /// Whether one that follows it can go on.
    pub(crate) fn has_come_to(&self, completed_ios: u64) -> bool {
        self.ended || self.completed_ios >= completed_ios
    }

    /// It goes on in this instant. Returns whether that is new.
    #[inline]
    pub(crate) fn becomes_due(&mut self) -> bool {
        !std::mem::replace(&mut self.due, true)
    }

    /// The process that it follows has come so far.
    pub(crate) fn release(&mut self) {
        self.issuer.release();
    }

    /// Whether it has nothing more to do.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }
}

pub(crate) fn is_flush(kind: IoKind) -> bool {
    matches!(kind, IoKind::Fsync | IoKind::Fdatasync)
}
