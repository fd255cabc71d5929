// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares: of groups, of groups in groups, of priorities and of classes.

use crate::claim::{Claim, Limit};
use crate::measure::{Environment, Measured, measure, measure_in};

/// How far a share may be off after ten seconds, percentage points: a queue's slot is an eighth of
/// a second, and the end of the run cuts the last one off.
const SLOT_PERCENT: f64 = 1.25;

/// A job file, and the shares of its jobs.
struct Scenario {
    file: &'static str,
    /// What follows the scheduler's name.
    tunables: &'static str,
    groups: &'static [(&'static str, u32)],
    tolerance_percent: f64,
    shares: &'static [(&'static str, f64)],
}

const SCENARIOS: [Scenario; 4] = [
    Scenario {
        file: "two-groups.fio",
        tunables: "",
        groups: &[],
        tolerance_percent: SLOT_PERCENT,
        shares: &[("weight-100", 25.0), ("weight-300", 75.0)],
    },
    Scenario {
        file: "weights-200-300.fio",
        tunables: "",
        groups: &[],
        tolerance_percent: SLOT_PERCENT / 3.0,
        shares: &[("weight-200", 40.0), ("weight-300", 60.0)],
    },
    Scenario {
        file: "nested-groups.fio",
        tunables: "",
        groups: &[("dev", 100), ("prod", 300)],
        tolerance_percent: SLOT_PERCENT / 3.0,
        shares: &[("dev", 25.0), ("web", 18.75), ("db", 56.25)],
    },
    Scenario {
        file: "io-priorities.fio",
        tunables: ":low_latency=0",
        groups: &[],
        tolerance_percent: SLOT_PERCENT / 2.0,
        shares: &[
            ("priority-0", 80.0 / 3.6),
            ("priority-1", 70.0 / 3.6),
            ("priority-2", 60.0 / 3.6),
            ("priority-3", 50.0 / 3.6),
            ("priority-4", 40.0 / 3.6),
            ("priority-5", 30.0 / 3.6),
            ("priority-6", 20.0 / 3.6),
            ("priority-7", 10.0 / 3.6),
        ],
    },
];

/// What is known to be missed: file, device, job, and how far it may be off, percentage points. (In
/// nested-groups.fio readers share a queue, and each slot begins with the oldest request of it.)
const KNOWN_MISSES: [(&str, &str, &str, f64); 1] =
    [("nested-groups.fio", "hdd-desktop", "db", 0.5)];

const DEVICES: [&str; 2] = ["ssd-sata", "hdd-desktop"];

pub fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    for device in DEVICES {
        claims.extend(SCENARIOS.iter().flat_map(|scenario| by_weight(scenario, device)));
        claims.extend(by_class(device));
    }
    claims
}

fn by_weight(scenario: &Scenario, device: &'static str) -> Vec<Claim> {
    let Scenario { file, tunables, groups, tolerance_percent, shares } = scenario;
    let scheduler = format!("bfq{tunables}");
    let options: String =
        groups.iter().map(|(path, weight)| format!(" --group {path}={weight}")).collect();
    let command = format!("bfq sim jobs/{file} --device {device} --scheduler {scheduler}{options}");
    let groups = groups.iter().map(|(path, weight)| ((*path).to_owned(), *weight)).collect();
    let environment = Environment { groups, ..Environment::default() };
    let measured = measure_in(&environment, file, device, &scheduler);
    let title = file.trim_end_matches(".fio");
    let claim = |(job, percent): &(&str, f64)| {
        let promised = Limit::Percent(*percent, (tolerance_percent * 100.0).round() / 100.0);
        let what = format!("{title}: share of {job}");
        let is_known =
            |miss: &&(&str, &str, &str, f64)| (miss.0, miss.1, miss.2) == (*file, device, *job);
        let known = KNOWN_MISSES.iter().find(is_known);
        Claim::new(what, device, promised, measured.share_percent(job), &command)
            .known_to_miss(known.map(|miss| Limit::Percent(*percent, miss.3)))
    };
    shares.iter().map(claim).collect()
}

fn by_class(device: &'static str) -> Vec<Claim> {
    let command = format!("bfq sim jobs/classes.fio --device {device} --scheduler bfq");
    let measured: Measured = measure("classes.fio", device, "bfq");
    let claim = |job: &str, promised| {
        let what = format!("classes: share of {job}");
        Claim::new(what, device, promised, measured.share_percent(job), &command)
    };
    vec![
        claim("real-time", Limit::PercentAtLeast(97.5)),
        claim("best-effort", Limit::PercentBelow(0.1)),
        claim("best-effort-now-first", Limit::PercentAtLeast(97.5)),
        claim("idle-still", Limit::PercentAtLeast(0.5)),
    ]
}
