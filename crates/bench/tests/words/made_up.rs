// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that are made up: some random, some whose truth is known.

use bench::model::{Measurement, Metric, Opening};
use host::Candidate;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};

/// What is measured, with usual values.
const MEASURED: [(&str, Metric, f64); 14] = [
    ("start-readers", Metric::StartUp, 2.0),
    ("start-readers", Metric::Throughput, 100.0),
    ("start-writers", Metric::StartUp, 0.5),
    ("sequential", Metric::Throughput, 900.0),
    ("random", Metric::LatencyTail, 5.0),
    ("deep", Metric::Iops, 9000.0),
    ("deep", Metric::CpuPerIo, 6.0),
    ("deep", Metric::LatencyTail, 20.0),
    ("groups", Metric::ShareError, 10.0),
    ("player", Metric::LateFrames, 20.0),
    ("client", Metric::LatencyMedian, 1.0),
    ("client", Metric::LatencyTail, 300.0),
    ("commits", Metric::SyncTail, 12.0),
    ("commits", Metric::Iops, 300.0),
];

const CANDIDATES: [&str; 4] = ["none", "bfq", "kyber", "bfq:low_latency=0"];

fn opening(candidates: usize, current: Option<usize>) -> Opening {
    let mut scenarios: Vec<String> = MEASURED.map(|(name, ..)| name.to_owned()).to_vec();
    scenarios.dedup();
    Opening {
        version: "0.1.0".to_owned(),
        kernel: "6.18.0".to_owned(),
        target: "/srv".to_owned(),
        disk: "a disk".to_owned(),
        identity: None,
        current: current.map(|place| CANDIDATES[place].to_owned()),
        candidates: CANDIDATES[..candidates].iter().map(|name| name.parse().unwrap()).collect(),
        scenarios,
        rounds: 20,
        seed: 1,
        conditions: Default::default(),
    }
}

fn value(metric: Metric, usual: f64, effect: f64, noise: f64) -> f64 {
    match metric {
        // Percentages, which may be nothing at all.
        Metric::LateFrames | Metric::ShareError => {
            (usual * effect.exp() + noise * 20.0 - 15.0).clamp(0.0, 100.0)
        }
        _ => usual * (effect + noise).exp(),
    }
}

/// A random run: 2 to 4 candidates, 1 to 20 rounds, some cells missing, effects from none to large,
/// noise from none to more than the effects.
pub fn run(seed: u64) -> (Opening, Vec<Measurement>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let candidates = random.random_range(2..=CANDIDATES.len());
    let current = random.random_bool(0.8).then(|| random.random_range(0..candidates));
    let opening = opening(candidates, current);
    // What takes longest to judge, many rounds of many candidates, is made less often.
    let rounds = random.random_range(1..=20_u32).min(random.random_range(1..=20));
    let (spread, noise) = (random.random_range(0.0..1.5), random.random_range(0.0..0.8_f64));
    let missing = if random.random_bool(0.3) { 0.3 } else { 0.0 };
    let normal = Normal::new(0.0, 1.0).unwrap();
    let effects: Vec<Vec<f64>> = (0..candidates)
        .map(|_| MEASURED.map(|_| spread * normal.sample(&mut random)).to_vec())
        .collect();
    let mut measured = Vec::new();
    for round in 0..rounds {
        for scenario in &opening.scenarios {
            for (place, candidate) in opening.candidates.iter().enumerate() {
                if random.random_bool(missing) {
                    continue;
                }
                let of_scenario =
                    MEASURED.iter().enumerate().filter(|(_, (name, ..))| name == scenario);
                let values = of_scenario.map(|(row, (_, metric, usual))| {
                    let noise = noise * normal.sample(&mut random);
                    (*metric, value(*metric, *usual, effects[place][row], noise))
                });
                measured.push(measurement(candidate, scenario, round, values.collect()));
            }
        }
    }
    (opening, measured)
}

/// Ten rounds of two, without noise to speak of: bfq starts programs six times faster and moves
/// a third less.
pub fn plain() -> (Opening, Vec<Measurement>) {
    let mut opening = opening(2, Some(0));
    opening.scenarios = vec!["start-readers".to_owned()];
    let mut measured = Vec::new();
    for round in 0..10 {
        let wobble = 1.0 + 0.01 * f64::from(round % 5);
        for (candidate, start_s, mb_per_s) in [("none", 6.0 * wobble, 90.0), ("bfq", 1.0, 60.0)] {
            let values = [(Metric::StartUp, start_s), (Metric::Throughput, mb_per_s / wobble)];
            let values = values.into_iter().collect();
            measured.push(measurement(&candidate.parse().unwrap(), "start-readers", round, values));
        }
    }
    (opening, measured)
}

fn measurement(
    candidate: &Candidate,
    scenario: &str,
    round: u32,
    values: std::collections::BTreeMap<Metric, f64>,
) -> Measurement {
    Measurement {
        candidate: candidate.clone(),
        scenario: scenario.to_owned(),
        round,
        began_s: 0.0,
        values,
        remarks: Vec::new(),
        others: None,
    }
}
