//! The medians, scenario by scenario.

use bench::model::{Candidate, METRICS, Measurement, Metric, Opening};
use bench::scenarios::Scenario;
use std::fmt::Write;

/// A table for people: a line for each candidate, below a line for each figure of each scenario.
pub fn medians(opening: &Opening, measured: &[Measurement]) -> String {
    let mut text = String::new();
    for name in &opening.scenarios {
        let title = Scenario::named(name).map_or("", |scenario| scenario.title);
        for row in &METRICS {
            let has = |m: &&Measurement| m.scenario == *name && m.values.contains_key(&row.metric);
            if !measured.iter().any(|m| has(&m)) {
                continue;
            }
            let _ = writeln!(text, "{name}: {title}; {}, {}", row.title, row.unit);
            for candidate in &opening.candidates {
                if let Some(value) = median(measured, candidate, name, row.metric) {
                    let _ = writeln!(text, "  {:<36} {value:>12.3}", candidate.to_string());
                }
            }
        }
    }
    text
}

fn median(
    measured: &[Measurement],
    candidate: &Candidate,
    scenario: &str,
    metric: Metric,
) -> Option<f64> {
    let mut values: Vec<f64> = measured
        .iter()
        .filter(|m| m.candidate == *candidate && m.scenario == scenario)
        .filter_map(|m| m.values.get(&metric).copied())
        .collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len().checked_sub(1)? / 2;
    Some((values[middle] + values[values.len() / 2]) / 2.0)
}
