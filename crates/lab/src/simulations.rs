// SPDX-License-Identifier: MIT OR Apache-2.0
//! Job files on modelled devices, in virtual time: a run for each device and scheduler.

pub(crate) mod running;
pub(crate) mod series;

use crate::devices;
use crate::error::LabError;
use crate::fair::{self, Judge};
use crate::schedulers::{self, Choice};
use crate::work::Work;
use blk::QueueSettings;
use device::Profile;
use explain::{Cast, TimelineRecorder};
use report::{LogFiles, Run, Scenario};
use runner::{Config, Runner, SimultaneousOrder};
use sim::{Setup, limits, simulate_alone};
use std::ffi::OsString;
use std::ops::ControlFlow;
use workload::cache::CacheSettings;
use workload::{Environment, Job};

/// What the work is simulated on, as people write it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationOptions {
    /// Lists of devices, each as the user wrote it: profiles with changes, separated by commas.
    pub devices: Vec<OsString>,
    /// The list of schedulers.
    pub schedulers: String,
    /// `NAME=VALUE`: settings of the page cache.
    pub vm: Vec<String>,
    /// How many entries of the schedule a result has for drawings; 0: none.
    pub timeline: usize,
    /// Whether runs are judged by how fairly they share the device's time.
    pub fair: bool,
    /// The command that repeats it all, for the results.
    pub command: String,
}

/// Simulations that are planned: everything was read, and fits.
#[derive(Debug)]
pub struct Simulations {
    jobs: Vec<Job>,
    profiles: Vec<Profile>,
    choices: Vec<Choice>,
    settings: QueueSettings,
    page_cache: CacheSettings,
    group_weights: Vec<(String, u32)>,
    scenario: Scenario,
    seed: u64,
    timeline: usize,
    fair: bool,
}

/// One of the runs.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// The device that is simulated.
    pub profile: &'a Profile,
    /// The scheduler under which it runs.
    pub choice: &'a Choice,
    /// What follows the prefix of its logs, so that those of several runs have names of their own.
    pub infix: String,
}

/// A run that is over.
#[derive(Debug)]
pub struct FinishedSimulation {
    /// The result of the run.
    pub run: Run,
    /// The logs that jobs asked for.
    pub logs: LogFiles,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

impl Simulations {
    /// Reads all of the input, so that what is wrong is said before anything runs.
    ///
    /// # Errors
    /// If anything of it is wrong.
    pub fn plan(
        work: &Work,
        options: SimulationOptions,
        files: &dyn Environment,
    ) -> Result<Simulations, LabError> {
        let jobs = work.jobs(files)?;
        if options.fair {
            fair::check(&jobs)?;
        }
        Simulations::of_jobs(jobs, work, options, files)
    }

    /// The same of the jobs of the work, which may have been changed.
    pub(crate) fn of_jobs(
        jobs: Vec<Job>,
        work: &Work,
        options: SimulationOptions,
        files: &dyn Environment,
    ) -> Result<Simulations, LabError> {
        let scenario = work.scenario(&jobs, files, options.command)?;
        let plan = Simulations {
            jobs,
            profiles: devices::parse(&options.devices, files)?,
            choices: schedulers::parse(&options.schedulers, &work.set)?,
            settings: work.queue_settings()?,
            page_cache: CacheSettings::parse(&options.vm.join(","))?,
            group_weights: work.group_weights()?,
            scenario,
            seed: work.seed,
            timeline: options.timeline,
            fair: options.fair,
        };
        // Better to hear now that the jobs don't fit the last device than after the others ran.
        plan.profiles.iter().try_for_each(|profile| plan.check(profile))?;
        Ok(plan)
    }

    /// The same, with results in which the work is `file`, and what its jobs replay, too: of which
    /// the files that were read are but a passing form.
    #[cfg(feature = "what-if")]
    pub(crate) fn presented_as(mut self, file: &str) -> Simulations {
        self.scenario.files = vec![file.to_owned()];
        let options = self.jobs.iter_mut().flat_map(|job| &mut job.options);
        for (_, value) in options.filter(|(name, _)| name == "read_iolog") {
            *value = file.to_owned();
        }
        self
    }

    fn check(&self, profile: &Profile) -> Result<(), LabError> {
        let config = Config {
            jobs: &self.jobs,
            group_weights: &self.group_weights,
            settings: self.settings,
            page_cache: Some(self.page_cache),
            limits: limits(profile),
            seed: self.seed,
            order: SimultaneousOrder::AsCreated,
        };
        let elevator = self.choices[0].build(&config.limits)?;
        Runner::new(&config, elevator)?;
        Ok(())
    }

    /// The jobs to be run.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.profiles.len() * self.choices.len()
    }

    /// Whether there are none. There always are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The runs, in order: of each device under each scheduler.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let single = self.len() == 1;
        self.profiles.iter().enumerate().flat_map(move |(number, profile)| {
            self.choices.iter().enumerate().map(move |(place, choice)| {
                let infix = match single {
                    true => String::new(),
                    false => format!(
                        "-{}.{}-{}.{}",
                        profile.name(),
                        number + 1,
                        choice.name(),
                        place + 1
                    ),
                };
                Cell { profile, choice, infix }
            })
        })
    }

    /// Runs each job alone on a device, for [`run_judged`](Self::run_judged); none if
    /// `observe` stopped it.
    ///
    /// # Errors
    /// If a simulation fails.
    pub fn judge(
        &self,
        profile: &Profile,
        observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<Option<Judge>, LabError> {
        fair::judge(&self.jobs, &self.group_weights, profile.rotational(), |jobs, job| {
            let setup = Setup {
                jobs,
                group_weights: &[],
                settings: self.settings,
                page_cache: self.page_cache,
                profile,
                elevator: elevators::build("none", 0, &limits(profile))?,
                seed: self.seed,
                order: SimultaneousOrder::AsCreated,
            };
            let simulated = simulate_alone(setup, job, observe)?;
            Ok((!simulated.stopped).then_some(simulated.outcome))
        })
    }

    /// Makes one of the runs. `observe` is told the virtual time and the planned end (both ns) now
    /// and then, and may stop it.
    ///
    /// # Errors
    /// If the simulation fails.
    pub fn run(
        &self,
        cell: &Cell<'_>,
        observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<FinishedSimulation, LabError> {
        self.run_judged(cell, None, observe)
    }

    /// As [`run`](Self::run), with the measure of fairness if there is who judges.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_judged(
        &self,
        cell: &Cell<'_>,
        judge: Option<&Judge>,
        observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<FinishedSimulation, LabError> {
        let mut running = self.start(cell, None::<TimelineRecorder>)?;
        running.go_on(u64::MAX, observe)?;
        Ok(running.finish(judge))
    }
}

/// Who records the schedule of a run of these jobs, if anybody wants entries of it.
pub(crate) fn recorder(jobs: &[Job], entries: usize) -> Option<TimelineRecorder> {
    (entries > 0).then(|| TimelineRecorder::new(Cast::everybody(jobs), entries))
}
