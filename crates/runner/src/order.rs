// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who goes on first when several processes could at the same instant.

use base::random::Random;

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
    random: Random,
}

impl Arranger {
    pub(crate) fn new(order: SimultaneousOrder) -> Self {
        let seed = match order {
            SimultaneousOrder::Shuffled { seed } => seed,
            _ => 0,
        };
        Self { order, random: Random::new(seed) }
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
                let other = self.random.below(last as u64 + 1) as usize;
                processes.swap(last, other);
            }
        }
    }
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
