// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latencies, counted in classes of a thousandth: small enough to be sent, exact enough to compare.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Digits that are kept.
const SIGNIFICANT_DIGITS: u8 = 3;

/// A distribution of latencies: values (ns) with how often each came, in rising order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latencies(Vec<(u64, u64)>);

impl Latencies {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The smallest latency that a part (0 to 1) of all did not exceed, ns; none without any.
    pub fn quantile_ns(&self, part: f64) -> Option<u64> {
        let rank = (self.count() as f64 * part).ceil() as u64;
        let mut so_far = 0;
        let reaches = |&&(_, count): &&(u64, u64)| {
            so_far += count;
            so_far >= rank
        };
        self.0.iter().find(reaches).map(|(value_ns, _)| *value_ns)
    }

    /// How many took longer than this.
    pub fn longer_than(&self, limit_ns: u64) -> u64 {
        self.0.iter().filter(|(value_ns, _)| *value_ns > limit_ns).map(|(_, count)| count).sum()
    }

    /// Adds those of another process.
    pub fn add(&mut self, others: &Latencies) {
        self.0.extend_from_slice(&others.0);
        self.0.sort_unstable();
    }
}

/// Counts latencies in a histogram.
pub(super) struct LatencyCounter(Histogram<u64>);

impl LatencyCounter {
    pub(super) fn new() -> Self {
        Self(Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are possible"))
    }

    pub(super) fn count(&mut self, latency_ns: u64) {
        self.0.record(latency_ns).expect("it grows as needed");
    }

    pub(super) fn into_latencies(self) -> Latencies {
        let recorded = self.0.iter_recorded();
        Latencies(recorded.map(|step| (step.value_iterated_to(), step.count_at_value())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Latencies {
        let mut counter = LatencyCounter::new();
        values.into_iter().for_each(|value| counter.count(value));
        counter.into_latencies()
    }

    #[test]
    fn quantiles_of_a_hundred_latencies() {
        let latencies = of(1..=100);
        assert_eq!(latencies.count(), 100);
        for (part, value_ns) in [(0.0, 1), (0.5, 50), (0.95, 95), (0.99, 99), (1.0, 100)] {
            assert_eq!(latencies.quantile_ns(part), Some(value_ns), "{part}");
        }
        assert_eq!(latencies.longer_than(90), 10);
        assert_eq!(of([]).quantile_ns(0.5), None);
    }

    #[test]
    fn two_processes_are_put_together() {
        let mut both = of([10, 30]);
        both.add(&of([20, 40]));
        assert_eq!(both.quantile_ns(0.5), Some(20));
        assert_eq!(both.quantile_ns(1.0), Some(40));
    }

    #[test]
    fn long_latencies_are_kept_to_a_thousandth() {
        let kept = of([12_345_678_901]).quantile_ns(0.5).unwrap() as f64;
        assert!((kept / 12_345_678_901.0 - 1.0).abs() < 1e-3);
    }
}
