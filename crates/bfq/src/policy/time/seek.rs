// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a move of the head takes, as the reads show that need one.

use crate::units::Span;
use core::ops::RangeInclusive;

/// A seek takes this until that is learnt; it counts as one sample.
const USUAL: Span = Span::from_ms(10);
/// What a seek may take.
const BOUNDS_MS: RangeInclusive<u64> = 2..=40;
/// A read that takes less than this, beside its transfer, was in the disk's cache.
const SHORTEST: Span = Span::from_us(500);
/// A sample counts for no more than this many times the mean: a read may have waited until the disk
/// had emptied its cache.
const MOST_TIMES: u64 = 2;
/// The mean is over this number of samples, or over all while they are fewer.
const SAMPLES: u64 = 16;

/// What a seek takes: a running mean.
#[derive(Debug)]
pub(super) struct Seek {
    mean: Span,
    samples: u64,
}

impl Seek {
    pub const fn new() -> Self {
        Seek { mean: USUAL, samples: 1 }
    }

    /// What it takes: between 2 and 40 ms.
    pub const fn mean(&self) -> Span {
        self.mean
    }

    /// A read that the head had to move for took so long, beside its transfer.
    pub fn learn(&mut self, took: Span) {
        debug_assert!(BOUNDS_MS.contains(&self.mean.as_ms()), "{self:?}");
        if took < SHORTEST {
            return;
        }
        let took = took.min(self.mean.times(MOST_TIMES));
        self.samples = (self.samples + 1).min(SAMPLES);
        let mean = self.mean - self.mean / self.samples + took / self.samples;
        let [least, most] = [BOUNDS_MS.start(), BOUNDS_MS.end()].map(|&ms| Span::from_ms(ms));
        self.mean = mean.clamp(least, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeks_are_learnt_from_reads_that_need_one() {
        let mut seek = Seek::new();
        // Microseconds, and the mean then.
        for (took_us, mean_us) in [
            (4_000, 7_000), // with the first guess
            (100, 7_000),   // it was in the disk's cache
            (4_000, 6_000),
            (400_000, 7_500), // the cache was emptied first
        ] {
            seek.learn(Span::from_us(took_us));
            assert_eq!(seek.mean().as_ns().div_ceil(1_000), mean_us, "after {took_us} us");
        }
    }

    #[test]
    fn many_samples_are_forgotten_at_last() {
        let mut seek = Seek::new();
        for _ in 0..100 {
            seek.learn(Span::from_ms(5));
        }
        let before = seek.mean();
        seek.learn(Span::from_ms(9));
        assert_eq!((seek.mean() - before).as_ns() / 1_000, 249, "a sixteenth of 4 ms");
        (0..100).for_each(|_| seek.learn(Span::from_s(1)));
        assert_eq!(seek.mean(), Span::from_ms(40));
    }
}
