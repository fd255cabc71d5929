// SPDX-License-Identifier: MIT OR Apache-2.0
//! Job files under bfq or tfq, and where the time of one of their jobs went.

use crate::devices;
use crate::error::LabError;
use crate::lists::name_and_value;
use crate::work::Work;
use bfq::PolicyName;
use blk::{DeviceLimits, Elevator, QueueSettings};
use device::Profile;
use explain::{About, Cast, Explainer, Explanation};
use runner::SimultaneousOrder;
use sim::{Setup, limits, simulate_before};
use std::ffi::OsString;
use std::ops::ControlFlow;
use workload::cache::CacheSettings;
use workload::{Environment, Job};

/// What is asked, as people write it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplainOptions {
    /// The scheduler whose decisions are looked at.
    pub scheduler: PolicyName,
    /// The job that is asked about; if none is named, the only one there is.
    pub job: Option<String>,
    /// The modelled device as people write it: a profile's name or file, with changes.
    pub device: OsString,
    /// `NAME=VALUE`: settings of the page cache.
    pub vm: Vec<String>,
    /// How many of the slowest I/Os are told step by step.
    pub slowest: usize,
}

/// A run that is to be explained: everything was read, and fits.
#[derive(Debug)]
pub struct ExplainPlan {
    pub(crate) jobs: Vec<Job>,
    pub(crate) scheduler: PolicyName,
    cast: Cast,
    profile: Profile,
    tunables: Vec<(String, String)>,
    pub(crate) settings: QueueSettings,
    page_cache: CacheSettings,
    pub(crate) group_weights: Vec<(String, u32)>,
    pub(crate) seed: u64,
    slowest: usize,
}

impl ExplainPlan {
    /// Reads all of the input.
    ///
    /// # Errors
    /// If anything of it is wrong.
    pub fn plan(
        work: &Work,
        options: &ExplainOptions,
        files: &dyn Environment,
    ) -> Result<ExplainPlan, LabError> {
        let jobs = work.jobs(files)?;
        let job = options.job.as_deref().map_or_else(|| the_only_name(&jobs), Ok)?;
        let cast = Cast::new(&jobs, job)?;
        let setting = |text: &String| match name_and_value(text) {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(LabError::Setting { text: text.clone() }),
        };
        Ok(ExplainPlan {
            jobs,
            scheduler: options.scheduler,
            cast,
            profile: devices::the_only_one(&options.device, files)?,
            tunables: work.set.iter().map(setting).collect::<Result<_, _>>()?,
            settings: work.queue_settings()?,
            page_cache: CacheSettings::parse(&options.vm.join(","))?,
            group_weights: work.group_weights()?,
            seed: work.seed,
            slowest: options.slowest,
        })
    }

    /// The jobs to be run.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The scheduler whose decisions are looked at.
    pub fn scheduler(&self) -> PolicyName {
        self.scheduler
    }

    /// The profile of the modelled device, ready for use.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub(crate) fn explainer(&self) -> Explainer {
        Explainer::new(self.cast.clone(), self.slowest)
    }

    pub(crate) fn elevator(
        &self,
        explainer: &Explainer,
        limits: &DeviceLimits,
    ) -> Result<Box<dyn Elevator>, LabError> {
        explainer.elevator(self.scheduler, limits, &self.tunables).map_err(LabError::Tunable)
    }

    /// Simulates on the modelled device, and gives what was found out and whether it was
    /// stopped. `observe` is told the virtual time and the planned end (both ns) now and then,
    /// and may stop it.
    ///
    /// # Errors
    /// If the simulation fails.
    pub fn simulated(
        &self,
        observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<(Explanation, bool), LabError> {
        let mut explainer = self.explainer();
        let setup = Setup {
            jobs: &self.jobs,
            group_weights: &self.group_weights,
            settings: self.settings,
            page_cache: self.page_cache,
            profile: &self.profile,
            elevator: self.elevator(&explainer, &limits(&self.profile))?,
            seed: self.seed,
            order: SimultaneousOrder::AsCreated,
        };
        let simulated = simulate_before(setup, observe, &mut explainer)?;
        let about = About {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: "sim".into(),
            scheduler: self.scheduler.name().into(),
            seed: Some(self.seed),
            device: self.profile.name().to_owned(),
            elapsed_ns: simulated.outcome.elapsed_ns,
            note: simulated.stopped.then(|| INTERRUPTED.to_owned()),
        };
        Ok((explainer.explanation(about), simulated.stopped))
    }
}

/// The name that all jobs have.
fn the_only_name(jobs: &[Job]) -> Result<&str, LabError> {
    let mut names: Vec<&str> = Vec::new();
    for job in jobs {
        if !names.contains(&job.name.as_str()) {
            names.push(&job.name);
        }
    }
    match names[..] {
        [only] => Ok(only),
        _ => Err(LabError::WhichJob { names: names.into_iter().map(str::to_owned).collect() }),
    }
}

/// What an explanation says of a run that was stopped.
pub(crate) const INTERRUPTED: &str = "interrupted; this is about the time so far";
