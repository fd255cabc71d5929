// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth and I/Os per second in windows of half a second: fio's `bw_*` and `iops_*`.

use crate::moments::Moments;

/// fio's `bwavgtime` and `iopsavgtime`.
const WINDOW_NS: u64 = 500_000_000;
const NS_PER_S: u128 = 1_000_000_000;

/// One process's rates in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    window_start_ns: u64,
    bytes: u64,
    ios: u64,
    kib_per_s: Moments,
    ios_per_s: Moments,
}

impl Rates {
    /// Windows are counted from `start_ns`.
    pub(crate) fn new(start_ns: u64) -> Self {
        Self {
            window_start_ns: start_ns,
            bytes: 0,
            ios: 0,
            kib_per_s: Moments::new(),
            ios_per_s: Moments::new(),
        }
    }

    /// Takes an I/O; the first completion at or after the end of a window closes it, so a window
    /// may be longer, never shorter, and one without I/O is not counted.
    #[inline]
    pub(crate) fn add(&mut self, now_ns: u64, bytes: u64) {
        self.bytes += bytes;
        self.ios += 1;
        if now_ns - self.window_start_ns >= WINDOW_NS {
            self.close(now_ns);
        }
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, now_ns: u64) {
        let elapsed_ns = u128::from(now_ns - self.window_start_ns);
        let per_s = |amount: u64| u128::from(amount) * NS_PER_S / elapsed_ns;
        self.kib_per_s.add((per_s(self.bytes) / 1024) as u64);
        self.ios_per_s.add(per_s(self.ios) as u64);
        (self.bytes, self.ios, self.window_start_ns) = (0, 0, now_ns);
    }

    /// KiB per second of the windows so far.
    pub(crate) fn bandwidth(&self) -> RateStats {
        RateStats::of(&self.kib_per_s)
    }

    /// I/Os per second of the windows so far.
    pub(crate) fn iops(&self) -> RateStats {
        RateStats::of(&self.ios_per_s)
    }
}

/// What is reported of a rate. Rates of processes that run side by side add up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RateStats {
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) mean: f64,
    pub(crate) stddev: f64,
    pub(crate) samples: u64,
}

impl RateStats {
    fn of(moments: &Moments) -> Self {
        Self {
            min: moments.min(),
            max: moments.max(),
            mean: moments.mean(),
            stddev: moments.stddev(),
            samples: moments.count(),
        }
    }

    /// Adds the rate of another process, taken as independent.
    pub(crate) fn add(&mut self, other: &Self) {
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.stddev = self.stddev.hypot(other.stddev);
        self.samples += other.samples;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_closes_at_the_first_completion_after_its_end() {
        let mut rates = Rates::new(1_000_000_000);
        rates.add(1_400_000_000, 102_400);
        assert_eq!(rates.bandwidth(), RateStats::default());
        // 204800 bytes in 800 ms = 250 KiB/s, 2 I/Os in 800 ms = 2.5 a second.
        rates.add(1_800_000_000, 102_400);
        assert_eq!((rates.bandwidth().min, rates.bandwidth().samples), (250, 1));
        assert_eq!(rates.iops().max, 2);
        // The next window starts at 1.8 s.
        rates.add(2_299_999_999, 512_000);
        assert_eq!(rates.bandwidth().samples, 1);
        rates.add(2_300_000_000, 0);
        assert_eq!((rates.bandwidth().max, rates.bandwidth().samples), (1000, 2));
    }

    #[test]
    fn processes_side_by_side_add_up() {
        let mut sum = RateStats { min: 1, max: 5, mean: 3.0, stddev: 3.0, samples: 2 };
        sum.add(&RateStats { min: 2, max: 2, mean: 2.0, stddev: 4.0, samples: 1 });
        assert_eq!(sum, RateStats { min: 3, max: 7, mean: 5.0, stddev: 5.0, samples: 3 });
    }
}
