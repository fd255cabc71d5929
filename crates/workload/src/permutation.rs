// SPDX-License-Identifier: MIT OR Apache-2.0
//! A random order of the numbers below n that needs no memory: a keyed bijection, computed.
//!
//! It stands in for fio's map of the blocks already used: each block comes exactly once in a pass,
//! and a process needs a few words for that, however large its region.
//!
//! The numbers are laid out in a grid of `rows` × `columns` cells, both near √n, the columns a
//! power of two. A Feistel network shifts the row by a keyed function of the column, then the
//! column by one of the row, and so on. The last row may be incomplete; a result that falls behind
//! its end is sent through again, which ends inside after finitely many steps since the network is
//! a bijection of the grid.

use base::random::{GOLDEN, mix};

/// More rounds make small grids more even; eight suffice to pass the tests below.
const ROUNDS: usize = 8;

/// A random order of the numbers below a bound.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    count: u64,
    rows: u64,
    /// Binary digits of a column's number.
    column_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// An order of `0..count` (`count` is not 0), chosen by `key`.
    pub(crate) fn new(count: u64, key: u64) -> Permutation {
        let count_bits = u64::BITS - (count - 1).leading_zeros();
        let column_bits = count_bits.div_ceil(2);
        let rows = count.div_ceil(1 << column_bits);
        let mut keys = [0; ROUNDS];
        let mut state = key;
        for round_key in &mut keys {
            state = mix(state.wrapping_add(GOLDEN));
            *round_key = state;
        }
        Permutation { count, rows, column_bits, keys }
    }

    /// The number at `place` (below the count) of the order.
    pub(crate) fn at(&self, place: u64) -> u64 {
        debug_assert!(place < self.count, "{place} is not below {}", self.count);
        let mut number = self.shuffled(place);
        while number >= self.count {
            number = self.shuffled(number);
        }
        number
    }

    fn shuffled(&self, number: u64) -> u64 {
        let column_mask = (1 << self.column_bits) - 1;
        let mut row = number >> self.column_bits;
        let mut column = number & column_mask;
        for pair in self.keys.chunks_exact(2) {
            row = shifted(row, folded(column ^ pair[0]), self.rows);
            column = column.wrapping_add(folded(row ^ pair[1])) & column_mask;
        }
        row << self.column_bits | column
    }
}

/// A cheap hash: the two halves of the product with an odd constant, together.
fn folded(number: u64) -> u64 {
    let product = u128::from(number) * u128::from(GOLDEN);
    (product >> 64) as u64 ^ product as u64
}

/// `number` moved on by a share of `length` that `hash` gives, modulo `length`.
fn shifted(number: u64, hash: u64, length: u64) -> u64 {
    let by = ((u128::from(hash) * u128::from(length)) >> 64) as u64;
    let sum = number + by;
    if sum >= length { sum - length } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_number_comes_exactly_once(count in 1u64..3000, key: u64) {
            let permutation = Permutation::new(count, key);
            let mut seen = vec![false; count as usize];
            for place in 0..count {
                let number = permutation.at(place) as usize;
                prop_assert!(!seen[number]);
                seen[number] = true;
            }
        }

        #[test]
        fn large_counts_stay_in_range_and_apart(count in 1u64 << 40..=1 << 52, key: u64) {
            let permutation = Permutation::new(count, key);
            let mut numbers: Vec<u64> = (0..50).map(|place| permutation.at(place)).collect();
            numbers.sort_unstable();
            prop_assert!(numbers[49] < count);
            prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn every_number_is_equally_likely_first_and_last() {
        for count in [2u64, 3, 5, 8, 20] {
            let trials = count * 5_000;
            for place in [0, count - 1] {
                let mut counts = vec![0u32; count as usize];
                for key in 0..trials {
                    counts[Permutation::new(count, mix(key)).at(place) as usize] += 1;
                }
                for (number, &times) in counts.iter().enumerate() {
                    assert!((4_600..5_400).contains(&times), "{number} of {count}: {times}");
                }
            }
        }
    }

    #[test]
    fn neighbours_in_the_order_are_far_apart_in_the_region() {
        // Two random numbers below n differ by n/3 on average.
        let count = 1 << 20;
        let permutation = Permutation::new(count, 5);
        let numbers: Vec<u64> = (0..100_000).map(|place| permutation.at(place)).collect();
        let total: u64 = numbers.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
        let mean = total as f64 / (numbers.len() - 1) as f64;
        assert!((mean / count as f64 - 1.0 / 3.0).abs() < 0.01, "{mean}");
    }
}
