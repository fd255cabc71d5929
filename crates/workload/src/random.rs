// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random numbers: SplitMix64, one small generator for each thing a process draws.
//!
//! A process's seed is derived from the run's seed, its job's number and its clone's number; each
//! stream's seed from the process's seed and the stream's number. So no process's numbers depend
//! on what another does, and no stream's on how often another one is drawn from.

/// The step between two states of the generator: 2^64 divided by the golden ratio, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function: a bijection of the 64-bit numbers in which every bit of the
/// input changes about half the bits of the output.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

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

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(process_seed: u64, stream: Stream) -> Random {
        Random { state: mix(process_seed ^ mix(stream as u64)) }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number above 0 and up to 1, in steps of 2^-53, each equally likely.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number below `bound` (which is not 0), each equally likely.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next()) * u128::from(bound);
        // Lemire's method: the low half tells the few draws that would favour some numbers.
        if (product as u64) < bound {
            let unfair = bound.wrapping_neg() % bound;
            while (product as u64) < unfair {
                product = u128::from(self.next()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
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

    #[test]
    fn the_generator_is_splitmix64() {
        // The published first outputs for the seed 1234567.
        let mut random = Random { state: 1_234_567 };
        let drawn: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut random = Random::new(1, Stream::Offset);
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
}
