// SPDX-License-Identifier: MIT OR Apache-2.0
//! Job files on a real file or device, in real time, under our schedulers.

pub(crate) mod alignment;
mod alone;
mod date;
mod explain_plan;
pub(crate) mod failures;
pub(crate) mod series;
mod stage;
mod watched;

pub use failures::{AloneFailed, RequestsFailed, VerifyFailed};
pub use stage::{RealStage, TargetOptions};

use crate::error::LabError;
use crate::fair::{self, Judge};
use crate::schedulers::{self, Choice};
use crate::simulations::recorder;
use crate::work::Work;
use base::SECTOR_BYTES;
use blk::{DeviceLimits, QueueSettings};
use disk_io::{Driven, EngineKind, Target, drive};
use explain::TimelineRecorder;
use report::{DeviceInfo, LogFiles, OrderedMap, Run, Scenario};
use runner::{Config, Mismatches, Runner, SimultaneousOrder};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use watched::Watched;
use workload::{Environment, Job};

/// What the work is run on and under, as people write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealRunsOptions {
    /// The file or block device, and how it is used.
    pub target: TargetOptions,
    /// The list of schedulers.
    pub schedulers: String,
    /// How many entries of the schedule a result has for drawings; 0: none.
    pub timeline: usize,
    /// Whether runs are to be judged by how fairly they share the target's time.
    pub fair: bool,
    /// The command that repeats it all, for the results.
    pub command: String,
}

/// Runs that are planned: everything was read, and fits as far as can be told before the
/// target is opened.
#[derive(Debug)]
pub struct RealRuns {
    jobs: Vec<Job>,
    choices: Vec<Choice>,
    settings: QueueSettings,
    group_weights: Vec<(String, u32)>,
    scenario: Scenario,
    seed: u64,
    timeline: usize,
    fair: bool,
    target: TargetOptions,
}

/// A run that is over.
#[derive(Debug)]
pub struct Finished {
    /// The result of the run.
    pub run: Run,
    /// The logs that jobs asked for.
    pub logs: LogFiles,
    /// What the target was asked to do.
    pub driven: Driven,
    /// Blocks that were not as `verify` expects them.
    pub mismatches: Mismatches,
}

impl RealRuns {
    /// Reads all of the input, so that what is wrong is said before anything is created.
    ///
    /// # Errors
    /// If anything of it is wrong.
    pub fn plan(
        work: &Work,
        options: RealRunsOptions,
        files: &dyn Environment,
    ) -> Result<RealRuns, LabError> {
        let jobs = work.jobs(files)?;
        if options.fair {
            fair::check(&jobs)?;
        }
        let choices = schedulers::parse(&options.schedulers, &work.set)?;
        let settings = work.queue_settings()?;
        let group_weights = work.group_weights()?;
        let scenario = work.scenario(&jobs, files, options.command)?;
        let plan = RealRuns {
            jobs,
            choices,
            settings,
            group_weights,
            scenario,
            seed: work.seed,
            timeline: options.timeline,
            fair: options.fair,
            target: options.target,
        };
        if let Some(size_bytes) = plan.target.size_bytes {
            Target::check_size(size_bytes)
                .map_err(|source| LabError::Size { size_bytes, source })?;
            // Better to hear now that the jobs do not fit than after the target has been filled.
            let limits = DeviceLimits {
                capacity_sectors: size_bytes / SECTOR_BYTES,
                ..DeviceLimits::new(plan.target.depth, false)
            };
            plan.runner(&plan.choices[0], limits, None)?;
        }
        Ok(plan)
    }

    /// The jobs to be run.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The schedulers, in the order in which they run.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// Opens or creates the target, and finds out how it can be used. `fill` is told how much of it
    /// (bytes, of how many) has been filled, and may stop that.
    ///
    /// # Errors
    /// If it cannot be had, or the jobs don't fit it.
    pub fn stage(
        &self,
        fill: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<RealStage, LabError> {
        RealStage::open(&self.target, &self.jobs, &self.settings, fill)
    }

    /// What people should know of how the target is used; the results say it, too.
    pub fn notes(&self, stage: &RealStage) -> Vec<String> {
        stage.notes(self.target.engine)
    }

    /// What follows the prefix of a run's logs, so that those of several runs have names
    /// of their own.
    fn infix(&self, place: usize) -> String {
        match self.choices.len() {
            1 => String::new(),
            _ => format!("-{}.{}", self.choices[place].name(), place + 1),
        }
    }

    /// Runs under the scheduler at `place` of the list, with the measure of fairness if there is
    /// who judges. `watch` is told the time since the start and the planned end (both ns) now and
    /// then, and may end it.
    ///
    /// # Errors
    /// If the run cannot be made. Requests that failed and blocks that are wrong are told in the
    /// result.
    pub fn run_judged(
        &self,
        stage: &mut RealStage,
        place: usize,
        judge: Option<&Judge>,
        watch: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<Finished, LabError> {
        // Before and after: what is written under one scheduler shall not burden the next.
        stage.target.settle().map_err(LabError::Settle)?;
        let choice = &self.choices[place];
        let recorder = recorder(&self.jobs, self.timeline);
        let runner = self.runner(choice, stage.limits, recorder.clone())?;
        let planned_ns = runner.planned_ns();
        let mut watched = Watched { runner, observer: recorder };
        let rate = self.target.limit_bytes_per_s;
        let mut watch = |now_ns| watch(now_ns, planned_ns);
        let driven = drive(&mut watched, &mut stage.engine, rate, &mut watch)?;
        let Watched { mut runner, observer } = watched;
        let mismatches = runner.take_mismatches();
        let outcome = runner.into_outcome(driven.elapsed_ns);
        let logs = outcome.log_files(&self.infix(place));
        let fairness = judge.map(|judge| judge.judge(&outcome));
        let mut run = outcome.into_run(device_info(stage), device_stats(stage, rate, &driven));
        run.variant = choice.variant().map(str::to_owned);
        run.scenario = Some(self.scenario.clone());
        run.fairness = fairness;
        run.set_timeline(observer.and_then(|recorder| recorder.timeline(driven.elapsed_ns)));
        date::put(&mut run.fio);
        stage.target.settle().map_err(LabError::Settle)?;
        Ok(Finished { run, logs, driven, mismatches })
    }

    fn runner(
        &self,
        choice: &Choice,
        limits: DeviceLimits,
        recorder: Option<TimelineRecorder>,
    ) -> Result<Runner, LabError> {
        let config = Config {
            jobs: &self.jobs,
            group_weights: &self.group_weights,
            settings: self.settings,
            page_cache: None,
            limits,
            seed: self.seed,
            order: SimultaneousOrder::AsCreated,
        };
        let runner = Runner::new(&config, choice.build_before(&limits, recorder.as_ref())?)?;
        runner.check_intervals(&self.jobs)?;
        Ok(runner)
    }
}

fn device_info(stage: &RealStage) -> DeviceInfo {
    let RealStage { target, limits, .. } = stage;
    DeviceInfo {
        path: Some(target.path().display().to_string()),
        depth: limits.depth,
        rotational: limits.rotational,
        capacity_bytes: target.capacity_bytes(),
        ..DeviceInfo::default()
    }
}

/// What the target did, and how it was used.
fn device_stats(stage: &RealStage, rate: Option<NonZeroU64>, driven: &Driven) -> OrderedMap<u64> {
    let traffic = driven.traffic;
    [
        ("reads", traffic.reads),
        ("read_bytes", traffic.read_bytes),
        ("writes", traffic.writes),
        ("written_bytes", traffic.written_bytes),
        ("discards", traffic.discards),
        ("flushes", traffic.flushes),
        ("failures", driven.failures.iter().map(|failure| failure.count).sum()),
        ("in_flight_max", traffic.in_flight_max),
        ("block_bytes", u64::from(stage.target.block_bytes())),
        ("direct", u64::from(stage.target.direct())),
        ("io_uring", u64::from(stage.engine.kind() == EngineKind::IoUring)),
        ("limit_bytes_per_s", rate.map_or(0, NonZeroU64::get)),
    ]
    .into_iter()
    .collect()
}
