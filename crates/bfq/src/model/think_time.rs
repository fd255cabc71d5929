// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a process thinks between a completion and its next request (spec 2.9).

use crate::units::{Span, Time};

/// Samples count as `GAIN`, so that integer averages keep eight fractional bits.
const GAIN: u64 = 256;
/// The mean means something once the smoothed number of samples exceeds this: from the third on.
const VALID_SAMPLES: u64 = 80;

/// A running average of think times, each sample weighing an eighth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkTime {
    /// Smoothed number of samples, times [`GAIN`]; converges to 249.
    samples: u64,
    /// Times [`GAIN`] as well.
    total: Span,
    /// Zero until there were enough samples.
    mean: Span,
}

impl ThinkTime {
    /// Adds a sample; the caller has capped it at less than 2⁵³ ns.
    pub fn add(&mut self, sample: Span) {
        debug_assert!(sample < Span::from_ns(1 << 53), "a think time of {sample:?}");
        self.samples = (7 * self.samples + GAIN) / 8;
        debug_assert!((1..GAIN).contains(&self.samples), "{} samples", self.samples);
        self.total = self.total.times(7).plus(sample.times(GAIN)) / 8;
        if self.samples > VALID_SAMPLES {
            self.mean = self.total.plus(Span::from_ns(GAIN / 2)) / self.samples;
        }
    }

    /// The average; zero until there were enough samples.
    #[inline]
    pub fn mean(&self) -> Span {
        self.mean
    }
}

/// How busy a process keeps its queue: I/O-bound is backlogged at least 80 % of the time (spec
/// 2.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoBound {
    window_start: Time,
    idle: Span,
    /// What was found last.
    pub is_io_bound: bool,
}

/// After so long the observed window is halved.
const WINDOW: Span = Span::from_ms(200);

impl IoBound {
    /// A window that starts now; I/O-bound until proved otherwise.
    pub const fn new(now: Time) -> Self {
        IoBound { window_start: now, idle: Span::ZERO, is_io_bound: true }
    }

    /// Looks at an arrival. `idle` is how long nothing was waiting or in flight; a queue that
    /// was just created is not judged yet.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, idle: Span, just_created: bool) {
        debug_assert!(now >= self.window_start, "a window from {:?} at {now:?}", self.window_start);
        self.idle = self.idle.wrapping_add(idle);
        if just_created {
            return;
        }
        let observed = now.since(self.window_start);
        self.is_io_bound = self.idle.wrapping_mul(5) <= observed;
        if observed > WINDOW {
            self.window_start = now - observed / 2;
            self.idle = self.idle / 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn sample_weights_as_in_the_vector() {
        let mut think_time = ThinkTime::default();
        let samples: Vec<u64> = (0..6)
            .map(|_| {
                think_time.add(Span::from_us(1));
                think_time.samples
            })
            .collect();
        assert_eq!(samples, [32, 60, 84, 105, 123, 139]);
        (0..100).for_each(|_| think_time.add(Span::from_us(1)));
        assert_eq!(think_time.samples, 249);
    }

    #[test]
    fn a_capped_first_sample_is_forgotten_at_the_fourth() {
        let mut think_time = ThinkTime::default();
        let mut means_us = Vec::new();
        for sample_ms in [16, 0, 0, 0] {
            think_time.add(Span::from_ms(sample_ms));
            means_us.push(think_time.mean().as_us());
        }
        assert_eq!(means_us, [0, 0, 4666, 3266]);
    }

    #[test]
    fn io_bound_is_busy_for_four_fifths() {
        let ms = |ms: u64| Time::from_ns(ms * 1_000_000);
        let mut io_bound = IoBound::new(ms(0));
        io_bound.on_arrival(ms(10), Span::from_ms(9), true);
        assert!(io_bound.is_io_bound, "not judged while just created");
        io_bound.on_arrival(ms(45), Span::ZERO, false);
        assert!(io_bound.is_io_bound, "idle 9 of 45 ms");
        io_bound.on_arrival(ms(100), Span::from_ms(12), false);
        assert!(!io_bound.is_io_bound, "idle 21 of 100 ms");
        io_bound.on_arrival(ms(201), Span::ZERO, false);
        assert!(io_bound.is_io_bound);
        assert_eq!(io_bound.idle, Span::from_us(10_500), "the window was halved");
    }
}
