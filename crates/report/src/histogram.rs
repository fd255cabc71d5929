// SPDX-License-Identifier: MIT OR Apache-2.0
//! Log-linear histogram of latencies, with the resolution that fio's percentiles have.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Values below 2^LINEAR_BITS + 1 are counted exactly; above, each power of two is divided into
/// 2^LINEAR_BITS buckets, so a percentile is off by less than 1/128 of itself.
const LINEAR_BITS: u32 = 6;
const PER_POWER: usize = 1 << LINEAR_BITS;
/// Latencies from 2^44 ns (4.9 hours) share the last bucket.
const TOP_BITS: u32 = 44;
const BUCKETS: usize = (TOP_BITS - LINEAR_BITS + 1) as usize * PER_POWER;

/// Counts of nanosecond values in buckets of constant relative width.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64; BUCKETS]>,
}

impl Histogram {
    /// A histogram with a count of 0 in each bucket.
    pub fn new() -> Self {
        Self { counts: Box::new([0; BUCKETS]) }
    }

    /// Counts one latency, in ns, in the bucket that it belongs to.
    #[inline]
    pub fn add(&mut self, value_ns: u64) {
        self.counts[bucket(value_ns)] += 1;
    }

    /// Counts all that `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *mine += theirs;
        }
    }

    /// The values below which the given percentages (ascending, 0 to 100) of all samples lie: each
    /// the middle of the bucket that holds the sample of that rank. Empty if nothing was counted.
    pub fn percentiles(&self, percentages: &[f64]) -> Vec<u64> {
        let total: u64 = self.counts.iter().sum();
        if total == 0 {
            return Vec::new();
        }
        let mut values = Vec::with_capacity(percentages.len());
        let mut seen = 0;
        let mut wanted = percentages.iter().peekable();
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            while let Some(percentage) = wanted.peek() {
                let rank = (*percentage / 100.0 * total as f64).max(1.0);
                if (seen as f64) < rank {
                    break;
                }
                values.push(middle(index));
                wanted.next();
            }
        }
        values
    }

    /// The counts in bins wide enough to be drawn, four to each power of two; empty ones
    /// are left out.
    pub fn bins(&self) -> Vec<Bin> {
        let mut bins: Vec<Bin> = Vec::new();
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        for (index, &count) in counted {
            let (from_ns, until_ns) = quarter_of_power(middle(index));
            match bins.last_mut().filter(|bin| bin.from_ns == from_ns) {
                Some(bin) => bin.count += count,
                None => bins.push(Bin { from_ns, until_ns, count }),
            }
        }
        bins
    }
}

/// Values of a range: `[from_ns, until_ns, count]` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "(u64, u64, u64)", into = "(u64, u64, u64)")]
pub struct Bin {
    /// The least value that it counts.
    pub from_ns: u64,
    /// The least value beyond it.
    pub until_ns: u64,
    /// How many there are.
    pub count: u64,
}

impl From<(u64, u64, u64)> for Bin {
    fn from((from_ns, until_ns, count): (u64, u64, u64)) -> Self {
        Self { from_ns, until_ns, count }
    }
}

impl From<Bin> for (u64, u64, u64) {
    fn from(bin: Bin) -> Self {
        (bin.from_ns, bin.until_ns, bin.count)
    }
}

impl fmt::Debug for Histogram {
    /// The number of samples only: thousands of buckets would be of no use.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Histogram({} samples)", self.counts.iter().sum::<u64>())
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// The bucket that counts `value`.
#[inline]
fn bucket(value: u64) -> usize {
    let bits = u64::BITS - value.leading_zeros();
    if bits <= LINEAR_BITS + 1 {
        return value as usize;
    }
    let dropped = bits - (LINEAR_BITS + 1);
    let inside = (value >> dropped) as usize & (PER_POWER - 1);
    ((dropped as usize + 1) * PER_POWER + inside).min(BUCKETS - 1)
}

/// The value in the middle of a bucket.
fn middle(index: usize) -> u64 {
    if index < 2 * PER_POWER {
        return index as u64;
    }
    let dropped = index / PER_POWER - 1;
    let inside = (index % PER_POWER) as u64;
    let low = (PER_POWER as u64 + inside) << dropped;
    low + (1 << dropped) / 2
}

/// The quarter of a power of two in which a value lies: from, until. Values below 4 are alone.
fn quarter_of_power(value: u64) -> (u64, u64) {
    let width = 1 << value.max(4).ilog2().saturating_sub(2);
    let from = value - value % width;
    (from, from + width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_contiguous_and_their_middle_is_near() {
        let mut last = 0;
        for value in (0..2_000_000).step_by(7) {
            let index = bucket(value);
            assert!(index >= last, "buckets rise with the value");
            last = index;
            let error = middle(index).abs_diff(value) as f64;
            assert!(error <= value as f64 / 128.0 + 1.0, "{value} was taken for {}", middle(index));
        }
    }

    #[test]
    fn every_u64_has_a_bucket() {
        for bits in 0..64 {
            assert!(bucket(1 << bits) < BUCKETS);
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_the_samples_of_that_rank() {
        let mut histogram = Histogram::new();
        assert!(histogram.percentiles(&[50.0]).is_empty());
        (1..=100).for_each(|value| histogram.add(value));
        assert_eq!(
            histogram.percentiles(&[0.0, 1.0, 50.0, 99.0, 99.5, 100.0]),
            [1, 1, 50, 99, 100, 100]
        );
    }

    #[test]
    fn merged_counts_are_sums() {
        let (mut one, mut other) = (Histogram::new(), Histogram::new());
        one.add(10);
        other.add(20);
        other.add(30);
        one.merge(&other);
        assert_eq!(one.percentiles(&[50.0, 100.0]), [20, 30]);
    }

    #[test]
    fn bins_hold_every_sample_side_by_side() {
        let mut histogram = Histogram::new();
        let values = [0, 1, 3, 4, 7, 8, 9, 10, 1000, 1023, 1024, 5_000_000_000];
        values.iter().for_each(|&value| histogram.add(value));
        let bins = histogram.bins();
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), values.len() as u64);
        for &value in &values {
            let holding = |bin: &&Bin| (bin.from_ns..bin.until_ns).contains(&value);
            assert_eq!(bins.iter().filter(holding).count(), 1, "{value}");
        }
        assert!(bins.is_sorted_by_key(|bin| bin.from_ns));
        let of_1000 = Bin { from_ns: 896, until_ns: 1024, count: 2 };
        assert!(bins.contains(&of_1000), "{bins:?}");
    }
}
