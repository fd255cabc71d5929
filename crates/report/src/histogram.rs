//! Log-linear histogram of latencies, with the resolution that fio's percentiles have.

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
    /// An empty histogram.
    pub fn new() -> Self {
        Self { counts: Box::new([0; BUCKETS]) }
    }

    /// Counts one value.
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

    /// The values below which the given percentages (ascending, 0 to 100) of all samples lie:
    /// each the middle of the bucket that holds the sample of that rank. Empty if nothing was
    /// counted.
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
}

impl fmt::Debug for Histogram {
    /// The number of samples only: thousands of buckets help nobody.
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
}
