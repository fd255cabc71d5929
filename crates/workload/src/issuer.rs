// SPDX-License-Identifier: MIT OR Apache-2.0
//! One process of a job: which I/O it issues, and when.
//!
//! An [`Issuer`] is a state machine without clock or I/O. The host polls it; each poll says what
//! the process does at this instant:
//!
//! * [`IssuerStep::Submit`]: it issues this I/O. Poll again at the same instant.
//! * [`IssuerStep::Sleep`]: it issues nothing until then. Poll again then, or after a completion,
//!   whichever is first.
//! * [`IssuerStep::Wait`]: it waits for a completion. Poll again after [`Issuer::completed`].
//! * [`IssuerStep::Follow`]: it waits for another process of its job. Call [`Issuer::release`] when
//!   that one has come so far, or has ended, and poll again.
//! * [`IssuerStep::Done`]: it has ended.
//!
//! The first poll starts the process, so it is made when the process's phase begins. Times are
//! nanoseconds since the start of the run and never go back.

mod depth;
mod files;
mod generator;
mod likely;
mod limits;
mod next;
mod overlaps;
mod pace;
mod places;
mod read_back;
mod replay;
mod sizes;
mod syncs;
mod think;
mod zones;

#[cfg(test)]
mod option_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod replay_tests;
#[cfg(test)]
mod tests;

use crate::io::{Io, IoKind, Ticket};
use crate::job::{Direction, Job};
use crate::layout::Region;
use crate::random::{Stream, process_seed};

use depth::{Depth, Finding};
use generator::Generator;
use limits::Limits;
use overlaps::Overlaps;
use pace::Pace;
use read_back::ReadBack;
use replay::Replay;
use syncs::Syncs;
use think::{Thinker, Thought};

/// What a process does at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuerStep {
    /// It issues this I/O.
    Submit(Io),
    /// It issues nothing until then, unless a completion changes that.
    Sleep {
        /// When to poll again, ns; later than the instant of the poll.
        until_ns: u64,
    },
    /// It waits for a completion.
    Wait,
    /// It waits for another process that replays the same trace.
    Follow {
        /// The clone of the same job.
        clone: u32,
        /// How many I/Os that one has to have completed.
        completed_ios: u64,
    },
    /// It has ended; nothing of it is in flight.
    Done,
}

/// When things happen to a process; known from its first poll on. All ns.
#[derive(Clone, Copy, Debug)]
struct Times {
    start_ns: u64,
    measure_from_ns: u64,
    deadline_ns: u64,
}

/// One process of a job.
#[derive(Debug)]
pub struct Issuer {
    /// Where the files of a trace begin.
    start_bytes: u64,
    settings: Settings,
    /// Whether it does anything besides one read or write after another, as [`has_extras`] says, or
    /// was ever held back. A process without them is not asked for them at each I/O.
    has_extras: bool,
    times: Option<Times>,
    in_ramp: bool,
    work: Work,
    limits: Limits,
    pace: Pace,
    thinker: Thinker,
    syncs: Syncs,
    /// What it reads at its end; none: nothing.
    read_back: Option<ReadBack>,
    /// What waits for I/Os at the same place; none: nothing does.
    overlaps: Option<Overlaps>,
    /// The trim that must complete before anything else is issued.
    trim: Option<Ticket>,
    depth: Depth,
    next_ticket: Ticket,
    in_flight: u32,
    stopped: bool,
    failure: Option<Failure>,
    /// All its work is issued.
    finished: bool,
    /// It was ended before that.
    was_cut_off: bool,
    /// It waits because as much is in flight as may be, or something that the next I/O overlaps.
    is_full: bool,
    /// What was measured so far does not count.
    restarts: bool,
    /// It is ahead in its flow (ns to sleep then).
    held_back: Option<u64>,
}

/// Why a process ends early by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its trace could not be read any more: an I/O error.
    Trace,
    /// An I/O took longer than `latency_target`, at a queue depth of 1.
    LatencyTarget,
}

/// What of the job is asked for at each I/O.
#[derive(Debug)]
struct Settings {
    start_delay_ns: u64,
    ramp_time_ns: u64,
    runtime_ns: Option<u64>,
}

/// Whether processes of that job do more than one read or write after another.
fn has_extras(job: &Job) -> bool {
    let syncs = job.fsync_every_writes.is_some() || job.fdatasync_every_writes.is_some();
    job.trace.is_some()
        || job.rw.trims()
        || syncs
        || job.end_fsync
        || job.think_time.pause_ns > 0
        || Direction::ALL.iter().any(|&direction| job.rate[direction].is_some())
        || job.latency_target.is_some()
        || job.verify.is_some()
        || job.serialize_overlap
}

/// Where the I/O comes from.
#[derive(Debug)]
enum Work {
    Generated(Generator),
    Replayed(Replay),
}

impl Issuer {
    /// The process that is clone number `clone` of `job`, working in `region`; for a job whose
    /// processes have one file each.
    ///
    /// Its random numbers depend on `seed` (or the job's `randseed`), the job's index and `clone`
    /// alone: see [`process_seed`].
    pub fn new(job: &Job, clone: u32, region: Region, seed: u64) -> Issuer {
        Issuer::on_files(job, clone, &[region], seed)
    }

    /// The same, working in these regions of several files; there is at least one.
    pub fn on_files(job: &Job, clone: u32, regions: &[Region], seed: u64) -> Issuer {
        let seed = process_seed(job.rand_seed.unwrap_or(seed), job.index, clone);
        let (work, limits) = match &job.trace {
            Some(trace) => (Work::Replayed(Replay::new(job, trace, clone)), Limits::of_trace(job)),
            None => {
                let length_bytes = regions.iter().map(|region| region.length_bytes).sum();
                (
                    Work::Generated(Generator::new(job, regions, seed)),
                    Limits::new(job, length_bytes),
                )
            }
        };
        let (least_ns, most_ns) = job.start_delay_ns;
        let spread_ns = most_ns.saturating_sub(least_ns).saturating_add(1);
        let drawn_ns = Stream::StartDelay.of_process(seed).below(spread_ns);
        Issuer {
            start_bytes: regions.first().map_or(0, |region| region.start_bytes),
            settings: Settings {
                start_delay_ns: least_ns.saturating_add(drawn_ns),
                ramp_time_ns: job.ramp_time_ns,
                runtime_ns: job.runtime_ns,
            },
            has_extras: has_extras(job),
            times: None,
            in_ramp: job.ramp_time_ns > 0,
            work,
            limits,
            pace: Pace::new(job, seed),
            thinker: Thinker::new(job.think_time),
            syncs: Syncs::new(job),
            read_back: ReadBack::new(job),
            overlaps: Overlaps::new(job),
            trim: None,
            depth: Depth::new(job),
            next_ticket: Ticket(0),
            in_flight: 0,
            stopped: false,
            failure: None,
            finished: false,
            was_cut_off: false,
            is_full: false,
            restarts: false,
            held_back: None,
        }
    }

    /// What the process does now.
    pub fn poll(&mut self, now_ns: u64) -> IssuerStep {
        let times = match self.times {
            Some(times) => times,
            None => self.start(now_ns),
        };
        self.is_full = false;
        if self.has_extras && self.reads_back() && !self.stopped {
            return self.read_next_back();
        }
        if self.stopped || now_ns >= times.deadline_ns {
            return self.cut_off();
        }
        if now_ns < times.start_ns {
            return IssuerStep::Sleep { until_ns: times.start_ns };
        }
        if self.in_ramp && now_ns >= times.measure_from_ns {
            self.in_ramp = false;
            self.limits.ramp_is_over();
            self.depth.start(now_ns);
        }
        if self.has_extras
            && let Some(step) = self.pause(now_ns, times.deadline_ns)
        {
            return step;
        }
        if self.finished || self.work_is_over() {
            return self.end();
        }
        if self.has_extras
            && let Some(step) = self.held_up(now_ns, times.deadline_ns)
        {
            return step;
        }
        if self.in_flight >= self.depth.limit() {
            self.is_full = true;
            return IssuerStep::Wait;
        }
        self.go_on(now_ns, times.deadline_ns)
    }

    /// An I/O has completed.
    #[inline]
    pub fn completed(&mut self, now_ns: u64, ticket: Ticket) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.has_extras {
            self.note_completion(now_ns, ticket);
        }
    }

    fn note_completion(&mut self, now_ns: u64, ticket: Ticket) {
        self.trim = self.trim.filter(|trim| *trim != ticket);
        if let Some(overlaps) = &mut self.overlaps {
            overlaps.completed(ticket);
        }
        if let Work::Replayed(replay) = &mut self.work {
            replay.completed(ticket);
        }
        if self.syncs.in_flight == Some(ticket) {
            self.syncs.in_flight = None;
        } else {
            self.thinker.completed(now_ns);
            self.depth.completed(now_ns, ticket);
        }
    }

    /// The process that this one follows ([`IssuerStep::Follow`]) has come so far, or has ended.
    pub fn release(&mut self) {
        if let Work::Replayed(replay) = &mut self.work {
            replay.release();
        }
    }

    /// Ends the process, because of an interrupt or an I/O error: it issues nothing more, and is
    /// done once nothing of it is in flight.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Why it has ended early by itself, if it has.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Whether it has not issued all the work that its job gives it: it goes on, or its runtime, an
    /// interrupt or an error ended it before. Work that only a runtime ends is never left.
    pub fn has_work_left(&self) -> bool {
        !self.limits.are_endless() && (self.was_cut_off || !self.finished)
    }

    /// Whether it waits for a part of what is in flight, as that is as much as may be or overlaps
    /// the next I/O, rather than for all of it; known from the last poll.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// I/Os that it may have in flight now: `iodepth`, or what the search for the depth of its
    /// `latency_target` has come to.
    pub fn depth(&self) -> u32 {
        self.depth.limit()
    }

    /// Whether what was measured before the last poll does not count any more, because the depth
    /// of its `latency_target` is found; told once.
    pub fn takes_restart(&mut self) -> bool {
        std::mem::take(&mut self.restarts)
    }

    /// Holds it back because it is ahead in its flow, for a sleep of this length, ns (0: until
    /// it is let go); none: lets it go.
    pub fn hold_back(&mut self, sleep_ns: Option<u64>) {
        self.held_back = sleep_ns;
        self.has_extras |= sleep_ns.is_some();
    }

    /// When the process starts, after its start delay, ns; none before the first poll.
    pub fn started_ns(&self) -> Option<u64> {
        self.times.map(|times| times.start_ns)
    }

    /// When its ramp time ends, ns; none before the first poll. What completes earlier is not part
    /// of the results.
    pub fn measure_from_ns(&self) -> Option<u64> {
        self.times.map(|times| times.measure_from_ns)
    }

    /// How often the region has been gone through. What is issued next belongs to the pass of that
    /// number, from 0. Reading back is a pass of its own.
    pub fn pass(&self) -> u64 {
        match &self.work {
            Work::Generated(generator) => generator.pass() + u64::from(self.reads_back()),
            Work::Replayed(_) => 0,
        }
    }

    /// Whether it reads back what it wrote, because all of it is written (`verify`, `do_verify`).
    pub fn reads_back(&self) -> bool {
        self.read_back.as_ref().is_some_and(ReadBack::is_under_way)
    }

    /// I/Os issued and not yet completed.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    fn start(&mut self, now_ns: u64) -> Times {
        // As under fio, the delay counts from the start of the run, not of the phase.
        let start_ns = now_ns.max(self.settings.start_delay_ns);
        let measure_from_ns = start_ns.saturating_add(self.settings.ramp_time_ns);
        let runtime_ns = self.settings.runtime_ns.unwrap_or(u64::MAX);
        let deadline_ns = measure_from_ns.saturating_add(runtime_ns);
        let times = Times { start_ns, measure_from_ns, deadline_ns };
        self.times = Some(times);
        self.pace.start(start_ns);
        self.depth.start(start_ns);
        self.thinker.start(start_ns);
        if let Work::Replayed(replay) = &mut self.work {
            replay.start(start_ns);
        }
        times
    }

    fn fail(&mut self, failure: Failure) -> IssuerStep {
        self.failure = Some(failure);
        self.stop();
        self.end()
    }

    /// What the process does instead of going on: it waits for a sync or a trim, or it thinks.
    fn pause(&mut self, now_ns: u64, deadline_ns: u64) -> Option<IssuerStep> {
        if self.syncs.in_flight.is_some() || self.trim.is_some() {
            return Some(IssuerStep::Wait);
        }
        match self.thinker.think(now_ns, self.in_flight) {
            Thought::GoOn => None,
            Thought::Paused => {
                self.pace.thought(now_ns);
                None
            }
            Thought::Drain => Some(IssuerStep::Wait),
            Thought::PauseUntil(until_ns) => {
                Some(IssuerStep::Sleep { until_ns: until_ns.min(deadline_ns) })
            }
        }
    }

    /// What the process does although it has work left: it syncs between two passes, looks for its
    /// queue depth, or is ahead in its flow.
    fn held_up(&mut self, now_ns: u64, deadline_ns: u64) -> Option<IssuerStep> {
        self.sync_between_passes().or_else(|| self.look_at_latency(now_ns)).or_else(|| {
            let sleep_ns = self.held_back?;
            Some(self.held_back_by_flow(now_ns, sleep_ns, deadline_ns))
        })
    }

    /// What the search for a queue depth has the process do, if not go on.
    fn look_at_latency(&mut self, now_ns: u64) -> Option<IssuerStep> {
        if self.in_ramp {
            return None;
        }
        match self.depth.look(now_ns, self.in_flight) {
            Finding::GoOn => None,
            Finding::Drain => Some(IssuerStep::Wait),
            Finding::Restart => {
                self.restarts = true;
                None
            }
            Finding::Found => Some(self.end()),
            Finding::Missed => Some(self.fail(Failure::LatencyTarget)),
        }
    }

    /// As under fio, a process that sleeps has nothing in flight.
    fn held_back_by_flow(&self, now_ns: u64, sleep_ns: u64, deadline_ns: u64) -> IssuerStep {
        match (sleep_ns, self.in_flight) {
            (0, _) => IssuerStep::Sleep { until_ns: deadline_ns },
            (_, 0) => {
                IssuerStep::Sleep { until_ns: now_ns.saturating_add(sleep_ns).min(deadline_ns) }
            }
            _ => IssuerStep::Wait,
        }
    }

    /// Its time is over, or it was stopped.
    #[cold]
    fn cut_off(&mut self) -> IssuerStep {
        if !self.finished {
            self.was_cut_off = !self.work_is_over();
        }
        self.end()
    }

    /// Nothing more is to be issued, but for a last sync.
    fn end(&mut self) -> IssuerStep {
        self.finished = true;
        if self.in_flight > 0 {
            return IssuerStep::Wait;
        }
        if !self.stopped && self.syncs.take_last() {
            return self.sync(IoKind::Fsync);
        }
        if !self.stopped && self.read_back.as_mut().is_some_and(ReadBack::begin) {
            // As under fio: what is read shall come from the device.
            return self.sync(IoKind::Fsync);
        }
        IssuerStep::Done
    }

    /// The next of the reads at its end.
    fn read_next_back(&mut self) -> IssuerStep {
        if self.syncs.in_flight.is_some() {
            return IssuerStep::Wait;
        }
        if self.in_flight >= self.depth.limit() {
            self.is_full = true;
            return IssuerStep::Wait;
        }
        match self.read_back.as_mut().and_then(ReadBack::next) {
            Some((offset_bytes, length_bytes)) => {
                IssuerStep::Submit(Io::new(self.ticket(), IoKind::Read, offset_bytes, length_bytes))
            }
            None if self.in_flight > 0 => IssuerStep::Wait,
            None => IssuerStep::Done,
        }
    }
}
