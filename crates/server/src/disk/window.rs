// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happened lately: bytes of the last second, latencies of the last ten.

use crate::status::LatencyStatus;
use hdrhistogram::Histogram;

/// The last second is counted in ten parts.
const PART_NS: u64 = 100_000_000;
const PARTS: u64 = 10;

/// Latencies are kept for ten seconds, one histogram each.
const SECOND_NS: u64 = 1_000_000_000;
const SECONDS: u64 = 10;

/// Latencies are kept in these, and as long as that at most.
const UNIT_NS: u64 = 100;
const LONGEST_UNITS: u64 = 1000 * SECOND_NS / UNIT_NS;

/// Bytes of the last second.
#[derive(Debug, Default)]
pub struct LastSecond {
    /// The part that counts now, by its number since the start.
    part: u64,
    bytes: [u64; PARTS as usize],
}

impl LastSecond {
    /// That number of bytes was moved now.
    pub fn add(&mut self, now_ns: u64, bytes: u64) {
        self.turn(now_ns);
        self.bytes[(self.part % PARTS) as usize] += bytes;
    }

    /// The bytes of the last second.
    pub fn bytes(&mut self, now_ns: u64) -> u64 {
        self.turn(now_ns);
        self.bytes.iter().sum()
    }

    fn turn(&mut self, now_ns: u64) {
        let part = now_ns / PART_NS;
        for passed in (self.part + 1..=part).rev().take(PARTS as usize) {
            self.bytes[(passed % PARTS) as usize] = 0;
        }
        self.part = self.part.max(part);
    }
}

/// Latencies of the last ten seconds.
#[derive(Debug, Default)]
pub struct LastLatencies {
    second: u64,
    /// None before the first latency: they take more memory than all else that is kept of a tenant.
    histograms: Vec<Histogram<u32>>,
}

impl LastLatencies {
    /// A request was answered now, `latency_ns` after it came.
    pub fn add(&mut self, now_ns: u64, latency_ns: u64) {
        if self.histograms.is_empty() {
            self.histograms = histograms();
        }
        self.turn(now_ns);
        let histogram = &mut self.histograms[(self.second % SECONDS) as usize];
        histogram.saturating_record(latency_ns.div_ceil(UNIT_NS).max(1));
    }

    /// Median, 99th percentile and worst latency of the last ten seconds, ns; 0 if there are none.
    pub fn quantiles(&mut self, now_ns: u64) -> LatencyStatus {
        self.turn(now_ns);
        let Some((first, others)) = self.histograms.split_first() else {
            return LatencyStatus::default();
        };
        let mut all = first.clone();
        for histogram in others {
            all.add(histogram).expect("they have the same bounds");
        }
        if all.is_empty() {
            return LatencyStatus::default();
        }
        LatencyStatus {
            median_ns: all.value_at_quantile(0.5) * UNIT_NS,
            p99_ns: all.value_at_quantile(0.99) * UNIT_NS,
            worst_ns: all.max() * UNIT_NS,
        }
    }

    fn turn(&mut self, now_ns: u64) {
        let second = now_ns / SECOND_NS;
        for passed in (self.second + 1..=second).rev().take(SECONDS as usize) {
            if let Some(histogram) = self.histograms.get_mut((passed % SECONDS) as usize) {
                histogram.reset();
            }
        }
        self.second = self.second.max(second);
    }

    /// Whether no memory is taken.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.histograms.is_empty()
    }
}

/// Empty ones, one for each second.
fn histograms() -> Vec<Histogram<u32>> {
    let empty = Histogram::new_with_bounds(1, LONGEST_UNITS, 2);
    vec![empty.expect("from 1 to more than twice as much, two digits"); SECONDS as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_forgotten_after_a_second() {
        let mut last = LastSecond::default();
        last.add(50_000_000, 3);
        last.add(950_000_000, 4);
        assert_eq!(last.bytes(999_999_999), 7);
        assert_eq!(last.bytes(1_000_000_000), 4);
        assert_eq!(last.bytes(1_899_999_999), 4);
        assert_eq!(last.bytes(1_900_000_000), 0);
        last.add(1_900_000_000, 5);
        assert_eq!(last.bytes(100 * SECOND_NS), 0);
    }

    #[test]
    fn latencies_are_forgotten_after_ten_seconds() {
        let mut last = LastLatencies::default();
        assert_eq!(last.quantiles(SECOND_NS / 2), LatencyStatus::default());
        for _ in 0..99 {
            last.add(0, 1_000_000);
        }
        last.add(9 * SECOND_NS, 1_000_000_000);
        let near = |value_ns: u64, wanted_ns: u64| value_ns.abs_diff(wanted_ns) * 100 <= wanted_ns;
        let all = last.quantiles(9 * SECOND_NS);
        assert!(near(all.median_ns, 1_000_000), "{all:?}");
        assert!(near(all.p99_ns, 1_000_000), "{all:?}");
        assert!(near(all.worst_ns, 1_000_000_000), "{all:?}");
        let later = last.quantiles(10 * SECOND_NS);
        assert!(near(later.median_ns, 1_000_000_000), "{later:?}");
        assert_eq!(last.quantiles(50 * SECOND_NS), LatencyStatus::default());
    }
}
