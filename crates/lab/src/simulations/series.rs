// SPDX-License-Identifier: MIT OR Apache-2.0
//! All runs of a plan, one after the other, and their results as one.

use super::Simulations;
use crate::error::LabError;
use crate::fair::Judge;
use crate::observer::{SeriesObserver, SeriesStep};
use device::Profile;
use report::{Mode, Results, Run};

/// All runs, or as many as were made before the observer stopped them.
#[derive(Debug)]
pub struct FinishedSeries {
    /// The results of the runs.
    pub results: Results,
    /// Whether they were stopped before their end. If that was in the middle of the last run, a
    /// note of the results says so.
    pub stopped: bool,
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
    ///
    /// # Errors
    /// If a simulation fails.
    pub fn run_all(&self, observer: &mut dyn SeriesObserver) -> Result<FinishedSeries, LabError> {
        let mut results = self.results(Vec::new());
        let mut judges: Vec<(&Profile, Option<Judge>)> = Vec::new();
        for cell in self.cells() {
            if !judges.last().is_some_and(|(profile, _)| std::ptr::eq(*profile, cell.profile)) {
                judges.push((cell.profile, self.judge_if_fair(cell.profile, observer)?));
            }
            let judge = judges.last().and_then(|(_, judge)| judge.as_ref());
            observer.begins(SeriesStep::Run { choice: cell.choice, device: cell.profile.name() });
            let observe = &mut |now_ns, planned_ns| observer.at(now_ns, planned_ns);
            let finished = self.run_judged(&cell, judge, observe);
            observer.ended();
            let finished = finished?;
            let go_on = observer.logs(finished.logs);
            results.runs.push(finished.run);
            if finished.stopped {
                results.note = Some(format!(
                    "interrupted; the last of these {} runs (of {}) is incomplete",
                    results.runs.len(),
                    self.len()
                ));
            }
            if finished.stopped || go_on.is_break() {
                return Ok(FinishedSeries { results, stopped: true });
            }
        }
        Ok(FinishedSeries { results, stopped: false })
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
