// SPDX-License-Identifier: MIT OR Apache-2.0
//! In which order everything is measured, and how often.
//!
//! A round has every candidate on every scenario once, in an order of its own: what changes in the
//! course of a run (temperature, caches of the drive, other load) comes over all candidates alike,
//! and the samples of a round can be compared in pairs. How many rounds of what there are is
//! decided by the time there is ([`plan()`]).

mod budget;

pub use budget::{Budget, Plan, TimedScenario, needed, plan};

use crate::model::{Measurement, Opening};
use std::collections::BTreeSet;

/// A candidate on a scenario in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The round, from 0.
    pub round: u32,
    /// The candidate, by its place in [`Opening::candidates`].
    pub candidate: usize,
    /// The scenario, by its place in [`Opening::scenarios`].
    pub scenario: usize,
}

/// The cells of a round in the order in which they are measured, a function of the opening's seed.
pub fn round(opening: &Opening, round: u32) -> Vec<Cell> {
    let candidates = 0..opening.candidates.len();
    let scenarios = 0..opening.scenarios.len();
    let mut cells: Vec<Cell> = candidates
        .flat_map(|candidate| {
            scenarios.clone().map(move |scenario| Cell { round, candidate, scenario })
        })
        .collect();
    fastrand::Rng::with_seed(opening.seed.wrapping_add(u64::from(round))).shuffle(&mut cells);
    cells
}

/// All cells that are still to be measured, in order.
pub fn open_cells(opening: &Opening, measured: &[Measurement]) -> Vec<Cell> {
    let done: BTreeSet<_> =
        measured.iter().map(|m| (m.round, m.candidate.clone(), m.scenario.clone())).collect();
    let is_open = |cell: &Cell| {
        let candidate = opening.candidates[cell.candidate].clone();
        !done.contains(&(cell.round, candidate, opening.scenarios[cell.scenario].clone()))
    };
    (0..opening.rounds).flat_map(|number| round(opening, number)).filter(is_open).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Conditions;
    use host::Candidate;
    use std::collections::BTreeMap;

    fn opening(seed: u64) -> Opening {
        Opening {
            version: String::new(),
            kernel: String::new(),
            target: String::new(),
            disk: String::new(),
            identity: None,
            current: None,
            candidates: ["none", "bfq", "kyber"].map(Candidate::plain).to_vec(),
            scenarios: ["a", "b"].map(str::to_owned).to_vec(),
            rounds: 4,
            seed,
            conditions: Conditions::default(),
        }
    }

    #[test]
    fn a_round_has_every_cell_once_in_an_order_of_its_own() {
        let rounds: Vec<_> = (0..4).map(|number| round(&opening(7), number)).collect();
        for (number, cells) in rounds.iter().enumerate() {
            let distinct: BTreeSet<_> = cells.iter().map(|c| (c.candidate, c.scenario)).collect();
            assert_eq!((cells.len(), distinct.len()), (6, 6));
            assert!(cells.iter().all(|cell| cell.round == number as u32));
        }
        let order = |cells: &[Cell]| cells.iter().map(|c| (c.candidate, c.scenario)).collect();
        let orders: BTreeSet<Vec<_>> = rounds.iter().map(|cells| order(cells)).collect();
        assert_eq!(orders.len(), 4);
    }

    #[test]
    fn the_order_is_a_function_of_the_seed() {
        assert_eq!(round(&opening(7), 2), round(&opening(7), 2));
        assert_ne!(round(&opening(7), 2), round(&opening(8), 2));
    }

    #[test]
    fn what_is_measured_is_not_measured_again() {
        let opening = opening(7);
        let all = open_cells(&opening, &[]);
        assert_eq!(all.len(), 24);
        let measured: Vec<_> = all[..10]
            .iter()
            .map(|cell| Measurement {
                candidate: opening.candidates[cell.candidate].clone(),
                scenario: opening.scenarios[cell.scenario].clone(),
                round: cell.round,
                began_s: 0.0,
                values: BTreeMap::new(),
                remarks: Vec::new(),
                others: None,
            })
            .collect();
        assert_eq!(open_cells(&opening, &measured), all[10..]);
    }
}
