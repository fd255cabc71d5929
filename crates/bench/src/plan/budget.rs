// SPDX-License-Identifier: MIT OR Apache-2.0
//! What fits into the time: how many rounds, of which scenarios, of how long cells.
//!
//! A run of fewer rounds than [`rounds_needed`] can claim nothing, whatever they show. Where the
//! time is too short for those, cells become as short as those of a lower level, and then what only
//! a higher level plays is left out. If that does not help either the run is made as it was wanted,
//! and [`Plan::can_tell`] says that it will not do.

use crate::model::Level;
use crate::scenarios::{Pace, Scenario};
use crate::statistics::rounds_needed;
use std::time::Duration;

/// How long cells of a scenario took.
#[derive(Clone, Debug)]
pub struct TimedScenario {
    /// The scenario that the cells were of.
    pub scenario: &'static Scenario,
    /// From the choice of the scheduler to the last report, under one candidate or more.
    pub took: Vec<Duration>,
}

/// What may be spent, and on what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How thorough the run is to be.
    pub level: Level,
    /// Schedulers that are compared.
    pub candidates: usize,
    /// The time that is left.
    pub time: Duration,
    /// Whether the user has named it. What is only usual may become half as much again, or at the
    /// lowest level whatever it takes.
    pub is_named: bool,
    /// Whether scenarios may be left out: the user has named none.
    pub may_leave_out: bool,
}

/// What a run will be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Cells are as long as those of this level.
    pub pace: Level,
    /// The scenarios that every round plays, under each candidate.
    pub scenarios: Vec<&'static Scenario>,
    /// How often every scenario is played under every candidate.
    pub rounds: u32,
    /// How long one of them takes.
    pub of_a_round: Duration,
    /// Rounds without which nothing can be sure; none if there is nothing to compare.
    pub rounds_needed: u32,
    /// How long that many take at least, with cells as short and scenarios as few as may be.
    pub least_time: Duration,
}

impl Plan {
    /// Whether that number of rounds can show a difference.
    pub fn can_tell(&self) -> bool {
        self.rounds >= self.rounds_needed
    }

    /// How long that number of rounds takes.
    pub fn time_of(&self, rounds: u32) -> Duration {
        self.of_a_round * rounds
    }
}

/// The least rounds with which this number of candidates can be told apart; none for one alone.
pub fn needed(candidates: usize) -> u32 {
    match candidates * candidates.saturating_sub(1) / 2 {
        0 => 0,
        pairs => rounds_needed(pairs) as u32,
    }
}

/// Decides what a run will be, from how long its scenarios took.
///
/// # Panics
/// Without any scenario.
pub fn plan(budget: &Budget, timed: &[TimedScenario]) -> Plan {
    let lower = || Level::ALL.into_iter().rev().filter(|level| *level < budget.level);
    let shorter = lower().map(|pace| (pace, None));
    let fewer = lower().filter(|_| budget.may_leave_out).map(|from| (Level::Quick, Some(from)));
    let attempts = std::iter::once((budget.level, None)).chain(shorter).chain(fewer);
    let plans = attempts.map(|(pace, of)| budget.attempt(timed, pace, of));
    let mut plans: Vec<Plan> = plans.filter(|plan| !plan.scenarios.is_empty()).collect();
    let least_time = plans.iter().map(|plan| plan.least_time).min().unwrap_or_default();
    let chosen = plans.iter().position(Plan::can_tell).unwrap_or(0);
    Plan { least_time, ..plans.swap_remove(chosen) }
}

impl Budget {
    /// The plan with cells of this pace, on all scenarios or those of a level.
    fn attempt(&self, timed: &[TimedScenario], pace: Level, of: Option<Level>) -> Plan {
        /// More say nothing new.
        const MOST: f64 = 1000.0;
        /// So that there is a table to look at.
        const LEAST: u32 = 3;
        let is_kept = |one: &&TimedScenario| of.is_none_or(|level| one.scenario.from <= level);
        let kept = || timed.iter().filter(is_kept);
        let cells: Duration = kept().map(|one| one.mean_at_pace(self.level, pace)).sum();
        let of_a_round = cells * self.candidates as u32;
        let in_time = |time: Duration| time.as_secs_f64() / of_a_round.as_secs_f64().max(1e-3);
        let most = match (self.is_named, self.level) {
            (true, _) => self.time,
            // There is nothing shorter, and with fewer rounds nothing to be told.
            (false, Level::Quick) => Duration::MAX,
            (false, _) => self.time * 3 / 2,
        };
        let rounds_needed = needed(self.candidates);
        let least = match rounds_needed {
            1.. if in_time(most) >= f64::from(rounds_needed) => rounds_needed,
            _ => LEAST,
        };
        Plan {
            pace,
            scenarios: kept().map(|one| one.scenario).collect(),
            rounds: (in_time(self.time).min(MOST) as u32).max(least),
            of_a_round,
            rounds_needed,
            least_time: of_a_round * rounds_needed,
        }
    }
}

impl TimedScenario {
    /// How long a cell takes at another pace, of all candidates under which it was timed.
    fn mean_at_pace(&self, from: Level, to: Level) -> Duration {
        let all: Duration = self.took.iter().map(|took| self.at_pace(*took, from, to)).sum();
        all / self.took.len().max(1) as u32
    }

    /// How long a cell takes at another pace that took so long.
    fn at_pace(&self, took: Duration, from: Level, to: Level) -> Duration {
        let (before, after) = (Pace::of(from), Pace::of(to));
        let took = took.saturating_sub(before.lead - after.lead);
        match self.scenario.ends_by_time() {
            true => took.saturating_sub(before.time - after.time),
            // It ends by itself, or is given up.
            false => took.min(after.lead + after.limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: [&str; 5] = ["start-readers", "sequential", "deep", "player", "commits"];

    /// Scenarios, each of which took `ms` milliseconds.
    fn took(names: &[&str], ms: u64) -> Vec<TimedScenario> {
        let took = vec![Duration::from_millis(ms)];
        let of = |name: &&str| {
            let scenario = Scenario::named(name).unwrap();
            TimedScenario { scenario, took: took.clone() }
        };
        names.iter().map(of).collect()
    }

    fn budget(level: Level, candidates: usize, time_s: u64) -> Budget {
        let time = Duration::from_secs(time_s);
        Budget { level, candidates, time, is_named: true, may_leave_out: true }
    }

    #[test]
    fn rounds_fill_the_time_but_are_never_too_few() {
        for (candidates, time_s, cell_ms, rounds, can_tell) in [
            (4, 100, 500, 10, true),
            (4, 100, 1_000, 5, false),
            (4, 100, 9_000, 3, false),
            (2, 100, 1_000, 10, true),
            (1, 100, 9_000, 3, true), // there is nothing to tell apart
            (4, 100, 0, 1000, true),
        ] {
            let plan = plan(&budget(Level::Quick, candidates, time_s), &took(&QUICK, cell_ms));
            let found = (plan.rounds, plan.can_tell());
            assert_eq!(found, (rounds, can_tell), "{candidates} candidates, {cell_ms} ms");
            assert_eq!(plan.scenarios.len(), QUICK.len());
        }
    }

    #[test]
    fn a_candidate_under_which_programs_start_late_takes_its_part_of_the_time() {
        let start = Scenario::named("start-readers").unwrap();
        for (took_ms, rounds, pace) in [
            (&[1_000][..], 50, Level::Normal), // the others are taken to be as fast
            (&[1_000, 9_000], 10, Level::Normal),
            // The slow one is given up after 5.4 s: 6.4 s a round, not 2 × 5.4.
            (&[1_000, 15_000], 7, Level::Quick),
        ] {
            let took = took_ms.iter().map(|ms| Duration::from_millis(*ms)).collect();
            let timed = [TimedScenario { scenario: start, took }];
            let time_s = if pace == Level::Quick { 45 } else { 100 };
            let plan = plan(&budget(Level::Normal, 2, time_s), &timed);
            assert_eq!((plan.rounds, plan.pace), (rounds, pace), "{took_ms:?}");
        }
    }

    #[test]
    fn a_time_that_nobody_has_named_is_stretched_to_the_rounds_that_are_needed() {
        for (level, is_named, cell_ms, rounds) in [
            (Level::Quick, false, 700, 8),
            (Level::Quick, true, 700, 7),
            (Level::Quick, false, 900, 8),
            (Level::Quick, false, 9_000, 8), // whatever it takes
            (Level::Quick, true, 9_000, 3),
            (Level::Normal, false, 900, 8),
            (Level::Normal, false, 9_000, 3),
        ] {
            let budget = Budget { is_named, ..budget(level, 4, 100) };
            let plan = plan(&budget, &took(&QUICK, cell_ms));
            assert_eq!(plan.rounds, rounds, "{level:?}, {cell_ms} ms");
        }
    }

    #[test]
    fn where_time_is_short_cells_become_shorter_and_then_scenarios_fewer() {
        use Level::{Normal, Quick, Thorough};
        let names = [&QUICK[..], &["single", "random", "office-readers"]].concat();
        // Of which lead and time are 3.3 s.
        let cells = took(&names, 5_300);
        for (time_s, pace, scenarios, can_tell) in [
            (1_000, Thorough, 8, true),
            (700, Normal, 8, true),
            (550, Quick, 8, true),
            (450, Quick, 7, true), // without office-readers
            (350, Quick, 5, true),
            (250, Thorough, 8, false),
        ] {
            let plan = plan(&budget(Thorough, 3, time_s), &cells);
            let found = (plan.pace, plan.scenarios.len(), plan.can_tell());
            assert_eq!(found, (pace, scenarios, can_tell), "{time_s} s");
            assert!(!can_tell || plan.time_of(plan.rounds) <= Duration::from_secs(time_s));
            // 7 rounds of 3 candidates on 5 scenarios, as short as can be.
            assert_eq!(plan.least_time, Duration::from_millis(7 * 3 * (4 * 2_700 + 4_900)));
        }
        // What the user has named is played, at any level.
        for level in Level::ALL {
            let named = Budget { may_leave_out: false, ..budget(level, 3, 350) };
            assert_eq!(plan(&named, &cells).scenarios.len(), 8);
        }
    }
}
