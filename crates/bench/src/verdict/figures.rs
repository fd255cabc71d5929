// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measurements in order: for each metric of each scenario, the values of the candidates,
//! round by round.

use crate::model::{Measurement, Metric, Opening};
use crate::statistics::{Estimate, Paired, Question};
use std::collections::{BTreeMap, BTreeSet};

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
    let rounds = rounds(measurements);
    let candidates = &opening.candidates;
    let mut rows: Vec<Row> = Vec::new();
    for measurement in measurements {
        let Some(candidate) = candidates.iter().position(|one| *one == measurement.candidate)
        else {
            continue;
        };
        let round = rounds.binary_search(&measurement.round).expect("all rounds are listed");
        for (&metric, &value) in measurement.values.iter().filter(|(_, value)| value.is_finite()) {
            let is =
                |row: &Row| (row.scenario.as_str(), row.metric) == (&measurement.scenario, metric);
            let place = rows.iter().position(is).unwrap_or_else(|| {
                let values = vec![vec![None; rounds.len()]; candidates.len()];
                rows.push(Row { scenario: measurement.scenario.clone(), metric, values });
                rows.len() - 1
            });
            rows[place].values[candidate][round] = Some(value);
        }
    }
    let place = |scenario: &String| opening.scenarios.iter().position(|one| one == scenario);
    rows.sort_by_key(|row| (place(&row.scenario).unwrap_or(usize::MAX), row.metric));
    rows
}

/// The rounds that occur, in order. A file may have gaps, and any number: they are places in no
/// table.
fn rounds(measurements: &[Measurement]) -> Vec<u32> {
    let mut rounds: Vec<u32> = measurements.iter().map(|one| one.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
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
    let known = measurements.iter().filter(|one| opening.candidates.contains(&one.candidate));
    let cell = |one: &&Measurement| (one.candidate.clone(), one.scenario.clone());
    let cells: BTreeSet<_> = known.clone().map(|one| cell(&one)).collect();
    let mut by_round: BTreeMap<u32, BTreeSet<_>> = BTreeMap::new();
    for one in known {
        by_round.entry(one.round).or_default().insert(cell(&one));
    }
    by_round.values().filter(|measured| measured.len() == cells.len()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::made_up_runs;

    #[test]
    fn rounds_are_counted_and_paired_whatever_their_numbers() {
        let table = [("a", Metric::Iops, &[100.0, 200.0][..])];
        let opening = made_up_runs::opening(&["none", "bfq"], &table);
        let mut measured = made_up_runs::measurements(&opening, &table, 3, 0.05, 1);
        let usual = rows(&opening, &measured);
        assert_eq!(whole_rounds(&opening, &measured), 3);
        for one in &mut measured {
            one.round = [3, 400_000_000, u32::MAX][one.round as usize];
        }
        let found = rows(&opening, &measured);
        assert_eq!(whole_rounds(&opening, &measured), 3);
        assert_eq!(found[0].question(0, 1), usual[0].question(0, 1));
        assert_eq!(found[0].figure(), usual[0].figure());
        measured.remove(0);
        assert_eq!(whole_rounds(&opening, &measured), 2);
        assert_eq!(rows(&opening, &measured)[0].question(0, 1).rounds.iter().flatten().count(), 2);
    }
}
