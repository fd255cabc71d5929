// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who goes on first when several processes could at the same instant.

/// The order of processes whose events fall on the same instant. A real machine decides this by
/// the whims of its CPU scheduler; runs that differ in nothing else show what hangs on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimultaneousOrder {
    /// In the order of the job file.
    #[default]
    AsCreated,
    /// In a random order, drawn anew for each instant.
    Shuffled {
        /// Seed of the draws.
        seed: u64,
    },
    /// As Linux 6.1's CPU scheduler decides on a computer with a single CPU. If the driver lets one
    /// task after another go on ([`Runner::take_turn`](crate::Runner::take_turn)), the dispatch
    /// loop is one of them.
    Linux6_1 {
        /// 0: from the first process on; another one: the processes have a history, drawn with it.
        seed: u64,
    },
}

/// Puts processes into that order.
#[derive(Debug)]
pub(crate) struct Arranger {
    order: SimultaneousOrder,
    state: u64,
}

impl Arranger {
    pub(crate) fn new(order: SimultaneousOrder) -> Self {
        let state = match order {
            SimultaneousOrder::Shuffled { seed } => seed,
            _ => 0,
        };
        Self { order, state }
    }

    /// Arranges processes, given by their numbers.
    #[inline]
    pub(crate) fn arrange(&mut self, processes: &mut [u32]) {
        if processes.len() < 2 {
            return;
        }
        processes.sort_unstable();
        if matches!(self.order, SimultaneousOrder::Shuffled { .. }) {
            for last in (1..processes.len()).rev() {
                let other = draw_below(&mut self.state, last as u64 + 1) as usize;
                processes.swap(last, other);
            }
        }
    }
}

/// SplitMix64, scaled by multiplication: the bias (2⁻⁶⁴ · bound) does not matter here.
pub(crate) fn draw_below(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(order: SimultaneousOrder) -> Vec<Vec<u32>> {
        let mut arranger = Arranger::new(order);
        (0..200)
            .map(|_| {
                let mut processes = vec![3, 1, 2];
                arranger.arrange(&mut processes);
                processes
            })
            .collect()
    }

    #[test]
    fn as_created_is_sorted() {
        assert!(draws(SimultaneousOrder::AsCreated).iter().all(|draw| draw == &[1, 2, 3]));
    }

    #[test]
    fn shuffles_follow_the_seed_and_reach_every_permutation() {
        let draw = |seed| draws(SimultaneousOrder::Shuffled { seed });
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let mut distinct = draw(1);
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 6);
    }
}
