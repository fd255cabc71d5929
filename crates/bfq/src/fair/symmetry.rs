// SPDX-License-Identifier: MIT OR Apache-2.0
//! A multiset of effective weights, for the symmetry test (spec 1.16): how many differ, and which
//! is the smallest.
//!
//! Queues that are not raised have a base weight of 1..=1000, so counts sit in a table, and a
//! bitmap of the weights present gives the smallest in a few instructions.

use crate::{
    store::arena::{OutOfMemory, filled},
    units::Weight,
};
use alloc::vec::Vec;

const WORDS: usize = (Weight::MAX_BFQ.get() as usize + 1).div_ceil(64);

/// Counts of the weights of busy queues that are not raised.
#[derive(Debug)]
pub(crate) struct WeightCounters {
    counts: Vec<u32>,
    present: [u64; WORDS],
    distinct: u32,
}

impl WeightCounters {
    /// Counters of all weights up to [`Weight::MAX_BFQ`], each of them 0.
    pub fn new() -> Result<Self, OutOfMemory> {
        let counts = filled(Weight::MAX_BFQ.get() as usize + 1, 0)?;
        Ok(WeightCounters { counts, present: [0; WORDS], distinct: 0 })
    }

    /// Adds one queue of this weight.
    // Out of line, as `remove`: most queues that become busy or idle are counted all the time, or
    // are raised.
    #[inline(never)]
    pub fn add(&mut self, weight: Weight) {
        let at = Self::position(weight);
        if self.counts[at] == 0 {
            self.present[at / 64] |= 1 << (at % 64);
            self.distinct += 1;
        }
        self.counts[at] += 1;
    }

    /// Takes away one queue of this weight, which was added.
    #[inline(never)]
    pub fn remove(&mut self, weight: Weight) {
        let at = Self::position(weight);
        debug_assert!(self.counts[at] > 0, "no queue of weight {weight} is counted");
        self.counts[at] -= 1;
        if self.counts[at] == 0 {
            self.present[at / 64] &= !(1 << (at % 64));
            self.distinct -= 1;
        }
    }

    /// Number of different weights.
    pub fn distinct(&self) -> u32 {
        self.distinct
    }

    /// The smallest weight of a counted queue; none if no queue is counted.
    pub fn smallest(&self) -> Option<Weight> {
        let word = self.present.iter().position(|&word| word != 0)?;
        Some(Weight::of(word as u32 * 64 + self.present[word].trailing_zeros()))
    }

    /// Number of queues counted.
    pub fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    fn position(weight: Weight) -> usize {
        weight.min(Weight::MAX_BFQ).get() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_distinct_weights_and_the_smallest() {
        let mut counters = WeightCounters::new().unwrap();
        assert_eq!((counters.distinct(), counters.smallest()), (0, None));
        for weight in [40, 80, 40, 1000] {
            counters.add(Weight::of(weight));
        }
        assert_eq!((counters.distinct(), counters.smallest()), (3, Some(Weight::of(40))));
        counters.remove(Weight::of(40));
        assert_eq!((counters.distinct(), counters.total()), (3, 3));
        counters.remove(Weight::of(40));
        assert_eq!((counters.distinct(), counters.smallest()), (2, Some(Weight::of(80))));
    }
}
