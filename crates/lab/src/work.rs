// SPDX-License-Identifier: MIT OR Apache-2.0
//! Job files and what is set around them, as people write it.

use crate::error::LabError;
use crate::files::check_known;
use crate::groups;
use blk::QueueSettings;
use report::Scenario;
use report::study::Wanted;
use std::path::PathBuf;
use workload::{Environment, Header, Job, LoadSettings, ReplayMode};

/// What is run: job files, traces and scenarios, and how they are changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// fio job files, traces to be replayed, or `@NAME`, a built-in scenario. Each after the first
    /// starts when the one before has ended.
    pub job_files: Vec<PathBuf>,
    /// How traces are replayed, whatever is said elsewhere.
    pub replay: Option<ReplayMode>,
    /// Options that fio has and bfq does not support are passed over.
    pub ignore_unsupported: bool,
    /// How long every job runs, whatever its file says, ns.
    pub runtime_ns: Option<u64>,
    /// `NAME=VALUE`: tunables of the schedulers that have them.
    pub set: Vec<String>,
    /// `PATH=WEIGHT`: weights of control groups.
    pub groups: Vec<String>,
    /// `NAME=VALUE`: settings of the queue.
    pub queue: Vec<String>,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Work {
    /// These job files, as they are, with seed 1.
    pub fn of<P: Into<PathBuf>>(job_files: impl IntoIterator<Item = P>) -> Work {
        let job_files = job_files.into_iter().map(Into::into).collect();
        Work { job_files, seed: 1, ..Work::default() }
    }

    /// The jobs of the files, with the run time in force.
    ///
    /// # Errors
    /// If a file is missing or wrong.
    pub fn jobs(&self, files: &dyn Environment) -> Result<Vec<Job>, LabError> {
        let mut named = self.job_files.iter().filter(|path| files.given(path).is_none());
        named.try_for_each(|path| check_known(path))?;
        let is_trace = |path: &PathBuf| workload::is_trace(path, files);
        if self.replay.is_some() && !self.job_files.iter().any(is_trace) {
            return Err(LabError::NothingToReplay);
        }
        let settings =
            LoadSettings { replay: self.replay, ignore_unsupported: self.ignore_unsupported };
        let mut jobs = workload::load_all_with(&self.job_files, &settings, files)?;
        if self.runtime_ns.is_some() {
            jobs.iter_mut().for_each(|job| job.runtime_ns = self.runtime_ns);
        }
        Ok(jobs)
    }

    /// What a result says of its origin: the first job file's own words, and the command that
    /// repeats it; `jobs` are those of the files.
    ///
    /// # Errors
    /// If a job file cannot be read, or says that something is measured that is not there.
    pub fn scenario(
        &self,
        jobs: &[Job],
        files: &dyn Environment,
        command: String,
    ) -> Result<Scenario, LabError> {
        let header = self.header(jobs, files)?;
        Ok(Scenario {
            files: self.job_files.iter().map(|path| path.display().to_string()).collect(),
            title: header.title().to_owned(),
            notes: header.notes.into_iter().collect(),
            command,
        })
    }

    fn header(&self, jobs: &[Job], files: &dyn Environment) -> Result<Header, LabError> {
        // A trace has no words of its own.
        let is_job_file = |path: &&PathBuf| !workload::is_trace(path, files);
        let Some(first) = self.job_files.first().filter(is_job_file) else {
            return Ok(Header::default());
        };
        let text = files
            .read_to_string(first)
            .map_err(|source| LabError::Unreadable { path: first.clone(), source })?;
        let header = Header::parse(&text);
        if let Some((_, measure)) = header.notes.iter().find(|(name, _)| name == "Measure") {
            let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
            Wanted::parse(measure, &names).map_err(|error| LabError::Measure {
                path: first.clone(),
                message: error.to_string(),
            })?;
        }
        Ok(header)
    }

    /// The settings of the queue.
    ///
    /// # Errors
    /// If a setting is unknown or its value is wrong.
    pub fn queue_settings(&self) -> Result<QueueSettings, LabError> {
        Ok(QueueSettings::parse(&self.queue.join(","))?)
    }

    /// The weights of the groups.
    ///
    /// # Errors
    /// If a value is malformed or out of range.
    pub fn group_weights(&self) -> Result<Vec<(String, u32)>, LabError> {
        Ok(groups::weights(&self.groups)?)
    }
}
