// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: one cell after the other is measured on the machine.
//!
//! [`Session::run_cell`] chooses the candidate's scheduler, makes the groups of the scenario, lets
//! its processes work, and reads its figures off what they did. What is changed on the machine is
//! changed by a [`Machine`], which knows how to put it back.

mod command;
mod error;
mod others;
mod processors;

pub use error::SessionError;
pub use processors::by_looking;

use crate::model::{Counted, Metric, Others};
use crate::scenarios::{COMMAND_JOB, CellOutcome, JobOutcome, Scale, ScaledJob, Scenario};
use crate::workers::{
    Assignment, Order, PrimingReads, ProcessRegion, ProcessReport, Waited, WorkerPool, WriteBack,
};
use base::DEFAULT_GROUP_WEIGHT;
use disk_io::Target;
use host::Candidate;
use host::{Disk, Machine};
use others::Reading;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use workload::{Job, JobErrors, ProcessPlan};

/// A worker that is not done this long after its own limit is told to end.
const GRACE: Duration = Duration::from_secs(2);

/// What cells are measured with.
pub struct Session<'a> {
    /// Changes the machine, and puts it back.
    pub machine: &'a mut dyn Machine,
    /// The disk that is watched meanwhile.
    pub disk: &'a Disk,
    /// Where the processes work.
    pub target: &'a Target,
    /// How large and how long.
    pub scale: Scale,
    /// This program: the workers are it, too.
    pub program: PathBuf,
    /// The user's command, for the shell.
    pub command: Option<String>,
    /// Which processor time is counted.
    pub counted: Counted,
    /// Seed of the processes' random choices.
    pub seed: u64,
    /// Whether the user wants to end.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// What a cell gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The figures of one measurement.
    pub values: BTreeMap<Metric, f64>,
    /// What was noticed in the cell, a phrase each; sorted, none twice.
    pub remarks: Vec<String>,
    /// Other load meanwhile, if there was any to speak of.
    pub others: Option<Others>,
}

impl Session<'_> {
    /// Measures a candidate on a scenario.
    ///
    /// # Errors
    /// [`SessionError`]; no process of the cell is left then either.
    pub fn run_cell(
        &mut self,
        candidate: &Candidate,
        scenario: &Scenario,
        round: u32,
    ) -> Result<Figures, SessionError> {
        let name = scenario.name;
        self.machine.select(candidate)?;
        self.settle()?;
        let jobs = scenario
            .jobs(&self.scale)
            .map_err(|source| SessionError::Scenario { scenario: name, source })?;
        let (orders, owners) = self.orders(scenario, &jobs, round)?;
        let workers_failed = |source| SessionError::Workers { scenario: name, source };
        let mut workers =
            WorkerPool::start(&self.program, &orders, &|command| self.machine.mark(command))
                .map_err(workers_failed)?;
        if scenario.awaited.contains(&COMMAND_JOB) {
            command::drop_caches()?;
        }
        let _priming = match scenario.has_a_load() {
            true => Some(self.prime()?),
            false => None,
        };
        let _write_back = match jobs.iter().any(|one| one.job.buffered && one.job.rw.writes()) {
            true => Some(self.write_back()?),
            false => None,
        };
        let before = Reading::take(self.disk)?;
        let start = workers.begin().map_err(workers_failed)?;
        let (waited, command) = self.wait(scenario, &mut workers, &owners, &jobs, start)?;
        if waited == Waited::Interrupted {
            return Err(SessionError::Interrupted);
        }
        let reports = workers.finish().map_err(workers_failed)?;
        let after = Reading::take(self.disk)?;

        let mut figures = Figures::default();
        let mut outcome = CellOutcome::default();
        for ScaledJob { job, .. } in &jobs {
            let (name, weight) = (job.name.clone(), weight(job));
            outcome.jobs.push(JobOutcome { name, weight, processes: Vec::new() });
        }
        let mut workers_ns = 0;
        for (report, owner) in reports.into_iter().zip(owners) {
            workers_ns += report.cpu_ns;
            figures.remarks.extend(report.notes);
            outcome.jobs[owner].processes.extend(report.processes);
        }
        outcome.cpu_ns = self.counted.cpu_ns(workers_ns, &before.processors, &after.processors);
        let moved = outcome.jobs.iter().flat_map(|job| &job.processes).map(|process| process.bytes);
        let own_bytes = others::reports_all(scenario, &jobs, self.disk).then(|| moved.sum());
        figures.others = before.others_until(&after, own_bytes);
        if let Some(process) = command {
            let (name, processes) = (COMMAND_JOB.to_owned(), vec![process]);
            outcome.jobs.push(JobOutcome { name, weight: DEFAULT_GROUP_WEIGHT, processes });
        }
        self.evaluate(scenario, &outcome, &mut figures)?;
        Ok(figures)
    }

    /// What the processes of a scenario are told, and the number of each one's job.
    fn orders(
        &mut self,
        scenario: &Scenario,
        jobs: &[ScaledJob],
        round: u32,
    ) -> Result<(Vec<Order>, Vec<usize>), SessionError> {
        let alone: Vec<Job> = jobs.iter().map(|scaled| scaled.job.clone()).collect();
        let plans = lay_out(&alone, &self.scale)
            .map_err(|source| SessionError::Scenario { scenario: scenario.name, source })?;
        let (mut orders, mut owners) = (Vec::new(), Vec::new());
        for (index, ScaledJob { job, text }) in jobs.iter().enumerate() {
            let cgroup_procs = match &job.cgroup {
                Some(group) => Some(self.machine.group(group, weight(job))?),
                None => None,
            };
            let of_job: Vec<_> = plans.iter().filter(|plan| plan.job == index).collect();
            // The processes of a start-up follow each other: one worker, a thread for each.
            let per_worker = if job.trace.is_some() { of_job.len() } else { 1 };
            for processes in of_job.chunks(per_worker) {
                let seed = workload::process_seed(self.seed, round, orders.len() as u32);
                orders.push(Order {
                    name: job.name.clone(),
                    assignment: Assignment {
                        target: self.target.descriptor_path(),
                        direct_block_bytes: self.target.direct_block_bytes(),
                        used_bytes: self.scale.used_bytes,
                        start_up_bytes: self.scale.start_up_bytes(),
                        job: text.clone(),
                        processes: processes.iter().map(|plan| place(plan)).collect(),
                        seed,
                    },
                    cgroup_procs: cgroup_procs.clone(),
                });
                owners.push(index);
            }
        }
        Ok((orders, owners))
    }

    /// Waits for what is measured: workers, or the user's command.
    fn wait(
        &self,
        scenario: &Scenario,
        workers: &mut WorkerPool,
        owners: &[usize],
        jobs: &[ScaledJob],
        start: Instant,
    ) -> Result<(Waited, Option<ProcessReport>), SessionError> {
        if scenario.awaited.contains(&COMMAND_JOB) {
            let began = start + self.scale.lead;
            let text = self.command.as_deref().unwrap_or_default();
            let mut shell = command::shell(text);
            self.machine.mark(&mut shell);
            let times = command::Times { start, began, limit: self.scale.limit };
            return command::run(text, shell, times, self.interrupted);
        }
        let is_awaited = |owner: usize| scenario.awaited.contains(&jobs[owner].job.name.as_str());
        let awaited: Vec<_> = (0..owners.len()).filter(|&n| is_awaited(owners[n])).collect();
        let deadline = start + self.scale.lead + self.scale.limit.max(self.scale.time) + GRACE;
        let waited = workers
            .wait_for(&awaited, deadline, self.interrupted)
            .map_err(|source| SessionError::Workers { scenario: scenario.name, source })?;
        Ok((waited, None))
    }

    /// Reads the figures off an outcome.
    fn evaluate(
        &self,
        scenario: &Scenario,
        outcome: &CellOutcome,
        figures: &mut Figures,
    ) -> Result<(), SessionError> {
        for job in &outcome.jobs {
            if let Some(said) = job.processes.iter().find_map(|process| process.error.clone()) {
                let job = job.name.clone();
                return Err(SessionError::Io { scenario: scenario.name, job, said });
            }
        }
        for measure in scenario.measures {
            let metric = measure.metric();
            match measure.of(outcome) {
                Some(value) => {
                    // To the nanosecond: seconds as f64 are rounded in more than one way.
                    let is_over = (value * 1e9).round() >= self.scale.limit.as_nanos() as f64;
                    if metric == Metric::StartUp && is_over {
                        let title = metric.info().title;
                        let text =
                            format!("{title} was given up: it takes longer than the figure says");
                        figures.remarks.push(text);
                    }
                    figures.values.insert(metric, value);
                }
                None => figures.remarks.push(format!("{}: nothing done", metric.info().title)),
            }
        }
        figures.remarks.sort();
        figures.remarks.dedup();
        Ok(())
    }

    /// Has the load taken for one that has been at work for long. They are to stay until its end.
    fn prime(&self) -> Result<PrimingReads, SessionError> {
        let priming = PrimingReads::read(self.target).map_err(|source| SessionError::System {
            doing: format!("reading {}", self.target.path().display()),
            source,
        })?;
        thread::sleep(PrimingReads::GAP);
        Ok(priming)
    }

    /// What is written to the page cache does not wait there.
    fn write_back(&self) -> Result<WriteBack, SessionError> {
        WriteBack::of(self.target).map_err(|source| SessionError::System {
            doing: format!("writing {} back", self.target.path().display()),
            source,
        })
    }

    /// What a cell wrote shall not burden the next one, nor does it read what is in memory.
    fn settle(&self) -> Result<(), SessionError> {
        self.target.settle().map_err(|source| SessionError::System {
            doing: format!("syncing {}", self.target.path().display()),
            source,
        })
    }
}

impl Scenario {
    /// Why a target of this size has no room for it, if so.
    pub fn obstacle(&self, scale: &Scale) -> Option<JobErrors> {
        let jobs = match self.jobs(scale) {
            Ok(jobs) => jobs.into_iter().map(|scaled| scaled.job).collect::<Vec<_>>(),
            Err(error) => return Some(error),
        };
        lay_out(&jobs, scale).err()
    }
}

/// Where each process works. A scenario without jobs has none.
fn lay_out(jobs: &[Job], scale: &Scale) -> Result<Vec<ProcessPlan>, JobErrors> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    workload::lay_out(jobs, scale.used_bytes)
}

fn place(plan: &ProcessPlan) -> ProcessRegion {
    let clone = plan.clone;
    ProcessRegion {
        clone,
        start_bytes: plan.region.start_bytes,
        length_bytes: plan.region.length_bytes,
    }
}

/// What a job is due: by its group, or by its I/O priority as bfq counts that.
fn weight(job: &Job) -> u32 {
    let by_priority = |level: u8| (8 - u32::from(level.min(7))) * 10;
    match (job.cgroup_weight, job.ioprio) {
        (Some(weight), _) => weight,
        (None, Some(ioprio)) => by_priority(ioprio.level),
        (None, None) => DEFAULT_GROUP_WEIGHT,
    }
}
