// SPDX-License-Identifier: MIT OR Apache-2.0
//! All runs of a plan, one after the other, and their results as one.

use super::{Cell, Simulations};
use crate::error::LabError;
use crate::fair::Judge;
use device::Profile;
use report::{LogFiles, Mode, Results};
use sim::Control;

/// What is simulated, for those who look on.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Each job alone on a device, so that the runs on it can be judged.
    Alone(&'a Profile),
    /// One of the runs.
    Run(&'a Cell<'a>),
}

/// Looks on while simulations run, and may stop them.
pub trait Onlooker {
    /// A step begins.
    fn begins(&mut self, step: Step<'_>);

    /// The virtual time of the step, and its planned end (both ns). `Stop` ends all of it.
    fn at(&mut self, now_ns: u64, planned_ns: Option<u64>) -> Control;

    /// The step is over, or has failed.
    fn ended(&mut self);

    /// The logs that the jobs of a run asked for, which results do not have.
    fn logs(&mut self, logs: LogFiles);
}

/// Looks on and does nothing: all runs are made to their end, their logs are forgotten.
impl Onlooker for () {
    fn begins(&mut self, _: Step<'_>) {}

    fn at(&mut self, _: u64, _: Option<u64>) -> Control {
        Control::Continue
    }

    fn ended(&mut self) {}

    fn logs(&mut self, _: LogFiles) {}
}

/// All runs, or as many as were made before somebody stopped them.
#[derive(Debug)]
pub struct FinishedSeries {
    /// The results of the runs.
    pub results: Results,
    /// Whether they were stopped before their end: the last run is incomplete, and a note of the
    /// results says so.
    pub stopped: bool,
}

impl Simulations {
    /// Makes all runs, in order, each with the measure of fairness if the plan is to be judged.
    ///
    /// # Errors
    /// If a simulation fails.
    pub fn run_all(&self, onlooker: &mut dyn Onlooker) -> Result<FinishedSeries, LabError> {
        let mut results = Results {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: Mode::Sim,
            seed: self.seed,
            note: None,
            runs: Vec::new(),
        };
        let mut judges: Vec<(&Profile, Option<Judge>)> = Vec::new();
        for cell in self.cells() {
            if !judges.last().is_some_and(|(profile, _)| std::ptr::eq(*profile, cell.profile)) {
                judges.push((cell.profile, self.judge_if_fair(cell.profile, onlooker)?));
            }
            let judge = judges.last().and_then(|(_, judge)| judge.as_ref());
            onlooker.begins(Step::Run(&cell));
            let observe = &mut |now_ns, planned_ns| onlooker.at(now_ns, planned_ns);
            let finished = self.run_judged(&cell, judge, observe);
            onlooker.ended();
            let finished = finished?;
            onlooker.logs(finished.logs);
            results.runs.push(finished.run);
            if finished.stopped {
                results.note = Some(format!(
                    "interrupted; the last of these {} runs (of {}) is incomplete",
                    results.runs.len(),
                    self.len()
                ));
                return Ok(FinishedSeries { results, stopped: true });
            }
        }
        Ok(FinishedSeries { results, stopped: false })
    }

    /// Who judges the runs on a device, if they are to be judged.
    fn judge_if_fair(
        &self,
        profile: &Profile,
        onlooker: &mut dyn Onlooker,
    ) -> Result<Option<Judge>, LabError> {
        if !self.fair {
            return Ok(None);
        }
        onlooker.begins(Step::Alone(profile));
        let observe = &mut |now_ns, planned_ns| onlooker.at(now_ns, planned_ns);
        let judge = self.judge(profile, observe);
        onlooker.ended();
        judge
    }
}
