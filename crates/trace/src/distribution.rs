// SPDX-License-Identifier: MIT OR Apache-2.0
//! How values are distributed: their number, mean and percentiles.

use hdrhistogram::Histogram;
use std::collections::BTreeMap;

/// Significant digits of rounded values.
const DIGITS: u8 = 2;

/// The highest rounded value that is told from others; some 146 years in ns.
const HIGHEST: u64 = 1 << 62;

/// Different values that are counted exactly.
const MOST_EXACT: usize = 1 << 16;

/// How values are distributed. Their sum and their maximum are exact.
#[derive(Debug)]
pub struct Distribution {
    counts: Counts,
    count: u64,
    sum: u128,
    greatest: u64,
}

#[derive(Debug)]
enum Counts {
    /// Of each value. Once there are very many, others count as the next known one.
    Exact(BTreeMap<u64, u64>),
    /// Of values that differ in their first digits.
    Rounded(Box<Histogram<u64>>),
}

impl Distribution {
    /// Of values of which many are equal.
    pub(crate) fn exact() -> Distribution {
        Distribution::of(Counts::Exact(BTreeMap::new()))
    }

    /// Of values that nearly all differ.
    pub(crate) fn rounded() -> Distribution {
        let histogram = Histogram::new_with_bounds(1, HIGHEST, DIGITS);
        // Only an empty range, or more than five digits, would be refused.
        let histogram = histogram.unwrap_or_else(|_| unreachable!("{DIGITS} digits to {HIGHEST}"));
        Distribution::of(Counts::Rounded(Box::new(histogram)))
    }

    fn of(counts: Counts) -> Distribution {
        Distribution { counts, count: 0, sum: 0, greatest: 0 }
    }

    pub(crate) fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum += u128::from(value);
        self.greatest = self.greatest.max(value);
        match &mut self.counts {
            Counts::Exact(counts) => {
                let is_full = counts.len() >= MOST_EXACT;
                let near = counts.range(value..).next().or(counts.last_key_value());
                let value = near.filter(|_| is_full).map_or(value, |(&near, _)| near);
                *counts.entry(value).or_default() += 1;
            }
            Counts::Rounded(histogram) => histogram.saturating_record(value),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; 0 of none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// The value that this percentage does not exceed; 0 of none.
    pub fn percentile(&self, percent: f64) -> u64 {
        let value = match &self.counts {
            Counts::Exact(counts) => {
                let mut left = (percent / 100.0 * self.count as f64).ceil().max(1.0) as u64;
                let reaches = |&(_, &count): &(&u64, &u64)| {
                    let is_there = count >= left;
                    left = left.saturating_sub(count);
                    is_there
                };
                counts.iter().find(reaches).map_or(self.greatest, |(&value, _)| value)
            }
            Counts::Rounded(histogram) => histogram.value_at_quantile(percent / 100.0),
        };
        value.min(self.greatest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_percentile_is_above_the_greatest_value_and_the_mean_is_exact() {
        for (mut of, median) in [(Distribution::exact(), 4096), (Distribution::rounded(), 4127)] {
            assert_eq!((of.count(), of.mean(), of.percentile(50.0)), (0, 0.0, 0));
            [512, 4096, 4096, 9000].into_iter().for_each(|value| of.add(value));
            assert_eq!((of.count(), of.mean()), (4, 4426.0));
            let percentiles = [1.0, 25.0, 50.0, 75.0, 99.0].map(|percent| of.percentile(percent));
            assert_eq!(percentiles[2..], [median, median, 9000]);
            assert!(percentiles[..2].iter().all(|value| (512..=515).contains(value)));
        }
    }

    #[test]
    fn not_all_of_very_many_different_values_are_kept() {
        let mut of = Distribution::exact();
        (0..2 * MOST_EXACT as u64).for_each(|value| of.add(value));
        assert_eq!((of.count(), of.mean()), (2 * MOST_EXACT as u64, MOST_EXACT as f64 - 0.5));
        assert!(matches!(&of.counts, Counts::Exact(counts) if counts.len() == MOST_EXACT));
    }
}
