// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where every choice of a scenario comes from: a seed, or the bytes of a fuzzer.

/// A source of choices. The same source gives the same choices, everywhere.
pub struct Dice(Source);

enum Source {
    /// State of SplitMix64.
    Seeded(u64),
    Bytes {
        bytes: Vec<u8>,
        at: usize,
    },
}

impl Dice {
    pub fn of_seed(seed: u64) -> Dice {
        let mut dice = Dice(Source::Seeded(seed));
        dice.word(8);
        dice
    }

    /// Every choice is 0 once the bytes are used up.
    pub fn of_bytes(bytes: &[u8]) -> Dice {
        Dice(Source::Bytes { bytes: bytes.to_vec(), at: 0 })
    }

    /// Whether no more choices are to be had; never so with a seed.
    pub fn is_exhausted(&self) -> bool {
        matches!(&self.0, Source::Bytes { bytes, at } if *at >= bytes.len())
    }

    fn word(&mut self, width: usize) -> u64 {
        match &mut self.0 {
            Source::Seeded(state) => {
                *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut word = *state;
                word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                word ^ (word >> 31)
            }
            Source::Bytes { bytes, at } => {
                let taken = bytes.iter().skip(*at).take(width);
                let word = taken.fold(0, |word, &byte| word << 8 | u64::from(byte));
                *at += width;
                word
            }
        }
    }

    /// 0 to `n` − 1, equally likely; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        let width = match n {
            0..=1 => return 0,
            2..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            0x1_0001..=0x1_0000_0000 => 4,
            _ => 8,
        };
        self.word(width) % n
    }

    /// `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// `low` (at least 1) to `high`, each order of magnitude (to the base 2) equally likely.
    pub fn scale(&mut self, low: u64, high: u64) -> u64 {
        let magnitude = self.between(u64::from(low.ilog2()), u64::from(high.ilog2()));
        let drawn = (1 << magnitude) + self.below(1 << magnitude);
        drawn.clamp(low, high)
    }

    /// Whether something of this chance happens; never once the choices are used up, so that
    /// faults end some time.
    pub fn per_mille(&mut self, chance: u64) -> bool {
        chance > 0 && !self.is_exhausted() && self.below(1000) < chance
    }

    pub fn half(&mut self) -> bool {
        self.below(2) == 1
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A position among weights, each as likely as it is heavy; none if all are 0.
    pub fn weighted(&mut self, weights: &[u64]) -> Option<usize> {
        let mut left = self.below(weights.iter().sum());
        weights.iter().position(|&weight| {
            let hit = left < weight;
            left = left.saturating_sub(weight);
            hit
        })
    }
}
