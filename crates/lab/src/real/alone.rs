// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each job alone on a real target, under no scheduler: what the measure of fairness starts from.

use super::RealRuns;
use super::failures::RequestsFailed;
use super::stage::RealStage;
use super::watched::Watched;
use crate::error::LabError;
use crate::fair::{self, Judge};
use crate::real::failures::AloneFailed;
use disk_io::drive;
use runner::{Config, RunOutcome, Runner, SimultaneousOrder};
use std::ops::ControlFlow;
use workload::Job;

impl RealRuns {
    /// Runs each job alone on the target, for [`run_judged`](Self::run_judged); none if `watch`,
    /// which is told the time since the start and the planned end of each (both ns), ended it.
    ///
    /// # Errors
    /// If a run cannot be made, or requests fail.
    pub fn judge(
        &self,
        stage: &mut RealStage,
        watch: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<Option<Judge>, LabError> {
        let rotational = stage.limits.rotational;
        fair::judge(&self.jobs, &self.group_weights, rotational, |jobs, job| {
            self.alone(stage, jobs, job, watch)
        })
    }

    /// The first process of the job at a place. Blocks that are not as it expects them do not
    /// matter here: the run with all the others tells them.
    fn alone(
        &self,
        stage: &mut RealStage,
        jobs: &[Job],
        job: usize,
        watch: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<Option<RunOutcome>, LabError> {
        stage.target.settle().map_err(LabError::Settle)?;
        let config = Config {
            jobs,
            group_weights: &[],
            settings: self.settings,
            page_cache: None,
            limits: stage.limits,
            seed: self.seed,
            order: SimultaneousOrder::AsCreated,
        };
        let runner = Runner::alone(&config, elevators::build("none", 0, &stage.limits)?, job)?;
        runner.check_intervals(jobs)?;
        let planned_ns = runner.planned_ns();
        let mut alone = Watched { runner, observer: () };
        let rate = self.target.limit_bytes_per_s;
        let mut watch = |now_ns| watch(now_ns, planned_ns);
        let driven = drive(&mut alone, &mut stage.engine, rate, &mut watch)?;
        stage.target.settle().map_err(LabError::Settle)?;
        if !driven.failures.is_empty() {
            let target = stage.target.path().to_path_buf();
            let source = RequestsFailed { target, failures: driven.failures };
            return Err(AloneFailed { job: jobs[job].name.clone(), source }.into());
        }
        Ok((!driven.interrupted).then(|| alone.runner.into_outcome(driven.elapsed_ns)))
    }
}
