// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a simulation failed, and how it is noticed that one stands still.

use runner::{Runner, RunnerError};

/// A scheduler that keeps all its requests from an idle device for longer keeps them for ever.
/// (mq-deadline makes low classes wait 10 s, the longest of all schedulers.)
const PATIENCE_NS: u64 = 60_000_000_000;

/// Why a simulation failed.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The jobs don't fit the device, or groups are wrong.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// Processes wait, and nothing will ever happen: a request was lost.
    #[error(
        "{scheduler} stands still at {now_ns} ns with {waiting} requests waiting and \
         {in_flight} on the device; this is a bug"
    )]
    Stuck {
        /// Name of the scheduler.
        scheduler: String,
        /// The simulated time at which nothing more could happen, ns.
        now_ns: u64,
        /// Requests in the scheduler.
        waiting: u32,
        /// Requests on the device.
        in_flight: u32,
    },
    /// Processes pause until after the end of the simulated time.
    #[error(
        "the simulated time ends at 2^64 ns (584 years), and jobs still wait then, from {now_ns} \
         ns on; expected shorter pauses and delays, or higher rates"
    )]
    TimeIsUp {
        /// Since when nothing happens.
        now_ns: u64,
    },
}

impl SimError {
    /// Whether the user's input is to blame, not the run.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Runner(_) | Self::TimeIsUp { .. })
    }
}

/// Notices a scheduler that never gives its requests out, though it is asked again and again.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    commands: u64,
    since_ns: u64,
}

impl Watch {
    pub(crate) fn sees_standstill(&mut self, now_ns: u64, commands: u64, runner: &Runner) -> bool {
        let layer = runner.layer();
        if commands != self.commands || layer.in_flight() > 0 || layer.waiting() == 0 {
            self.commands = commands;
            self.since_ns = now_ns;
        }
        now_ns - self.since_ns > PATIENCE_NS
    }
}

/// What is said of a simulation in which nothing will ever happen again.
pub(crate) fn stuck(runner: &Runner, now_ns: u64) -> SimError {
    let layer = runner.layer();
    // A process that waits for no request sleeps, and wakes only after the last instant there is.
    if layer.waiting() == 0 && layer.in_flight() == 0 {
        return SimError::TimeIsUp { now_ns };
    }
    SimError::Stuck {
        scheduler: layer.elevator().name().to_owned(),
        now_ns,
        waiting: layer.waiting(),
        in_flight: layer.in_flight(),
    }
}
