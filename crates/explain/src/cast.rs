// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who takes part: processes, jobs and groups, by name.

use base::suggest::meant_or_all;
use std::fmt;
use workload::Job;

/// A process of the run, by its place among all.
pub(crate) type ProcessNumber = u32;

/// The names of all that take part in a run, and whom it is about.
#[derive(Debug, Clone)]
pub struct Cast {
    jobs: Vec<JobNames>,
    /// The job of each process.
    job_of: Vec<usize>,
    /// The number of each process among those of its job.
    clone_of: Vec<u32>,
    target: Vec<bool>,
    target_name: String,
}

/// A job, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobNames {
    /// Name of the job.
    pub name: String,
    /// Its group's path; none: the root.
    pub group: Option<String>,
    /// How many processes it has.
    pub processes: u32,
}

/// No job has the name asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownJob {
    /// The name that was given.
    pub name: String,
    /// The names there are.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--job {}: no such job{}", self.name, meant_or_all(&self.name, &self.known))
    }
}

impl std::error::Error for UnknownJob {}

fn names(job: &Job) -> JobNames {
    JobNames {
        name: job.name.clone(),
        group: job.cgroup.as_ref().map(|path| format!("/{}", path.trim_matches('/'))),
        processes: job.processes().max(1),
    }
}

impl Cast {
    /// The cast of a run of `jobs`, which is about the job called `target` (or all jobs
    /// of that name).
    ///
    /// # Errors
    /// If there is no such job.
    pub fn new(jobs: &[Job], target: &str) -> Result<Self, UnknownJob> {
        Self::of(jobs.iter().map(names).collect(), target)
    }

    /// The same from names alone.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn of(jobs: Vec<JobNames>, target: &str) -> Result<Self, UnknownJob> {
        Self::check(&jobs, target)?;
        Ok(Self::about(jobs, target))
    }

    /// The same for processes in any order: for each the place of its job, and its number there.
    pub(crate) fn of_processes(
        jobs: Vec<JobNames>,
        processes: Vec<(usize, u32)>,
        target: &str,
    ) -> Result<Self, UnknownJob> {
        Self::check(&jobs, target)?;
        let target_of = |&(job, _): &(usize, u32)| jobs[job].name == target;
        let is_target = processes.iter().map(target_of).collect();
        let (job_of, clone_of) = processes.into_iter().unzip();
        Ok(Self { jobs, job_of, clone_of, target: is_target, target_name: target.to_owned() })
    }

    /// The same about no job in particular.
    pub(crate) fn everybody_of(jobs: Vec<JobNames>, processes: Vec<(usize, u32)>) -> Self {
        let target = vec![false; processes.len()];
        let (job_of, clone_of) = processes.into_iter().unzip();
        Self { jobs, job_of, clone_of, target, target_name: String::new() }
    }

    fn check(jobs: &[JobNames], target: &str) -> Result<(), UnknownJob> {
        let mut known: Vec<String> = Vec::new();
        for job in jobs {
            if !known.contains(&job.name) {
                known.push(job.name.clone());
            }
        }
        match known.iter().any(|name| name == target) {
            true => Ok(()),
            false => Err(UnknownJob { name: target.to_owned(), known }),
        }
    }

    /// The cast of a run that is about no job in particular.
    pub fn everybody(jobs: &[Job]) -> Self {
        Self::about(jobs.iter().map(names).collect(), "")
    }

    fn about(jobs: Vec<JobNames>, target: &str) -> Self {
        let (mut job_of, mut clone_of) = (Vec::new(), Vec::new());
        for (index, job) in jobs.iter().enumerate() {
            job_of.extend((0..job.processes).map(|_| index));
            clone_of.extend(0..job.processes);
        }
        let target_of = |&job: &usize| jobs[job].name == target;
        let is_target = job_of.iter().map(target_of).collect();
        let target_name = target.to_owned();
        Self { jobs, job_of, clone_of, target: is_target, target_name }
    }

    /// The job that it is about.
    pub fn target_name(&self) -> &str {
        &self.target_name
    }

    /// The job that it is about, or the first one of that name.
    pub(crate) fn target_job(&self) -> &JobNames {
        let place = self.jobs.iter().position(|job| job.name == self.target_name);
        &self.jobs[place.unwrap_or(0)]
    }

    pub(crate) fn is_target(&self, process: ProcessNumber) -> bool {
        self.target.get(process as usize).copied().unwrap_or(false)
    }

    pub(crate) fn job_of(&self, process: ProcessNumber) -> Option<usize> {
        self.job_of.get(process as usize).copied()
    }

    /// The names of all processes, in their order.
    pub fn process_names(&self) -> Vec<String> {
        (0..self.process_count() as ProcessNumber).map(|process| self.process(process)).collect()
    }

    /// How many processes there are.
    pub(crate) fn process_count(&self) -> usize {
        self.job_of.len()
    }

    /// How many processes the job has that it is about.
    pub(crate) fn target_processes(&self) -> u32 {
        self.target.iter().filter(|&&is_target| is_target).count() as u32
    }

    /// The name of a job.
    pub(crate) fn job(&self, job: usize) -> &str {
        &self.jobs[job].name
    }

    pub(crate) fn group_of_job(&self, job: usize) -> Option<&str> {
        self.jobs[job].group.as_deref()
    }

    /// The names of processes (in order) that share something: `copy.*+scan.0`, if copy is there
    /// with all of its own.
    pub(crate) fn processes(&self, processes: &[ProcessNumber]) -> String {
        let mut names: Vec<String> = Vec::new();
        for of_job in processes.chunk_by(|&one, &other| self.job_of(one) == self.job_of(other)) {
            match self.job_of(of_job[0]) {
                Some(job)
                    if of_job.len() > 1 && of_job.len() as u32 == self.jobs[job].processes =>
                {
                    names.push(format!("{}.*", self.jobs[job].name));
                }
                _ => names.extend(of_job.iter().map(|&process| self.process(process))),
            }
        }
        names.join("+")
    }

    /// The name of a process: that of its job, with a number if the job has several.
    pub(crate) fn process(&self, process: ProcessNumber) -> String {
        let Some(job) = self.job_of(process) else { return "a process".to_owned() };
        let names = &self.jobs[job];
        match names.processes {
            1 => names.name.clone(),
            _ => format!("{}.{}", names.name, self.clone_of[process as usize]),
        }
    }
}
