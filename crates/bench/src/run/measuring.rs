// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cells, one after the other.

use super::error::RunError;
use super::listener::Listener;
use super::planned::Planned;
use super::stage::BenchStage;
use crate::model::{Measurement, Opening, ResultsFile};
use crate::plan;
use std::time::{Duration, Instant};

/// What a run gave. The machine is put back.
#[derive(Debug)]
pub struct Measured {
    /// What was to be measured.
    pub opening: Opening,
    /// The cells that were measured, in the order of the run.
    pub measured: Vec<Measurement>,
    /// Whether all was measured, and if not, why.
    pub ended: Ended,
    /// What could not be put back, if the measuring failed besides.
    pub not_restored: Option<RunError>,
}

/// How the measuring ended.
#[derive(Debug)]
pub enum Ended {
    /// Every cell of the plan is measured.
    Done,
    /// The user wanted to end.
    Interrupted,
    /// It cannot go on.
    Failed(RunError),
}

impl Planned {
    /// Measures what is not measured yet, adds it to the file (if there is one) as it comes, and
    /// puts the machine back.
    pub fn measure(
        self,
        mut measured: Vec<Measurement>,
        mut file: Option<ResultsFile>,
        listener: &dyn Listener,
    ) -> Measured {
        let Planned { mut stage, opening, .. } = self;
        let began_s = measured.last().map_or(0.0, |last| last.began_s);
        let cells = Cells { stage: &mut stage, opening: &opening, began_s, listener };
        let ended = match cells.measure(&mut measured, file.as_mut()) {
            Ok(()) => Ended::Done,
            Err(RunError::Interrupted) => Ended::Interrupted,
            Err(error) => Ended::Failed(error),
        };
        let (ended, not_restored) = match (stage.restore(), ended) {
            (Err(error), Ended::Done | Ended::Interrupted) => (Ended::Failed(error), None),
            (restored, ended) => (ended, restored.err()),
        };
        Measured { opening, measured, ended, not_restored }
    }
}

/// The cells that are still to be measured, and with what.
struct Cells<'a> {
    stage: &'a mut BenchStage,
    opening: &'a Opening,
    /// Where the clock of the measurements stands.
    began_s: f64,
    listener: &'a dyn Listener,
}

impl Cells<'_> {
    fn measure(
        self,
        measured: &mut Vec<Measurement>,
        mut file: Option<&mut ResultsFile>,
    ) -> Result<(), RunError> {
        let Cells { stage, opening, listener, .. } = self;
        let cells = plan::open_cells(opening, measured);
        let scenarios = stage.scenarios.clone();
        let interrupted = || listener.interrupted();
        let began = Instant::now();
        for (number, cell) in cells.iter().enumerate() {
            let candidate = &opening.candidates[cell.candidate];
            let scenario = scenarios[cell.scenario];
            let left = time_left(began.elapsed(), number, cells.len());
            let (round, rounds) = (cell.round + 1, opening.rounds);
            let next = format!("{left}round {round} of {rounds}: {candidate}, {}", scenario.name);
            listener.measures(number, cells.len(), next);
            let began_s = self.began_s + began.elapsed().as_secs_f64();
            let figures = stage.session(&interrupted).run_cell(candidate, scenario, cell.round)?;
            let measurement = Measurement {
                candidate: candidate.clone(),
                scenario: scenario.name.to_owned(),
                round: cell.round,
                began_s,
                values: figures.values,
                remarks: figures.remarks,
                others: figures.others,
            };
            if let Some(file) = &mut file {
                file.add(&measurement).map_err(RunError::Results)?;
            }
            measured.push(measurement);
        }
        listener.is_over();
        Ok(())
    }
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
