// SPDX-License-Identifier: MIT OR Apache-2.0
//! All runs of a plan on a real target, one after the other, and their results as one.

use super::failures::{RequestsFailed, VerifyFailed};
use super::stage::RealStage;
use super::{Finished, RealRuns};
use crate::error::LabError;
use crate::fair::Judge;
use crate::observer::{SeriesObserver, SeriesStep};
use crate::simulations::series::notes_of;
use report::{Mode, Results, Run};
use std::ops::ControlFlow;

/// All runs on a target, or as many as were made before they ended.
#[derive(Debug)]
pub struct FinishedRealSeries {
    /// The results of the runs, that of a run which failed or was stopped with them.
    pub results: Results,
    /// Whether all runs were made, and if not, why.
    pub ended: SeriesEnd,
}

/// How runs on a target ended.
#[derive(Debug)]
pub enum SeriesEnd {
    /// All runs of the series were made.
    Done,
    /// The observer stopped them. If that was in the middle of the last run, a note of the results
    /// says so.
    Stopped,
    /// The last run failed, or could not even be made.
    Failed(LabError),
}

impl RealRuns {
    /// Makes the runs under one scheduler after the other, each with the measure of fairness if the
    /// plan is to be judged, until one fails or is stopped.
    pub fn run_all(
        &self,
        stage: &mut RealStage,
        observer: &mut dyn SeriesObserver,
    ) -> FinishedRealSeries {
        let mut notes = self.notes(stage);
        let mut runs = Vec::new();
        let ended = match self.judge_if_fair(stage, observer) {
            Ok(judge) => self.run_each(stage, judge.as_ref(), observer, &mut notes, &mut runs),
            Err(error) => SeriesEnd::Failed(error),
        };
        notes.extend(notes_of(&mut runs));
        let results = Results {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: Mode::Run,
            seed: self.seed,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            runs,
        };
        FinishedRealSeries { results, ended }
    }

    /// Who judges the runs, if they are to be judged.
    fn judge_if_fair(
        &self,
        stage: &mut RealStage,
        observer: &mut dyn SeriesObserver,
    ) -> Result<Option<Judge>, LabError> {
        if !self.fair {
            return Ok(None);
        }
        observer.begins(SeriesStep::Alone { device: &stage.target.path().display().to_string() });
        let watch = &mut |now_ns, planned_ns| observer.at(now_ns, planned_ns);
        let judge = self.judge(stage, watch);
        observer.ended();
        judge?.map(Some).ok_or(LabError::NotJudged)
    }

    fn run_each(
        &self,
        stage: &mut RealStage,
        judge: Option<&Judge>,
        observer: &mut dyn SeriesObserver,
        notes: &mut Vec<String>,
        runs: &mut Vec<Run>,
    ) -> SeriesEnd {
        let device = stage.target.path().display().to_string();
        for (place, choice) in self.choices.iter().enumerate() {
            observer.begins(SeriesStep::Run { choice, device: &device });
            let watch = &mut |now_ns, planned_ns| observer.at(now_ns, planned_ns);
            let finished = self.run_judged(stage, place, judge, watch);
            observer.ended();
            let Finished { run, logs, driven, mismatches } = match finished {
                Ok(finished) => finished,
                Err(error) => return SeriesEnd::Failed(error),
            };
            runs.push(run);
            if let ControlFlow::Break(()) = observer.logs(logs) {
                return SeriesEnd::Stopped;
            }
            let target = self.target.path.clone();
            if !driven.failures.is_empty() {
                let failures = driven.failures;
                return SeriesEnd::Failed(RequestsFailed { target, failures }.into());
            }
            if mismatches.count > 0 {
                return SeriesEnd::Failed(VerifyFailed { target, mismatches }.into());
            }
            if driven.interrupted {
                let (made, all) = (runs.len(), self.choices.len());
                notes.push(format!("interrupted in run {made} of {all}, which is incomplete"));
                return SeriesEnd::Stopped;
            }
        }
        SeriesEnd::Done
    }
}
