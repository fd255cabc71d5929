// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a simulation failed, and how it is noticed that one stands still.

use runner::{Runner, RunnerError};

/// A scheduler that keeps all its requests from an idle device for longer, and has no timer that
/// would end it, keeps them for ever. With a timer it may be meant: bfq waits for a process for as
/// long as `slice_idle` says, which may be days.
const PATIENCE_NS: u64 = 60_000_000_000;

/// How often the time may be the same when it is looked at, before it is said to stand still.
const MOST_LOOKS: u32 = 256;

/// Why a simulation failed.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The jobs don't fit the device, or groups are wrong.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// Processes wait, and nothing will ever happen: a request or the end of one was lost.
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
    /// Ever more happens in one instant.
    #[error(
        "time stands still at {now_ns} ns, where there is ever more to do; expected commands that \
         take time on the device"
    )]
    NoTimePasses {
        /// The simulated time, ns.
        now_ns: u64,
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

/// Notices that a simulation does not get on, though it goes on.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    commands: u64,
    since_ns: u64,
    looked_ns: u64,
    looks: u32,
}

impl Watch {
    /// Looks at a simulation now and then: in which many instants have passed since it did.
    ///
    /// # Errors
    /// The scheduler never gives its requests out, though it is asked again and again; or no time
    /// passes.
    pub(crate) fn look(
        &mut self,
        now_ns: u64,
        commands: u64,
        runner: &Runner,
    ) -> Result<(), SimError> {
        if self.sees_no_time_pass(now_ns) {
            return Err(SimError::NoTimePasses { now_ns });
        }
        let layer = runner.layer();
        let has_reason = layer.in_flight() > 0
            || layer.waiting() == 0
            || layer.elevator().next_timer_ns().is_some();
        if commands != self.commands || has_reason {
            self.commands = commands;
            self.since_ns = now_ns;
        }
        if now_ns - self.since_ns > PATIENCE_NS { Err(stuck(runner, now_ns)) } else { Ok(()) }
    }

    fn sees_no_time_pass(&mut self, now_ns: u64) -> bool {
        self.looks = if now_ns == self.looked_ns { self.looks + 1 } else { 0 };
        self.looked_ns = now_ns;
        self.looks > MOST_LOOKS
    }
}

/// What is said of a simulation in which nothing will ever happen again.
pub(crate) fn stuck(runner: &Runner, now_ns: u64) -> SimError {
    let layer = runner.layer();
    if layer.waiting() == 0 && layer.in_flight() == 0 && runner.has_endless_sleeper() {
        return SimError::TimeIsUp { now_ns };
    }
    SimError::Stuck {
        scheduler: layer.elevator().name().to_owned(),
        now_ns,
        waiting: layer.waiting(),
        in_flight: layer.in_flight(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_looks_in_one_instant_are_too_many() {
        let mut watch = Watch::default();
        for now_ns in [0, 5, 6] {
            assert!((0..MOST_LOOKS).all(|_| !watch.sees_no_time_pass(now_ns)), "{now_ns}");
        }
        let mut at_6 = std::iter::repeat_with(|| watch.sees_no_time_pass(6));
        assert_eq!(at_6.by_ref().take(3).collect::<Vec<_>>(), [false, true, true]);
    }
}
