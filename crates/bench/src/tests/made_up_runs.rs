// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that are made up, for tests: medians for each candidate, and noise.

use crate::model::{Measurement, Metric, Opening};
use host::Candidate;
use std::collections::BTreeMap;

/// A metric of a scenario, and its true value under each candidate.
pub type TrueValues<'a> = (&'a str, Metric, &'a [f64]);

/// The opening of a run of these candidates.
pub fn opening(candidates: &[&str], table: &[TrueValues]) -> Opening {
    let mut scenarios: Vec<String> = table.iter().map(|(name, ..)| (*name).to_owned()).collect();
    scenarios.dedup();
    Opening {
        version: "0.1.0".to_owned(),
        kernel: "6.18.0".to_owned(),
        target: "/srv".to_owned(),
        disk: "sda: 500 GB, rotates".to_owned(),
        identity: None,
        current: Some("mq-deadline".to_owned()),
        candidates: candidates.iter().map(|name| name.parse().unwrap()).collect(),
        scenarios,
        rounds: 10,
        seed: 1,
        conditions: Default::default(),
    }
}

/// The measurements of `rounds` rounds, with this noise (0.05: a twentieth, either way).
pub fn measurements(
    opening: &Opening,
    table: &[TrueValues],
    rounds: u32,
    noise: f64,
    seed: u64,
) -> Vec<Measurement> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut measurements = Vec::new();
    for round in 0..rounds {
        for scenario in &opening.scenarios {
            for (place, candidate) in opening.candidates.iter().enumerate() {
                let of_scenario = table.iter().filter(|(name, ..)| name == scenario);
                let mut value = |of: &[f64]| of[place] * (1.0 + noise * (random.f64() * 2.0 - 1.0));
                let values: BTreeMap<Metric, f64> =
                    of_scenario.map(|(_, metric, of)| (*metric, value(of))).collect();
                measurements.push(measurement(candidate, scenario, round, values));
            }
        }
    }
    measurements
}

fn measurement(
    candidate: &Candidate,
    scenario: &str,
    round: u32,
    values: BTreeMap<Metric, f64>,
) -> Measurement {
    Measurement {
        candidate: candidate.clone(),
        scenario: scenario.to_owned(),
        round,
        began_s: f64::from(round),
        values,
        remarks: Vec::new(),
        others: None,
    }
}
