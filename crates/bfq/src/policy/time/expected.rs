// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a queue that has nothing waiting will be back at once: then it keeps its turn.

use crate::units::{Span, Time};

/// The longest time that the device may be kept free for a queue, on flash.
pub(super) const LONGEST_WAIT: Span = Span::from_us(200);
/// The same for disks with moving parts.
pub(super) const LONGEST_WAIT_ROTATING: Span = Span::from_ms(8);
/// On flash a queue on loan is waited for this number of times as long, up to 4 ms: a program that
/// starts also computes in between.
pub(super) const TIMES_AS_LONG_ON_LOAN: u64 = 20;
/// How much longer than four times the mean think time a queue is expected; and where what fills
/// the device takes less, no queue is waited for.
pub(super) const SLACK: Span = Span::from_us(20);
/// Think times count as this multiple of the longest wait at most: a single long one says little.
const LONGEST_THINK_TIME: u64 = 4;
/// The number of samples from which on the mean is believed.
const FEW: u8 = 3;

/// How a process comes back with its next request.
#[derive(Debug)]
pub(super) struct Returns {
    /// Its think times, up to [`FEW`].
    samples: u8,
    mean: Span,
    /// Since when it has had nothing waiting or in the device.
    idle_since: Option<Time>,
    /// It is expected until then.
    until: Option<Time>,
    /// Requests that it was about to make while nearly all places of the pool were taken, and that
    /// have not come.
    asked_for: u32,
}

impl Returns {
    pub const fn new() -> Self {
        Returns { samples: 0, mean: Span::ZERO, idle_since: None, until: None, asked_for: 0 }
    }

    /// Whether its think times are short enough to wait for.
    pub fn are_prompt(&self, longest: Span) -> bool {
        self.samples == 0 || self.mean <= longest
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
    pub fn emptied(&mut self, now: Time, longest: Span) -> bool {
        debug_assert!(self.idle_since.is_none_or(|since| since <= now), "{self:?} at {now:?}");
        self.idle_since = Some(now);
        let wait = match self.samples {
            _ if !self.are_prompt(longest) => Span::ZERO,
            0..FEW => longest,
            _ => self.mean.times(4).plus(SLACK).min(longest.times(2)),
        };
        self.until = (wait > Span::ZERO).then(|| now + wait);
        wait > Span::ZERO
    }

    /// A request came; returns how long there was nothing, if there was.
    pub fn came(&mut self, now: Time, longest: Span) -> Option<Span> {
        debug_assert!(self.idle_since.is_none_or(|since| since <= now), "{self:?} at {now:?}");
        self.until = None;
        let idle = now.since(self.idle_since.take()?);
        let sample = idle.min(longest.times(LONGEST_THINK_TIME));
        if self.samples == 0 {
            self.mean = sample;
        } else {
            self.mean = self.mean.times(7).plus(sample) / 8;
        }
        self.samples = (self.samples + 1).min(FEW);
        Some(idle)
    }

    /// It is about to make a request. If not nearly all places of the pool are taken, what it asked
    /// for before has come, or never will.
    pub fn asks_for_place(&mut self, are_nearly_all_taken: bool) {
        self.asked_for = if are_nearly_all_taken { self.asked_for.saturating_add(1) } else { 0 };
    }

    /// A request has come.
    #[inline]
    pub fn request_came(&mut self) {
        if self.asked_for > 0 {
            self.asked_for -= 1;
        }
    }

    /// Whether it has asked for a place and its request has not come: it may wait for one.
    pub fn may_wait_for_place(&self) -> bool {
        self.asked_for > 0
    }

    /// It is not expected any more.
    pub fn given_up(&mut self) {
        self.until = None;
    }
}
