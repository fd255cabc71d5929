// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds of random numbers: one small generator for each thing a process draws.
//!
//! A process's seed is derived from the run's seed, its job's number and its clone's number; each
//! stream's seed from the process's seed and the stream's number. So no process's numbers depend
//! on what another does, and no stream's on how often another one is drawn from.

use base::random::{GOLDEN, Random, mix};

/// The seed of one process: `mix(mix(mix(seed + G) + job + G) + clone + G)`, where `mix` is
/// SplitMix64's output function and G = 0x9e3779b97f4a7c15; all additions modulo 2^64.
///
/// `job` is [`crate::Job::index`]; `seed` is the run's, or the job's `randseed`.
pub fn process_seed(seed: u64, job: u32, clone: u32) -> u64 {
    let of_run = mix(seed.wrapping_add(GOLDEN));
    let of_job = mix(of_run.wrapping_add(u64::from(job)).wrapping_add(GOLDEN));
    mix(of_job.wrapping_add(u64::from(clone)).wrapping_add(GOLDEN))
}

/// What a process draws numbers for.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    Offset = 1,
    Size = 2,
    Mix = 3,
    StartDelay = 4,
    Distribution = 5,
    Files = 6,
    Pace = 7,
}

impl Stream {
    /// The numbers that a process draws for this.
    pub(crate) fn of_process(self, process_seed: u64) -> Random {
        Random::new(mix(process_seed ^ mix(self as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_rule_gives_the_seed_of_a_process() {
        let g = GOLDEN;
        let expected = mix(mix(mix(7u64.wrapping_add(g)).wrapping_add(3).wrapping_add(g))
            .wrapping_add(5)
            .wrapping_add(g));
        assert_eq!(process_seed(7, 3, 5), expected);
        let mut seeds: Vec<u64> =
            (0..20).flat_map(|job| (0..20).map(move |clone| process_seed(1, job, clone))).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 400);
    }
}
