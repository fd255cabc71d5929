// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop between processes under a scheduler and a real target: a clock, a host, an engine.
//!
//! At each instant the [`DriveHost`] is told what has ended, its processes and the scheduler go on,
//! and what the scheduler dispatches is handed to the engine; then the loop sleeps until the next
//! completion or the next time something is due, whichever comes first.

use crate::engine::{Completion, Engine, EngineError, Io, SubmitError};
use crate::failures::{Failure, Failures};
use crate::throttle::Throttle;
use base::{Op, SECTOR_BYTES};
use blk::{Command, Tag};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The longest time between two questions to the watcher, whatever happens.
const TICK_NS: u64 = 100_000_000;

/// What a process is told whose request the engine did not take: "Invalid argument".
const INVALID: blk::IoError = blk::IoError::Os(22);

/// Timers of this thread may be late by this much, so that the kernel can bundle them.
const TIMER_SLACK_NS: NonZeroU64 = NonZeroU64::new(1_000).unwrap();

/// Who decides what is done when: the processes and their scheduler. It has no clock and does no
/// I/O. At each instant: first `complete`, then `advance`, then `next_command` until `None`.
pub trait DriveHost {
    /// A command has ended.
    fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), blk::IoError>);
    /// Whatever is due by now happens.
    fn advance(&mut self, now_ns: u64);
    /// The next command for the target, if it is to have one more.
    fn next_command(&mut self, now_ns: u64) -> Option<Command>;
    /// When something is due without a completion.
    fn next_wake_ns(&self) -> Option<u64>;
    /// Nothing is left to do, and nothing is in flight.
    fn finished(&self) -> bool;
    /// No new I/O from here on.
    fn interrupt(&mut self, now_ns: u64);
    /// Whether it matters to the host what is written and read; asked once. The three methods
    /// below are called only if it does.
    fn minds_contents(&self) -> bool {
        false
    }
    /// A command goes to the target; whether `fill` is to be asked for its data.
    fn begins(&mut self, _tag: Tag) -> bool {
        false
    }
    /// Changes the data of a write, which are those of the pattern.
    fn fill(&mut self, _tag: Tag, _data: &mut [u8]) {}
    /// A command has ended on the target, with these data (if it failed: with none); `complete`
    /// follows, perhaps later.
    fn ended(&mut self, _tag: Tag, _data: Option<&[u8]>) {}
}

/// An observer, which can end the run early.
pub trait Watch {
    /// The run has reached `now_ns` nanoseconds. `Break`: no new I/O, wait for what is in flight,
    /// end. Asked ten times a second, or more often.
    fn tick(&mut self, now_ns: u64) -> ControlFlow<()>;
}

impl<F: FnMut(u64) -> ControlFlow<()>> Watch for F {
    fn tick(&mut self, now_ns: u64) -> ControlFlow<()> {
        self(now_ns)
    }
}

/// What the target was given to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Reads that ended well.
    pub reads: u64,
    /// Bytes that they read.
    pub read_bytes: u64,
    /// Writes that ended well.
    pub writes: u64,
    /// Bytes that they wrote.
    pub written_bytes: u64,
    /// Discards that ended well.
    pub discards: u64,
    /// Flushes that ended well.
    pub flushes: u64,
    /// The most requests that were in flight at a time.
    pub in_flight_max: u64,
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The engine failed as a whole, not a request of it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The host has work left, but waits for nothing that could come.
    #[error("stuck after {now_ns} ns: requests are left, and nothing is in flight or due")]
    Stuck {
        /// How long the run had taken until then, ns.
        now_ns: u64,
    },
}

/// How a run went, apart from its results, which the host has.
#[derive(Debug)]
pub struct Driven {
    /// How long it took, in nanoseconds.
    pub elapsed_ns: u64,
    /// It was ended early.
    pub interrupted: bool,
    /// What failed: each kind of failure once.
    pub failures: Vec<Failure>,
    /// What the target did.
    pub traffic: Traffic,
}

/// Lets the host work on the engine's target until it is finished, or the watcher ends it. With a
/// rate, as if the target could move no more bytes per second than that.
///
/// # Errors
/// The engine or the host cannot go on. Failed requests are no errors of the loop: the host is
/// told, and they are in the result.
pub fn drive(
    host: &mut dyn DriveHost,
    engine: &mut Engine,
    rate_bytes_per_s: Option<NonZeroU64>,
    watch: &mut dyn Watch,
) -> Result<Driven, DriveError> {
    // Best effort: without it, sleeps end some 50 µs late.
    let _ = rustix::thread::set_current_timer_slack(Some(TIMER_SLACK_NS));
    let drive = Drive {
        minds_contents: host.minds_contents(),
        host,
        engine,
        throttle: rate_bytes_per_s.map(Throttle::new),
        releases_ns: Vec::new(),
        completions: Vec::new(),
        refused: Vec::new(),
        failures: Failures::default(),
        traffic: Traffic::default(),
    };
    drive.run(watch)
}

struct Drive<'a> {
    minds_contents: bool,
    host: &'a mut dyn DriveHost,
    engine: &'a mut Engine,
    throttle: Option<Throttle<Completion>>,
    /// When a request may end on the slower disk, by its tag.
    releases_ns: Vec<u64>,
    completions: Vec<Completion>,
    /// What the engine did not take.
    refused: Vec<Tag>,
    failures: Failures,
    traffic: Traffic,
}

impl Drive<'_> {
    fn run(mut self, watch: &mut dyn Watch) -> Result<Driven, DriveError> {
        let start = Instant::now();
        let mut interrupted = false;
        let mut now_ns = 0;
        loop {
            self.host.advance(now_ns);
            self.dispatch(now_ns);
            if self.host.finished() {
                break;
            }
            if self.nothing_can_come() {
                return Err(DriveError::Stuck { now_ns });
            }
            self.engine.wait(self.patience(now_ns), &mut self.completions)?;
            now_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.collect(now_ns);
            if watch.tick(now_ns).is_break() && !interrupted {
                interrupted = true;
                self.host.interrupt(now_ns);
            }
        }
        let failures = self.failures.into_list();
        Ok(Driven { elapsed_ns: now_ns, interrupted, failures, traffic: self.traffic })
    }

    /// Hands over what the scheduler dispatches.
    fn dispatch(&mut self, now_ns: u64) {
        while let Some(command) = self.host.next_command(now_ns) {
            let io = Io {
                op: command.op,
                offset_bytes: command.sector * SECTOR_BYTES,
                // What is longer is no whole blocks then, and is refused.
                length_bytes: u32::try_from(u64::from(command.sectors) * SECTOR_BYTES)
                    .unwrap_or(u32::MAX),
            };
            if let Err(error) = self.submit(command.tag, io) {
                self.failures.refused(io, error);
                self.refused.push(command.tag);
                continue;
            }
            self.throttle_from(now_ns, command.tag, io);
        }
        let held = self.throttle.as_ref().map_or(0, Throttle::held);
        let in_flight = (self.engine.in_flight() + held) as u64;
        self.traffic.in_flight_max = self.traffic.in_flight_max.max(in_flight);
    }

    fn submit(&mut self, tag: Tag, io: Io) -> Result<(), SubmitError> {
        if self.minds_contents && self.host.begins(tag) {
            let host = &mut *self.host;
            return self.engine.submit_filled(tag.0, io, |data| host.fill(tag, data));
        }
        self.engine.submit(tag.0, io)
    }

    /// Notes when the slower disk will have done a request.
    fn throttle_from(&mut self, now_ns: u64, tag: Tag, io: Io) {
        let Some(throttle) = &mut self.throttle else { return };
        let index = tag.0 as usize;
        if index >= self.releases_ns.len() {
            self.releases_ns.resize(index + 1, 0);
        }
        self.releases_ns[index] = match io.op {
            Op::Read | Op::Write => throttle.start(now_ns, u64::from(io.length_bytes)),
            Op::Discard | Op::Flush => now_ns,
        };
    }

    /// A scheduler that keeps requests to itself for ever would have us wait for ever.
    fn nothing_can_come(&self) -> bool {
        self.engine.in_flight() == 0
            && self.refused.is_empty()
            && self.throttle.as_ref().is_none_or(|throttle| throttle.held() == 0)
            && self.host.next_wake_ns().is_none()
    }

    /// How long to sleep if nothing ends.
    fn patience(&self, now_ns: u64) -> Duration {
        if !self.refused.is_empty() {
            return Duration::ZERO;
        }
        let release_ns = self.throttle.as_ref().and_then(Throttle::next_release_ns);
        let due_ns = [self.host.next_wake_ns(), release_ns].into_iter().flatten().min();
        let wait_ns = due_ns.map_or(TICK_NS, |due_ns| due_ns.saturating_sub(now_ns).min(TICK_NS));
        Duration::from_nanos(wait_ns)
    }

    /// Tells the host what has ended by now.
    fn collect(&mut self, now_ns: u64) {
        for tag in self.refused.drain(..) {
            self.host.complete(now_ns, tag, Err(INVALID));
        }
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            if self.minds_contents {
                let data = completion.result.is_ok().then(|| self.engine.data(&completion));
                self.host.ended(Tag(completion.tag), data);
            }
            match &mut self.throttle {
                Some(throttle) => {
                    throttle.hold(self.releases_ns[completion.tag as usize], completion)
                }
                None => self.complete(now_ns, &completion),
            }
        }
        self.completions = completions;
        while let Some(completion) = self.throttle.as_mut().and_then(|t| t.release(now_ns)) {
            self.complete(now_ns, &completion);
        }
    }

    fn complete(&mut self, now_ns: u64, completion: &Completion) {
        match completion.result {
            Ok(()) => self.traffic.count(completion.io),
            Err(error) => self.failures.failed(completion.io, error),
        }
        let result = completion.result.map_err(blk::IoError::from);
        self.host.complete(now_ns, Tag(completion.tag), result);
    }
}

impl Traffic {
    fn count(&mut self, io: Io) {
        let length_bytes = u64::from(io.length_bytes);
        match io.op {
            Op::Read => {
                self.reads += 1;
                self.read_bytes += length_bytes;
            }
            Op::Write => {
                self.writes += 1;
                self.written_bytes += length_bytes;
            }
            Op::Discard => self.discards += 1,
            Op::Flush => self.flushes += 1,
        }
    }
}

#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
