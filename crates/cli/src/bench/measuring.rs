// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cells, one after the other, with a bar that knows the time left.

use super::stage::Stage;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use bench::model::{Measurement, Opening, ResultsFile};
use bench::plan::{self, Rehearsed};
use bench::session::SessionError;
use std::time::{Duration, Instant};

/// How the measuring ended.
#[derive(Debug)]
pub enum Ended {
    /// Everything is measured.
    Done,
    /// The user wanted to end.
    Interrupted,
    /// It cannot go on.
    Failed(Failure),
}

/// Plays every scenario once, candidate after candidate, and forgets the figures: caches and drives
/// get warm, and it is known how long each takes.
///
/// # Errors
/// A scenario cannot be played, or the user wants to end.
pub fn rehearse(
    stage: &mut Stage,
    interrupt: &Interrupt,
    quiet: bool,
) -> Result<Vec<Rehearsed>, Failure> {
    let progress = Progress::new("warming up".to_owned(), quiet);
    let (scenarios, candidates) = (stage.scenarios.clone(), stage.candidates.clone());
    let interrupted = || interrupt.requested();
    let count = scenarios.len();
    let mut rehearsed = Vec::new();
    for (number, scenario) in scenarios.into_iter().enumerate() {
        progress.piece(number, count);
        let candidate = &candidates[number % candidates.len()];
        let began = Instant::now();
        match stage.session(&interrupted).run_cell(candidate, scenario, u32::MAX) {
            Ok(_) => rehearsed.push(Rehearsed { scenario, took: began.elapsed() }),
            Err(SessionError::Interrupted) => return Err(Failure::Interrupted),
            Err(error) => return Err(Failure::run(error)),
        }
    }
    progress.clear();
    Ok(rehearsed)
}

/// Measures what is not measured yet, and adds it as it comes.
pub fn measure(
    stage: &mut Stage,
    opening: &Opening,
    measured: &mut Vec<Measurement>,
    mut file: Option<&mut ResultsFile>,
    interrupt: &Interrupt,
    quiet: bool,
) -> Ended {
    let cells = plan::open_cells(opening, measured);
    let progress = Progress::new("measuring".to_owned(), quiet);
    let scenarios = stage.scenarios.clone();
    let interrupted = || interrupt.requested();
    let before_s = measured.last().map_or(0.0, |last| last.began_s);
    let began = Instant::now();
    for (number, cell) in cells.iter().enumerate() {
        let candidate = &opening.candidates[cell.candidate];
        let scenario = scenarios[cell.scenario];
        let left = time_left(began.elapsed(), number, cells.len());
        let (round, rounds) = (cell.round + 1, opening.rounds);
        let what = format!("{left}round {round} of {rounds}: {candidate}, {}", scenario.name);
        progress.step(number, cells.len(), what);
        let began_s = before_s + began.elapsed().as_secs_f64();
        let figures = match stage.session(&interrupted).run_cell(candidate, scenario, cell.round) {
            Ok(figures) => figures,
            Err(SessionError::Interrupted) => return Ended::Interrupted,
            Err(error) => return Ended::Failed(Failure::run(error)),
        };
        let measurement = Measurement {
            candidate: candidate.clone(),
            scenario: scenario.name.to_owned(),
            round: cell.round,
            began_s,
            values: figures.values,
            remarks: figures.remarks,
            others: figures.others,
        };
        if let Some(file) = &mut file
            && let Err(error) = file.add(&measurement)
        {
            return Ended::Failed(Failure::run(error));
        }
        measured.push(measurement);
    }
    progress.clear();
    Ended::Done
}

/// `1m20s left, `, when that can be told.
fn time_left(elapsed: Duration, done: usize, all: usize) -> String {
    if done == 0 {
        return String::new();
    }
    let left_s = (elapsed.as_secs_f64() / done as f64 * (all - done) as f64).round() as u64;
    match left_s {
        0..60 => format!("{left_s}s left, "),
        _ => format!("{}m{:02}s left, ", left_s / 60, left_s % 60),
    }
}
