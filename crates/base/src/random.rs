// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random numbers that are a function of a seed, on every machine: SplitMix64 (Steele,
//! Lea, Flood 2014).
//!
//! Own code, since what the simulator, workloads and patterns of data draw is part of what they
//! promise (the same seed gives the same results, also in later versions), and as the output
//! function is needed by itself, which no library offers.

/// The step between two states of the generator: 2^64 divided by the golden ratio, odd.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function: a bijection of the 64-bit numbers in which every bit of the
/// input changes about half the bits of the output.
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream that begins behind this state.
    pub const fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// What the `index`-th call (from 0) of [`Random::next`] answers, without the others.
    pub const fn nth(&self, index: u64) -> u64 {
        mix(self.state.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)))
    }

    /// A number above 0 and up to 1, in steps of 2^-53, each equally likely.
    pub const fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number below `bound` (which is not 0), each equally likely.
    #[inline(always)]
    pub const fn below(&mut self, bound: u64) -> u64 {
        let product = self.next() as u128 * bound as u128;
        // Lemire's method: the low half tells the few draws that would favour some numbers.
        if (product as u64) < bound {
            return self.fairly_below(bound, product);
        }
        (product >> 64) as u64
    }

    /// The same, from a first draw that may have to be repeated.
    #[cold]
    #[inline(never)]
    const fn fairly_below(&mut self, bound: u64, mut product: u128) -> u64 {
        let unfair = bound.wrapping_neg() % bound;
        while (product as u64) < unfair {
            product = self.next() as u128 * bound as u128;
        }
        (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_generator_is_splitmix64() {
        // The published first outputs for the seed 1234567.
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        let mut random = Random::new(1_234_567);
        for (index, expected) in published.into_iter().enumerate() {
            assert_eq!(Random::new(1_234_567).nth(index as u64), expected);
            assert_eq!(random.next(), expected);
        }
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut random = Random::new(1);
        for bound in [1, 2, 3, 10, 17] {
            let mut counts = vec![0u32; bound as usize];
            for _ in 0..bound * 10_000 {
                counts[random.below(bound) as usize] += 1;
            }
            for count in counts {
                assert!((9_500..10_500).contains(&count), "{count} of 10000 below {bound}");
            }
        }
    }

    #[test]
    fn a_part_of_one_is_neither_nothing_nor_more() {
        let mut random = Random::new(3);
        let drawn: vec::Vec<f64> = (0..10_000).map(|_| random.unit()).collect();
        assert!(drawn.iter().all(|part| *part > 0.0 && *part <= 1.0));
        let mean = drawn.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
