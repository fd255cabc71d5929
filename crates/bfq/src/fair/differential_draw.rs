// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the random scenarios of `differential_random_tests` are drawn from.

use super::Service;
use crate::units::Class;

/// A SplitMix64 generator: the number is its state and its seed, so a failure can be repeated.
pub(super) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What a scenario draws from: few values make ties, wide ranges make odd shapes.
pub(super) struct Palette {
    pub budgets: &'static [u64],
    pub charges: &'static [u64],
    pub weights: &'static [u32],
    pub classes: &'static [Class],
}

impl Palette {
    pub fn draw(random: &mut Random) -> Palette {
        const RT: Class = Class::RealTime;
        const BE: Class = Class::BestEffort;
        const IDLE: Class = Class::Idle;
        const MS: u64 = 1_000_000;
        const BUDGETS: [&[u64]; 6] = [
            &[512],
            &[512, 1024, 4096],
            &[1, 100, 1000, 3000, 9000, 16384],
            &[0, 1, 512, 1 << 20, i32::MAX as u64],
            // Nanoseconds.
            &[MS, 10 * MS, 100 * MS, 7 * MS + 1],
            &[100 * MS, 5000 * MS, Service::MAX.units() as u64],
        ];
        const CHARGES: [&[u64]; 6] = [
            &[512],
            &[8, 64, 512, 1024],
            &[1, 7, 300, 16384],
            &[1, 512, 1 << 20],
            &[50_000, MS, 10 * MS, 33 * MS],
            &[MS, 1000 * MS, 10_000 * MS],
        ];
        const WEIGHTS: [&[u32]; 3] = [&[40], &[40, 80, 100], &[1, 10, 20, 30, 70, 200, 999, 1000]];
        const CLASSES: [&[Class]; 3] = [&[BE], &[BE, BE, BE, IDLE], &[BE, BE, RT, IDLE]];
        Palette {
            budgets: random.pick(&BUDGETS),
            charges: random.pick(&CHARGES),
            weights: random.pick(&WEIGHTS),
            classes: random.pick(&CLASSES),
        }
    }
}
