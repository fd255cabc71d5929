// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws of blocks that are not all equally likely (`random_distribution`).
//!
//! Logarithms and powers are those of the crate `libm`, which has the same result on every machine;
//! those of the standard library are the machine's own.

use crate::job::{Direction, Distribution, Extent, Share};
use crate::permutation::Permutation;
use base::random::Random;

/// Draws numbers below a bound.
#[derive(Debug)]
pub(super) struct Likely {
    blocks: u64,
    shape: Shape,
    random: Random,
}

#[derive(Debug)]
enum Shape {
    Ranked {
        ranks: Ranks,
        order: Permutation,
        center: u64,
    },
    Normal {
        deviation_blocks: f64,
        center: u64,
    },
    /// Percent of the draws, and the blocks that they are from.
    Zoned(Vec<(u64, std::ops::Range<u64>)>),
}

/// Draws of ranks, the most likely one being 0.
#[derive(Debug)]
enum Ranks {
    Zipf(Zipf),
    Pareto { power: f64 },
}

impl Likely {
    /// Draws from `blocks` blocks of `block_bytes`; none if all are equally likely.
    pub(super) fn new(
        distribution: &Distribution,
        direction: Direction,
        blocks: u64,
        block_bytes: u64,
        mut random: Random,
    ) -> Option<Likely> {
        if blocks == 0 {
            return None;
        }
        let at = |center: f64| ((center * blocks as f64) as u64).min(blocks - 1);
        let mut ranked = |ranks: Ranks, center: &Option<f64>| {
            let order = Permutation::new(blocks, random.next());
            let anywhere = random.below(blocks);
            Shape::Ranked { ranks, order, center: center.map_or(anywhere, at) }
        };
        let shape = match distribution {
            Distribution::Uniform => return None,
            Distribution::Zipf { theta, center } => {
                ranked(Ranks::Zipf(Zipf::new(blocks, *theta)), center)
            }
            Distribution::Pareto { h, center } => {
                ranked(Ranks::Pareto { power: power_of_pareto(*h) }, center)
            }
            Distribution::Normal { deviation_percent, center } => Shape::Normal {
                deviation_blocks: deviation_percent / 100.0 * blocks as f64,
                center: at(*center),
            },
            Distribution::Zoned(shares) => {
                Shape::Zoned(zones(&shares[direction], blocks, block_bytes))
            }
        };
        Some(Likely { blocks, shape, random })
    }

    /// Draws the number of the block that comes next, below the number of blocks.
    pub(super) fn draw(&mut self) -> u64 {
        let Likely { blocks, shape, random } = self;
        match shape {
            // Only the most likely block is where it shall be; the others are all over the region.
            Shape::Ranked { ranks, order, center } => {
                let rank = ranks.draw(*blocks, random);
                let step = order.at(rank) + *blocks - order.at(0);
                ((u128::from(step) + u128::from(*center)) % u128::from(*blocks)) as u64
            }
            Shape::Normal { deviation_blocks, center } => {
                // Twelve uniform draws have a sum that is as good as normal, with a deviation of 1.
                let sum: f64 = (0..12).map(|_| random.unit()).sum();
                let step = ((sum - 6.0) * *deviation_blocks).floor() as i64;
                (i128::from(*center) + i128::from(step)).rem_euclid(i128::from(*blocks)) as u64
            }
            Shape::Zoned(zones) => {
                let mut percent = random.below(100);
                for (share, zone) in zones.iter() {
                    if percent < *share {
                        return zone.start + random.below(zone.end - zone.start);
                    }
                    percent -= share;
                }
                random.below(*blocks)
            }
        }
    }
}

/// The power of uniform draws that leaves a part 1 - h of the draws to a part h of the blocks.
fn power_of_pareto(h: f64) -> f64 {
    // As fio has it. If h is so small that 1 - h is rounded to 1, its logarithm would be 0.
    let rest = if 1.0 - h == 1.0 { libm::log1p(-h) } else { libm::log(1.0 - h) };
    libm::log(h) / rest
}

/// The shares as stretches of blocks. One that has no whole block, or lies behind the end, is
/// the whole region.
fn zones(shares: &[Share], blocks: u64, block_bytes: u64) -> Vec<(u64, std::ops::Range<u64>)> {
    let mut start: u64 = 0;
    let zone = |share: &Share| {
        let length = match share.length {
            Extent::Bytes(bytes) => bytes / block_bytes,
            percent => percent.of(blocks),
        };
        let end = start.saturating_add(length).min(blocks);
        let zone = if start < end { start..end } else { 0..blocks };
        start = end;
        (u64::from(share.percent), zone)
    };
    shares.iter().map(zone).collect()
}

impl Ranks {
    fn draw(&self, blocks: u64, random: &mut Random) -> u64 {
        match self {
            Ranks::Zipf(zipf) => zipf.draw(random),
            Ranks::Pareto { power } => {
                let rank = ((blocks - 1) as f64 * libm::pow(random.unit(), *power)) as u64;
                // Large numbers of blocks are rounded as they become f64.
                rank.min(blocks - 1)
            }
        }
    }
}

/// Numbers k from 1 to n with probabilities proportional to 1/k^s, by inversion and rejection
/// (Hörmann and Derflinger: Rejection-inversion to generate variates from monotone discrete
/// distributions, 1996). It needs no table, however large n is.
#[derive(Debug)]
struct Zipf {
    exponent: f64,
    most: f64,
    /// The integral of the density up to 1.5, less the probability of 1; and up to n + 0.5.
    low: f64,
    high: f64,
    /// Draws so near below their number are taken without a further look.
    near: f64,
}

impl Zipf {
    fn new(n: u64, exponent: f64) -> Zipf {
        let mut zipf = Zipf { exponent, most: n as f64, low: 0.0, high: 0.0, near: 0.0 };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(n as f64 + 0.5);
        zipf.near = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    /// One less than the number drawn.
    fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.high + random.unit() * (self.low - self.high);
            let x = self.inverse(area);
            let k = libm::floor(x + 0.5).clamp(1.0, self.most);
            if k - x <= self.near || area >= self.integral(k + 0.5) - self.density(k) {
                return k as u64 - 1;
            }
        }
    }

    fn density(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    /// The integral of the density from 1 to x.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let power = (1.0 - self.exponent) * log;
        // expm1(p)/p, which is 1 at 0.
        let ratio = if power.abs() > 1e-8 { libm::expm1(power) / power } else { 1.0 };
        ratio * log
    }

    /// The x whose integral this is.
    fn inverse(&self, area: f64) -> f64 {
        // Rounding may lead out of the domain of the logarithm.
        let power = (area * (1.0 - self.exponent)).max(-1.0);
        let ratio = if power.abs() > 1e-8 { libm::log1p(power) / power } else { 1.0 };
        libm::exp(ratio * area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const DRAWS: u32 = 100_000;
    const BLOCKS: u64 = 1000;

    /// How often each of a thousand blocks is drawn.
    fn counts(distribution: Distribution) -> Vec<u32> {
        let random = Stream::Distribution.of_process(7);
        let mut likely = Likely::new(&distribution, Direction::Read, BLOCKS, 4096, random).unwrap();
        let mut counts = vec![0; BLOCKS as usize];
        (0..DRAWS).for_each(|_| counts[likely.draw() as usize] += 1);
        counts
    }

    fn is_near(count: u32, expected: f64) -> bool {
        // Six standard deviations and a bit.
        (f64::from(count) - expected).abs() < 6.0 * expected.sqrt() + 10.0
    }

    #[test]
    fn the_ranks_of_zipf_have_the_probabilities_of_the_law() {
        for theta in [0.0, 0.5, 0.99, 1.2, 3.0] {
            let mut counts = counts(Distribution::Zipf { theta, center: None });
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let sum: f64 = (1..=BLOCKS).map(|k| (k as f64).powf(-theta)).sum();
            // Where ranks are as good as equal, sorting by count favours the first.
            for k in (1..=8u32).filter(|_| theta > 0.4) {
                let expected = f64::from(DRAWS) * f64::from(k).powf(-theta) / sum;
                assert!(is_near(counts[k as usize - 1], expected), "{theta} {k}: {counts:?}");
            }
            let half: u32 = counts[..500].iter().sum();
            let law: f64 = (1..=500).map(|k| f64::from(k).powf(-theta)).sum::<f64>() / sum;
            assert!((f64::from(half) / f64::from(DRAWS) - law).abs() < 0.05, "{theta}: {half}");
        }
    }

    #[test]
    fn the_most_likely_block_is_at_the_centre() {
        for distribution in [
            Distribution::Zipf { theta: 1.2, center: Some(0.25) },
            Distribution::Pareto { h: 0.2, center: Some(0.25) },
        ] {
            let counts = counts(distribution);
            let most = (0..counts.len()).max_by_key(|&block| counts[block]);
            assert_eq!(most, Some(250));
        }
    }

    #[test]
    fn a_part_h_of_the_blocks_gets_the_rest_of_the_draws_by_pareto() {
        let mut counts = counts(Distribution::Pareto { h: 0.2, center: None });
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let fifth: u32 = counts[..200].iter().sum();
        assert!((78_000..=83_000).contains(&fifth), "{fifth}");
        let fifth_of_fifth: u32 = counts[..40].iter().sum();
        assert!((62_000..=67_000).contains(&fifth_of_fifth), "{fifth_of_fifth}");
    }

    #[test]
    fn draws_are_blocks_at_the_edges_of_the_parameters() {
        let pareto = |h| Distribution::Pareto { h, center: None };
        let zipf = |theta| Distribution::Zipf { theta, center: None };
        let normal = |deviation_percent| Distribution::Normal { deviation_percent, center: 1.0 };
        for distribution in [
            pareto(f64::MIN_POSITIVE),
            pareto(1e-300),
            pareto(1e-17),
            pareto(1e-16),
            pareto(1.0 - f64::EPSILON / 2.0),
            zipf(0.0),
            zipf(1.0 + f64::EPSILON),
            zipf(1e300),
            normal(0.0),
            normal(99.999_999),
        ] {
            for blocks in [1, 2, 3, 1000, u64::MAX / 4096] {
                let random = Stream::Distribution.of_process(7);
                let mut likely =
                    Likely::new(&distribution, Direction::Read, blocks, 4096, random).unwrap();
                for _ in 0..100 {
                    let block = likely.draw();
                    assert!(block < blocks, "{distribution:?}: {block} of {blocks}");
                }
            }
        }
    }

    #[test]
    fn normal_has_its_centre_and_its_deviation() {
        let counts = counts(Distribution::Normal { deviation_percent: 10.0, center: 0.5 });
        for (range, least, most) in
            [(400..600, 0.66, 0.70), (300..700, 0.945, 0.965), (0..500, 0.48, 0.52)]
        {
            let part = f64::from(counts[range].iter().sum::<u32>()) / f64::from(DRAWS);
            assert!((least..most).contains(&part), "{part}");
        }
    }

    #[test]
    fn each_zone_gets_its_share() {
        let share = |percent, length| Share { percent, length };
        let zoned =
            |shares: Vec<Share>| counts(Distribution::Zoned(crate::job::PerDirection::all(shares)));
        let relative = zoned(vec![
            share(60, Extent::Percent(10)),
            share(30, Extent::Percent(20)),
            share(10, Extent::Percent(70)),
        ]);
        let absolute = zoned(vec![
            share(60, Extent::Bytes(100 * 4096)),
            share(30, Extent::Bytes(200 * 4096)),
            share(10, Extent::Bytes(u64::MAX)),
        ]);
        assert_eq!(relative, absolute);
        for (range, expected) in [(0..100, 60_000.0), (100..300, 30_000.0), (300..1000, 10_000.0)] {
            let count = relative[range].iter().sum();
            assert!(is_near(count, expected), "{count}, not {expected}");
        }
    }
}
