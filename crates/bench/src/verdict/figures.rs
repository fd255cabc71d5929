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
    cells: Vec<Vec<Cell>>,
}

/// What a cell of a run says of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    NotMeasured,
    /// It was measured, and nothing was done that a value could be read off.
    NoValue,
    Value(f64),
}

impl Cell {
    fn value(self) -> Option<f64> {
        match self {
            Cell::Value(value) => Some(value),
            Cell::NotMeasured | Cell::NoValue => None,
        }
    }
}

/// A candidate that has no value where another has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoValue {
    /// The place of the candidate.
    pub candidate: usize,
    /// The place of the other.
    pub rival: usize,
    /// The rounds in which that is so.
    pub missing: usize,
    /// The rounds in which both were measured.
    pub rounds: usize,
}

/// A candidate that has a value less often than another, by one part in this number of the rounds,
/// is not compared with it fairly: its worst rounds are those that are left out. Fewer hardly move
/// a median.
const MISSING_PART: usize = 4;

/// All that was measured, scenario by scenario.
pub(super) fn rows(opening: &Opening, measurements: &[Measurement]) -> Vec<Row> {
    let rounds = rounds(measurements);
    let candidates = &opening.candidates;
    let mut rows: Vec<Row> = Vec::new();
    let placed = measurements.iter().filter_map(|measurement| {
        let candidate = candidates.iter().position(|one| *one == measurement.candidate)?;
        let round = rounds.binary_search(&measurement.round).ok()?;
        Some((measurement, candidate, round))
    });
    for (measurement, candidate, round) in placed.clone() {
        for (&metric, &value) in measurement.values.iter().filter(|(_, value)| value.is_finite()) {
            let is =
                |row: &Row| (row.scenario.as_str(), row.metric) == (&measurement.scenario, metric);
            let place = rows.iter().position(is).unwrap_or_else(|| {
                let cells = vec![vec![Cell::NotMeasured; rounds.len()]; candidates.len()];
                rows.push(Row { scenario: measurement.scenario.clone(), metric, cells });
                rows.len() - 1
            });
            rows[place].cells[candidate][round] = Cell::Value(value);
        }
    }
    for (measurement, candidate, round) in placed {
        for row in rows.iter_mut().filter(|row| row.scenario == measurement.scenario) {
            let cell = &mut row.cells[candidate][round];
            if *cell == Cell::NotMeasured {
                *cell = Cell::NoValue;
            }
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
        let rounds = self.cells[one].iter().zip(&self.cells[other]);
        let paired = |(one, other): (&Cell, &Cell)| {
            Some(Paired { one: one.value()?, other: other.value()? })
        };
        Question { metric: self.metric, rounds: rounds.map(paired).collect() }
    }

    /// For each candidate that has no value in a good part of the rounds in which another has one,
    /// beside which of the others that is so most often.
    pub fn without_values(&self) -> Vec<NoValue> {
        // What an I/O costs is not known where none was done, which other metrics tell; and fio
        // tells no start-up of less than a millisecond.
        if matches!(self.metric, Metric::CpuPerIo | Metric::StartUp) {
            return Vec::new();
        }
        let places = 0..self.cells.len();
        let most = |one| places.clone().filter_map(move |other| self.without(one, other));
        places.clone().filter_map(|one| most(one).max_by_key(|found| found.missing)).collect()
    }

    fn without(&self, candidate: usize, rival: usize) -> Option<NoValue> {
        let cells = || self.cells[candidate].iter().zip(&self.cells[rival]);
        let only = |has: usize, lacks: usize| {
            let is = |(one, other): &(&Cell, &Cell)| {
                let pair = [**one, **other];
                pair[has].value().is_some() && pair[lacks] == Cell::NoValue
            };
            cells().filter(is).count()
        };
        let (missing, turned) = (only(1, 0), only(0, 1));
        let both = |(one, other): &(&Cell, &Cell)| {
            **one != Cell::NotMeasured && **other != Cell::NotMeasured
        };
        let rounds = cells().filter(both).count();
        let is_part = missing > turned && (missing - turned) * MISSING_PART >= rounds;
        is_part.then_some(NoValue { candidate, rival, missing, rounds })
    }

    /// Medians, with intervals where there are enough rounds.
    pub fn figure(&self) -> Figure {
        let estimate = |cells: &Vec<Cell>| {
            Estimate::of(&cells.iter().filter_map(|cell| cell.value()).collect::<Vec<_>>())
        };
        Figure {
            scenario: self.scenario.clone(),
            metric: self.metric,
            values: self.cells.iter().map(estimate).collect(),
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
