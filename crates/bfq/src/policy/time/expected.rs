// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a queue that has nothing waiting will be back at once: then it keeps its turn.

use crate::units::{Span, Time};

/// The longest time that the device may be kept free for a queue, on flash.
pub(super) const LONGEST_WAIT_NS: u64 = 200_000;
/// The same for disks with moving parts.
pub(super) const LONGEST_WAIT_ROTATING_NS: u64 = 8_000_000;
/// On flash a queue on loan is waited for so many times as long, up to 4 ms: a program that starts
/// also computes in between.
pub(super) const TIMES_AS_LONG_ON_LOAN: u64 = 20;
/// How much longer than four times the mean think time a queue is expected; and where what fills
/// the device takes less, nobody is waited for.
pub(super) const SLACK_NS: u64 = 20_000;
/// Think times count as so many times the longest wait at most: a single long one says little.
const LONGEST_THINK_TIME: u64 = 4;
/// From so many samples on the mean is believed.
const FEW: u8 = 3;

/// How a process comes back with its next request.
#[derive(Debug)]
pub(super) struct Returns {
    /// Its think times, up to [`FEW`].
    samples: u8,
    mean_ns: u64,
    /// Since when it has had nothing waiting or in the device.
    idle_since: Option<Time>,
    /// It is expected until then.
    until: Option<Time>,
}

impl Returns {
    pub const fn new() -> Self {
        Returns { samples: 0, mean_ns: 0, idle_since: None, until: None }
    }

    /// Whether its think times are short enough to wait for.
    pub fn are_prompt(&self, longest_ns: u64) -> bool {
        self.samples == 0 || self.mean_ns <= longest_ns
    }

    /// Until when it is expected, if it has nothing waiting or in the device.
    pub fn until(&self) -> Option<Time> {
        self.until
    }

    /// Since when it is idle.
    pub fn idle_since(&self) -> Option<Time> {
        self.idle_since
    }

    /// The last request of an empty queue was completed; returns whether the next one is expected.
    pub fn emptied(&mut self, now: Time, longest_ns: u64) -> bool {
        self.idle_since = Some(now);
        let wait_ns = match self.samples {
            _ if !self.are_prompt(longest_ns) => 0,
            0..FEW => longest_ns,
            _ => (4 * self.mean_ns + SLACK_NS).min(2 * longest_ns),
        };
        self.until = (wait_ns > 0).then(|| now + Span::from_ns(wait_ns));
        wait_ns > 0
    }

    /// A request came; returns how long there was nothing.
    pub fn came(&mut self, now: Time, longest_ns: u64) -> u64 {
        self.until = None;
        let Some(since) = self.idle_since.take() else { return 0 };
        let idle_ns = now.since(since).as_ns();
        let sample_ns = idle_ns.min(LONGEST_THINK_TIME * longest_ns);
        if self.samples == 0 {
            self.mean_ns = sample_ns;
        } else {
            self.mean_ns = (7 * self.mean_ns + sample_ns) / 8;
        }
        self.samples = (self.samples + 1).min(FEW);
        idle_ns
    }

    /// It is not expected any more.
    pub fn given_up(&mut self) {
        self.until = None;
    }
}
