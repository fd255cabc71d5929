// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often chance is taken for a difference, how often a difference is found, and how often an
//! interval holds the truth: on simulated noise.

use bench::model::Metric;
use bench::statistics::{Finding, Paired, Question, compare, median_interval};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp, Normal, StudentT};

/// What disturbs the measurements of a disk.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// Values are log-normal.
    LogNormal,
    /// Student's t of two degrees of freedom: no variance.
    HeavyTails,
    /// Twice as slow at the end as at the beginning.
    Drift,
    /// One value in twenty takes much longer.
    Outliers,
    /// Now fast, now slow, and little in between.
    TwoModes,
}

const NOISES: [Noise; 5] =
    [Noise::LogNormal, Noise::HeavyTails, Noise::Drift, Noise::Outliers, Noise::TwoModes];

impl Noise {
    /// A value around 1, measured when this part of the run (0 to 1) has passed.
    fn value(self, passed: f64, random: &mut ChaCha8Rng) -> f64 {
        let normal = Normal::new(0.0, 0.1).unwrap().sample(random);
        let logarithm = match self {
            Noise::LogNormal => normal,
            Noise::HeavyTails => 0.05 * StudentT::new(2.0).unwrap().sample(random),
            Noise::Drift => normal + passed * 2_f64.ln(),
            Noise::Outliers if random.random_bool(0.05) => Exp::new(1.0).unwrap().sample(random),
            Noise::Outliers => normal,
            Noise::TwoModes => normal * 0.1 + f64::from(u8::from(random.random_bool(0.5))) * 0.3,
        };
        logarithm.exp()
    }
}

/// Metrics of a run: some start-up times and rates, and a cost. The first is one of which a fifth
/// is much more than what matters.
const METRICS: [Metric; 6] = [
    Metric::Throughput,
    Metric::StartUp,
    Metric::StartUp,
    Metric::Iops,
    Metric::SyncTail,
    Metric::CpuPerIo,
];

/// Whether the two of a run are told apart in its first question, or in any.
fn told_apart(noise: Noise, rounds: usize, effect: f64, random: &mut ChaCha8Rng) -> (bool, bool) {
    let mut questions: Vec<Question> =
        METRICS.iter().map(|&metric| Question { metric, rounds: Vec::new() }).collect();
    for round in 0..rounds {
        let first_is_first = random.random();
        for (place, question) in questions.iter_mut().enumerate() {
            let when = |second: f64| (round as f64 + 0.5 * second) / rounds as f64;
            let [early, late] = [0.0, 1.0].map(|second| noise.value(when(second), random));
            let (one, other) = if first_is_first { (early, late) } else { (late, early) };
            let effect = if place == 0 { effect } else { 1.0 };
            // Of a size at which all differences that are large enough in proportion matter.
            let paired = Paired { one: one * 10.0, other: other * 10.0 * effect };
            question.rounds.push(Some(paired));
        }
    }
    let called = |finding: Finding| finding.apart().is_some();
    let answers = compare(&questions, 1, 0);
    let called: Vec<bool> = answers.iter().flatten().map(|one| called(one.finding)).collect();
    (called[0], called.contains(&true))
}

#[test]
fn the_same_scheduler_twice_differs_in_at_most_five_of_a_hundred_runs() {
    const RUNS: u32 = 1000;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut differences = 0;
    for run in 0..RUNS {
        let noise = NOISES[run as usize % NOISES.len()];
        let rounds = [6, 8, 10, 14][run as usize / NOISES.len() % 4];
        differences += u32::from(told_apart(noise, rounds, 1.0, &mut random).1);
    }
    println!("{differences} of {RUNS} runs of the same scheduler twice claim a difference");
    assert!(differences <= RUNS / 20, "{differences} of {RUNS}");
    assert!(differences > 0, "a test that never errs at this level does not look");
}

#[test]
fn a_fifth_at_a_tenth_of_noise_is_found_by_ten_rounds() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for (noise, least_percent) in
        [(Noise::LogNormal, 60), (Noise::HeavyTails, 60), (Noise::Drift, 50), (Noise::Outliers, 30)]
    {
        let found = |_: &u32| told_apart(noise, 10, 1.2, &mut random).0;
        let found = (0..200).filter(found).count() / 2;
        println!("20 % at {noise:?} is found in {found} % of runs of 10 rounds");
        assert!(found >= least_percent, "{noise:?}: {found} %");
    }
}

#[test]
fn intervals_hold_the_truth() {
    const RUNS: usize = 1000;
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for rounds in [6, 10, 20] {
        let holds = |_: &usize| {
            let mut value = || Noise::LogNormal.value(0.0, &mut random);
            let ratios: Vec<f64> = (0..rounds).map(|_| (value() / value()).ln()).collect();
            let interval = median_interval(&ratios).unwrap();
            interval.low <= 0.0 && 0.0 <= interval.high
        };
        let percent = (0..RUNS).filter(holds).count() * 100 / RUNS;
        println!("{percent} % of the intervals of {rounds} rounds hold the true ratio");
        assert!((90..=98).contains(&percent), "{rounds} rounds: {percent} %");
    }
}
