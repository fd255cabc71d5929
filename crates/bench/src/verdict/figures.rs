// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measurements in order: for each metric of each scenario, the values of the candidates,
//! round by round.

use crate::model::{Measurement, Metric, Opening};
use crate::statistics::{Estimate, Paired, Question};
use host::Candidate;

/// A metric of a scenario under every candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name of the scenario.
    pub scenario: String,
    /// Metric of the figure.
    pub metric: Metric,
    /// What is known of it, in the order of the candidates; none if it was not measured.
    pub values: Vec<Option<Estimate>>,
}

/// The values of a metric of a scenario.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub scenario: String,
    pub metric: Metric,
    /// By candidate and round.
    values: Vec<Vec<Option<f64>>>,
}

/// All that was measured, scenario by scenario.
pub(super) fn rows(opening: &Opening, measurements: &[Measurement]) -> Vec<Row> {
    let rounds = measurements.iter().map(|one| one.round as usize + 1).max().unwrap_or(0);
    let candidates = &opening.candidates;
    let mut rows: Vec<Row> = Vec::new();
    for measurement in measurements {
        let Some(candidate) = candidates.iter().position(|one| *one == measurement.candidate)
        else {
            continue;
        };
        for (&metric, &value) in measurement.values.iter().filter(|(_, value)| value.is_finite()) {
            let is =
                |row: &Row| (row.scenario.as_str(), row.metric) == (&measurement.scenario, metric);
            let place = rows.iter().position(is).unwrap_or_else(|| {
                let values = vec![vec![None; rounds]; candidates.len()];
                rows.push(Row { scenario: measurement.scenario.clone(), metric, values });
                rows.len() - 1
            });
            rows[place].values[candidate][measurement.round as usize] = Some(value);
        }
    }
    let place = |scenario: &String| opening.scenarios.iter().position(|one| one == scenario);
    rows.sort_by_key(|row| (place(&row.scenario).unwrap_or(usize::MAX), row.metric));
    rows
}

impl Row {
    /// What two candidates are asked, by their places.
    pub fn question(&self, one: usize, other: usize) -> Question {
        let rounds = self.values[one].iter().zip(&self.values[other]);
        let paired = |(one, other): (&Option<f64>, &Option<f64>)| {
            Some(Paired { one: (*one)?, other: (*other)? })
        };
        Question { metric: self.metric, rounds: rounds.map(paired).collect() }
    }

    /// Medians, with intervals where there are enough rounds.
    pub fn figure(&self) -> Figure {
        let estimate = |values: &Vec<Option<f64>>| {
            Estimate::of(&values.iter().flatten().copied().collect::<Vec<_>>())
        };
        Figure {
            scenario: self.scenario.clone(),
            metric: self.metric,
            values: self.values.iter().map(estimate).collect(),
        }
    }
}

/// Rounds of which each candidate has every scenario that was measured at all.
pub(super) fn whole_rounds(opening: &Opening, measurements: &[Measurement]) -> usize {
    let last = measurements.iter().map(|one| one.round + 1).max().unwrap_or(0);
    let mut cells: Vec<(&Candidate, &str)> =
        measurements.iter().map(|one| (&one.candidate, one.scenario.as_str())).collect();
    cells.sort();
    cells.dedup();
    let measured = |round: u32, (candidate, scenario): &(&Candidate, &str)| {
        let is = |one: &Measurement| {
            (one.round, &one.candidate, one.scenario.as_str()) == (round, *candidate, *scenario)
        };
        measurements.iter().any(is)
    };
    let known = |cell: &&(&Candidate, &str)| opening.candidates.contains(cell.0);
    (0..last).filter(|round| cells.iter().filter(known).all(|cell| measured(*round, cell))).count()
}
