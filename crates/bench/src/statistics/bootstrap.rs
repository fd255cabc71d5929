// SPDX-License-Identifier: MIT OR Apache-2.0
//! The median of a sample and its bootstrap interval, without chance: what infinitely many
//! resamples would give.
//!
//! A resample's median is one of the values, or lies in the middle of two, and how often each
//! occurs follows from the binomial distribution (Maritz and Jarrett 1978; Efron 1979). For an
//! even number `n = 2m` of values sorted as `x₁ … xₙ`, the resample's two middle values are `xᵢ`
//! and `xⱼ`, `i < j`, if `m` of its values are at most `xᵢ`, not all of them less, and the others
//! at least `xⱼ`, not all of them more:
//!
//! ```text
//! P(i, j) = (n choose m) · [(i/n)ᵐ − ((i−1)/n)ᵐ] · [((n−j+1)/n)ᵐ − ((n−j)/n)ᵐ]
//! ```

use base::Interval;
use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::function::factorial::ln_binomial;
use statrs::statistics::{Data, OrderStatistics};

/// Part of all intervals that lies beyond each end.
const TAIL: f64 = 0.025;

/// Samples of fewer values have their least and greatest value for an interval: resamples of so few
/// pretend more than is known.
const LEAST_VALUES: usize = 6;

/// A sample, as much as its size lets be said of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimate {
    /// The one value of a sample of one: there is no interval.
    Once(f64),
    /// Too few values for an interval of 95 %: their least and greatest.
    Few(Interval),
    /// Median and interval of 95 %.
    Known(Interval),
}

impl Estimate {
    /// What is known of a sample; none of nothing.
    pub fn of(values: &[f64]) -> Option<Self> {
        let interval = median_interval(values)?;
        Some(match values.len() {
            1 => Estimate::Once(interval.median),
            2..LEAST_VALUES => Estimate::Few(interval),
            _ => Estimate::Known(interval),
        })
    }

    /// The median of the rounds, in the unit of the metric.
    pub fn median(&self) -> f64 {
        match self {
            Estimate::Once(value) => *value,
            Estimate::Few(interval) | Estimate::Known(interval) => interval.median,
        }
    }
}

/// The median: none of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values.to_vec()).median())
}

/// The median with its percentile bootstrap interval of 95 %, or with the least and the greatest
/// value if there are fewer than six; none of nothing. Values must be finite.
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    let median = median(values)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < LEAST_VALUES {
        return Some(Interval { median, low: sorted[0], high: *sorted.last()? });
    }
    let mut medians = match sorted.len() % 2 {
        1 => medians_of_odd(&sorted),
        _ => medians_of_even(&sorted),
    };
    medians.sort_by(|one, other| one.0.total_cmp(&other.0));
    let low = quantile(medians.iter());
    let high = quantile(medians.iter().rev());
    Some(Interval { median, low, high })
}

/// The first value at which the probabilities before it and its own have reached the tail.
fn quantile<'a>(medians: impl Iterator<Item = &'a (f64, f64)>) -> f64 {
    let mut sum = 0.0;
    let mut last = f64::NAN;
    for (value, probability) in medians {
        last = *value;
        sum += probability;
        if sum >= TAIL {
            break;
        }
    }
    last
}

/// The probability that the `rank`-th value of a resample is one of the `i` least.
fn at_most(n: usize, rank: usize, i: usize) -> f64 {
    match Binomial::new(i as f64 / n as f64, n as u64) {
        Ok(among) => among.sf(rank as u64 - 1),
        Err(_) => unreachable!("i of n is a probability"),
    }
}

/// The values that the median of a resample may have, with their probabilities.
fn medians_of_odd(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let middle = n.div_ceil(2);
    let probability = |i| at_most(n, middle, i) - at_most(n, middle, i - 1);
    (1..=n).map(|i| (sorted[i - 1], probability(i))).collect()
}

fn medians_of_even(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let m = n / 2;
    let ways = ln_binomial(n as u64, m as u64);
    // ln of (count/n)ᵐ − ((count−1)/n)ᵐ; the ways are too many to be written without a logarithm.
    let half = |count: usize| {
        let power = |count: usize| (count as f64 / n as f64).powi(m as i32);
        (power(count) - power(count - 1)).ln()
    };
    let mut medians = Vec::new();
    for i in 1..=n {
        let mut both = at_most(n, m, i) - at_most(n, m, i - 1);
        for j in i + 1..=n {
            let probability = (ways + half(i) + half(n - j + 1)).exp();
            medians.push((f64::midpoint(sorted[i - 1], sorted[j - 1]), probability));
            both -= probability;
        }
        medians.push((sorted[i - 1], both.max(0.0)));
    }
    medians
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_of_all_medians_are_one() {
        for n in 6..80 {
            let sorted: Vec<f64> = (0..n).map(f64::from).collect();
            let all = if n % 2 == 1 { medians_of_odd(&sorted) } else { medians_of_even(&sorted) };
            let sum: f64 = all.iter().map(|(_, probability)| probability).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{n}: {sum}");
        }
    }

    #[test]
    fn six_values_by_counting_all_resamples() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let mut counted = std::collections::BTreeMap::new();
        for number in 0..6_usize.pow(6) {
            let digit = |place| number / 6_usize.pow(place) % 6;
            let mut resample: Vec<usize> = (0..6).map(digit).collect();
            resample.sort_unstable();
            *counted.entry((resample[2], resample[3])).or_insert(0_u32) += 1;
        }
        let mut expected: Vec<(f64, f64)> = counted
            .into_iter()
            .map(|((i, j), count)| {
                (f64::midpoint(sorted[i], sorted[j]), f64::from(count) / 6_f64.powi(6))
            })
            .collect();
        let mut found = medians_of_even(&sorted);
        expected.sort_by(|one, other| one.0.total_cmp(&other.0));
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn a_sample_is_known_as_well_as_its_size_allows() {
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[3.0]), Some(Estimate::Once(3.0)));
        let known = |count: usize| Estimate::of(&vec![1.0; count]).unwrap();
        assert!((2..6).all(|count| matches!(known(count), Estimate::Few(_))));
        assert!((6..20).all(|count| matches!(known(count), Estimate::Known(_))));
    }

    #[test]
    fn few_values_have_their_range() {
        assert_eq!(median_interval(&[]), None);
        let interval = median_interval(&[3.0, 1.0, 2.0]).unwrap();
        assert_eq!(interval, Interval { median: 2.0, low: 1.0, high: 3.0 });
        let same = median_interval(&[5.0; 9]).unwrap();
        assert_eq!(same, Interval { median: 5.0, low: 5.0, high: 5.0 });
    }
}
