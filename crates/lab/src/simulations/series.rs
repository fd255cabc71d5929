// SPDX-License-Identifier: MIT OR Apache-2.0
//! All runs of a plan, one after the other, and their results as one.

use super::{Cell, FinishedSimulation, Simulations};
use crate::error::LabError;
use crate::fair::Judge;
use crate::observer::{SeriesObserver, SeriesStep};
use device::Profile;
use report::{Mode, Results, Run};

/// All runs, or as many as were made before the observer stopped them.
#[derive(Debug)]
pub struct FinishedSeries {
    /// The results of the runs that did not fail.
    pub results: Results,
    /// Whether they were stopped before their end. If that was in the middle of the last run, a
    /// note of the results says so.
    pub stopped: bool,
    /// The runs that failed. A note of the results names them.
    pub failed: Vec<FailedRun>,
}

/// A run of several that failed.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct FailedRun {
    /// Which one: `bfq on hdd-desktop`.
    pub what: String,
    /// Why it failed.
    #[source]
    pub error: LabError,
}

impl Simulations {
    /// The results of these runs of the plan.
    pub fn results(&self, runs: Vec<Run>) -> Results {
        Results {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: Mode::Sim,
            seed: self.seed,
            note: None,
            runs,
        }
    }

    /// Makes all runs, in order, each with the measure of fairness if the plan is to be judged.
    /// What was done is kept when one fails, and those that follow are made, unless the input is to
    /// blame: then they would fail as well.
    ///
    /// # Errors
    /// If the first simulation fails as the input is wrong, or the only one.
    pub fn run_all(&self, observer: &mut dyn SeriesObserver) -> Result<FinishedSeries, LabError> {
        let (mut runs, mut notes, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let mut stopped = false;
        let mut judges: Vec<(&Profile, Option<Judge>)> = Vec::new();
        for cell in self.cells() {
            let finished = match self.run_cell(&cell, &mut judges, observer) {
                Ok(finished) => finished,
                Err(error) if self.len() == 1 => return Err(error),
                Err(error) if error.is_usage() && runs.is_empty() && failed.is_empty() => {
                    return Err(error);
                }
                Err(error) => {
                    let is_usage = error.is_usage();
                    let what = format!("{} on {}", cell.choice.spec(), cell.profile.name());
                    failed.push(FailedRun { what, error });
                    if is_usage {
                        break;
                    }
                    continue;
                }
            };
            let go_on = observer.logs(finished.logs);
            runs.push(finished.run);
            if finished.stopped {
                notes.push(format!(
                    "interrupted; the last of these {} runs (of {}) is incomplete",
                    runs.len(),
                    self.len()
                ));
            }
            if finished.stopped || go_on.is_break() {
                stopped = true;
                break;
            }
        }
        if !failed.is_empty() {
            let names: Vec<&str> = failed.iter().map(|run| run.what.as_str()).collect();
            notes.push(format!("not among these runs, as they failed: {}", names.join(", ")));
        }
        notes.extend(notes_of(&mut runs));
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        Ok(FinishedSeries { results: Results { note, ..self.results(runs) }, stopped, failed })
    }

    /// Makes a run, after those that its judge needs. `judges` are those that were needed so far.
    fn run_cell<'p>(
        &self,
        cell: &Cell<'p>,
        judges: &mut Vec<(&'p Profile, Option<Judge>)>,
        observer: &mut dyn SeriesObserver,
    ) -> Result<FinishedSimulation, LabError> {
        if !judges.last().is_some_and(|(profile, _)| std::ptr::eq(*profile, cell.profile)) {
            judges.push((cell.profile, self.judge_if_fair(cell.profile, observer)?));
        }
        let judge = judges.last().and_then(|(_, judge)| judge.as_ref());
        observer.begins(SeriesStep::Run { choice: cell.choice, device: cell.profile.name() });
        let observe = &mut |now_ns, planned_ns| observer.at(now_ns, planned_ns);
        let finished = self.run_judged(cell, judge, observe);
        observer.ended();
        finished
    }

    /// Who judges the runs on a device, if they are to be judged.
    fn judge_if_fair(
        &self,
        profile: &Profile,
        observer: &mut dyn SeriesObserver,
    ) -> Result<Option<Judge>, LabError> {
        if !self.fair {
            return Ok(None);
        }
        observer.begins(SeriesStep::Alone { device: profile.name() });
        let observe = &mut |now_ns, planned_ns| observer.at(now_ns, planned_ns);
        let judge = self.judge(profile, observe);
        observer.ended();
        judge
    }
}

/// Takes the notes of single runs, each once: as a rule all runs of the same jobs have the same.
pub(crate) fn notes_of(runs: &mut [Run]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in runs.iter_mut().filter_map(|run| run.note.take()) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
