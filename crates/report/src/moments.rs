// SPDX-License-Identifier: MIT OR Apache-2.0
//! Least, greatest, mean and standard deviation of a stream of whole numbers, exactly.

/// Running moments. Sums are kept as integers, so the result does not depend on the order of the
/// samples and merging is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    count: u64,
    min: u64,
    max: u64,
    sum: u128,
    sum_of_squares: u128,
}

impl Moments {
    /// Moments of no samples.
    pub const fn new() -> Self {
        Self { count: 0, min: u64::MAX, max: 0, sum: 0, sum_of_squares: 0 }
    }

    /// Counts one sample, in the unit of the others.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += u128::from(value);
        self.sum_of_squares += u128::from(value) * u128::from(value);
    }

    /// Samples that are all 0.
    pub const fn of_zeros(count: u64) -> Self {
        let min = if count == 0 { u64::MAX } else { 0 };
        Self { count, min, max: 0, sum: 0, sum_of_squares: 0 }
    }

    /// Takes all the samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
    }

    /// The samples of both.
    #[must_use]
    pub fn plus(&self, mut other: Self) -> Self {
        other.merge(self);
        other
    }

    /// How many samples were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Least sample; 0 if there is none.
    pub fn min(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min }
    }

    /// Greatest sample; 0 if there is none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Mean; 0 if there is no sample.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// Standard deviation of the sample (divisor N − 1); 0 with fewer than two samples.
    pub fn stddev(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        // Squares about the rounded-down mean: the subtraction of two huge, nearly equal sums
        // happens in integers, where it loses nothing.
        let count = u128::from(self.count);
        let mean = self.sum / count;
        let rest = self.sum - mean * count;
        let squares = self.sum_of_squares + mean * mean * count - 2 * mean * self.sum;
        let about_mean = squares as f64 - (rest as f64 * rest as f64) / count as f64;
        (about_mean.max(0.0) / (self.count - 1) as f64).sqrt()
    }
}

impl Default for Moments {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Moments {
        let mut moments = Moments::new();
        values.iter().for_each(|&value| moments.add(value));
        moments
    }

    #[test]
    fn small_sets() {
        //     values               min  max  mean  stddev
        for (values, min, max, mean, stddev) in [
            (&[][..], 0, 0, 0.0, 0.0),
            (&[7][..], 7, 7, 7.0, 0.0),
            (&[2, 4, 4, 4, 5, 5, 7, 9][..], 2, 9, 5.0, 2.138_089_935),
            (&[1, 3][..], 1, 3, 2.0, 2.0_f64.sqrt()),
        ] {
            let moments = of(values);
            assert_eq!((moments.min(), moments.max()), (min, max), "{values:?}");
            assert!((moments.mean() - mean).abs() < 1e-9, "{values:?}");
            assert!((moments.stddev() - stddev).abs() < 1e-8, "{values:?}");
        }
    }

    #[test]
    fn hours_long_latencies_keep_their_small_deviation() {
        let base = 7_200_000_000_000;
        let moments = of(&[base, base + 1, base + 2]);
        assert!((moments.stddev() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn merging_equals_adding() {
        let mut left = of(&[3, 1, 4]);
        left.merge(&of(&[1, 5, 9]));
        left.merge(&Moments::new());
        assert_eq!(left, of(&[3, 1, 4, 1, 5, 9]));
        left.merge(&Moments::of_zeros(2));
        assert_eq!(left, of(&[3, 1, 4, 1, 5, 9, 0, 0]));
        assert_eq!(Moments::of_zeros(0), Moments::new());
    }
}
