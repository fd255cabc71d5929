// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: one to three runs of the same load side by side.

use crate::frame::{Frame, GroupAbout};
use crate::live::Live;
use crate::played::Played;
use crate::setup::{Change, Setup};
use crate::why::{self, Why};
use explain::Cast;
use lab::{Cell, Files, LabError, SimulationOptions, Simulations, Work};
use serde::Serialize;
use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// How many runs a session has at most.
const MOST_RUNS: usize = 3;
/// As many entries of the schedule as results of the command have.
const TIMELINE: usize = 400;
/// Times of added jobs are whole milliseconds, as job files have them.
const MS: u64 = 1_000_000;

/// Runs of the same load side by side.
pub struct Session {
    setup: Setup,
    plan: Simulations,
    runs: Vec<Played<Live>>,
    now_ns: u64,
}

/// What a session is about, before anything happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct About {
    /// The schedulers, each with its tunables if any are set.
    pub schedulers: Vec<String>,
    /// Names of the processes.
    pub processes: Vec<String>,
    /// The place of each process's job among `jobs`.
    pub job_of: Vec<usize>,
    /// Names of the jobs.
    pub jobs: Vec<String>,
    /// The group of each job; none: the root.
    pub groups_of_jobs: Vec<Option<String>>,
    /// The class and level of the I/O priority of each job.
    pub priorities_of_jobs: Vec<(usize, u8)>,
    /// The options that a job inherits which is added.
    pub inherited: Vec<String>,
    /// The control groups of the jobs, with their weights at the present time of the session; what
    /// they are later is told by each [`Frame`].
    pub groups: Vec<GroupAbout>,
    /// The disk's length in sectors.
    pub capacity_sectors: u64,
    /// Whether the disk has a head to be drawn.
    pub rotational: bool,
    /// What is accepted without effect.
    pub notes: Vec<String>,
    /// The command with the same results.
    pub command: String,
}

/// Why a session cannot be begun, changed or asked.
#[derive(Debug)]
pub enum SessionError {
    /// The input is wrong, or the simulation failed.
    Lab(LabError),
    /// More than three runs are asked for.
    TooMany(usize),
    /// There is no such run.
    NoRun(usize),
    /// There is no such process.
    NoProcess(String),
    /// A job waits for others to end, so what is added behind it does not begin now.
    Waits(String),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lab(error) => error.fmt(f),
            Self::TooMany(runs) => {
                write!(f, "{runs} runs side by side; expected one disk and 1 to 3 schedulers")
            }
            Self::NoRun(run) => write!(f, "there is no run {run}"),
            Self::NoProcess(name) => write!(f, "there is no process {name}"),
            Self::Waits(job) => write!(
                f,
                "job {job} has stonewall: a job that is added would wait as it does for those \
                 above it to end, and not begin now"
            ),
        }
    }
}

impl std::error::Error for SessionError {}

impl From<LabError> for SessionError {
    fn from(error: LabError) -> Self {
        Self::Lab(error)
    }
}

impl Session {
    /// A session in which nothing has happened yet.
    ///
    /// # Errors
    /// If anything of the setup is wrong.
    pub fn begin(mut setup: Setup) -> Result<Session, SessionError> {
        setup.changes.sort_by_key(|change| change.at_ns);
        let plan = plan(&setup)?;
        if plan.len() > MOST_RUNS {
            return Err(SessionError::TooMany(plan.len()));
        }
        let start = |cell: Cell<'_>| {
            let live = Live::new(Cast::everybody(plan.jobs()));
            Ok(Played::new(plan.start(&cell, Some(live))?))
        };
        let runs = plan.cells().map(start).collect::<Result<Vec<_>, LabError>>()?;
        Ok(Session { setup, plan, runs, now_ns: 0 })
    }

    /// The setup, with all that was changed on the way.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What it is about.
    pub fn about(&self) -> About {
        let jobs = self.plan.jobs();
        let cast = Cast::everybody(jobs);
        let of_job = |(place, job): (usize, &workload::Job)| {
            std::iter::repeat_n(place, job.processes().max(1) as usize)
        };
        let path = |path: &String| format!("/{}", path.trim_matches('/'));
        let profile = self.plan.cells().next().map(|cell| cell.profile.clone());
        About {
            schedulers: self.plan.cells().map(|cell| cell.choice.spec().to_owned()).collect(),
            processes: cast.process_names(),
            job_of: jobs.iter().enumerate().flat_map(of_job).collect(),
            jobs: jobs.iter().map(|job| job.name.clone()).collect(),
            groups_of_jobs: jobs.iter().map(|job| job.cgroup.as_ref().map(path)).collect(),
            priorities_of_jobs: jobs.iter().map(priority).collect(),
            inherited: jobs.last().map_or_else(Vec::new, inherited),
            groups: self.groups(),
            capacity_sectors: profile.as_ref().map_or(0, |profile| profile.capacity_sectors()),
            rotational: profile.is_some_and(|profile| profile.rotational()),
            notes: workload::notes(jobs).into_iter().map(ToString::to_string).collect(),
            command: self.setup.command(),
        }
    }

    /// The weights of a run that goes on: those of one that is over change no more.
    fn groups(&self) -> Vec<GroupAbout> {
        let run = self.runs.iter().find(|played| !played.has_ended()).or(self.runs.first());
        run.map_or_else(Vec::new, groups)
    }

    /// Simulates all runs up to `until_ns`, that instant included, or to their ends.
    ///
    /// # Errors
    /// If a simulation fails.
    pub fn advance(&mut self, until_ns: u64) -> Result<Vec<Frame>, SessionError> {
        for played in &mut self.runs {
            played.go_on(&self.setup.changes, until_ns)?;
        }
        self.now_ns = self.now_ns.max(until_ns);
        Ok(self.runs.iter().map(frame).collect())
    }

    /// Changes the weight of a group from now on, in all runs.
    ///
    /// # Errors
    /// If there is no such group, or the weight is out of range.
    pub fn set_weight(&mut self, group: &str, weight: u32) -> Result<(), SessionError> {
        // To be refused before it is part of the setup.
        for played in self.runs.iter_mut().filter(|played| !played.has_ended()) {
            played.running.set_group_weight(group, weight)?;
        }
        let change = Change { at_ns: self.now_ns, group: group.to_owned(), weight };
        let place = self.setup.changes.partition_point(|other| other.at_ns <= change.at_ns);
        self.setup.changes.insert(place, change);
        Ok(())
    }

    /// Adds a job that begins now: a section of a job file, without its start. The session is at
    /// its beginning again. To [`Self::advance`] it leads to where it was, for what idles changes
    /// nothing, and gives what there is to draw of the past once more.
    ///
    /// # Errors
    /// If the section is wrong, or a job waits for others to end; the session is as it was.
    pub fn add_job(&mut self, section: &str) -> Result<(), SessionError> {
        let mut setup = self.setup.clone();
        let delay_ms = self.now_ns.div_ceil(MS);
        let text = setup.job_file.trim_end();
        setup.job_file = format!("{text}\n\n{}\nstartdelay={delay_ms}ms\n", section.trim());
        let session = Session::begin(setup)?;
        // The first job has nobody to wait for.
        if let Some(job) = session.plan.jobs().iter().skip(1).find(|job| job.stonewall) {
            return Err(SessionError::Waits(job.name.clone()));
        }
        *self = session;
        Ok(())
    }

    /// Why the I/O of a process waited that is under way at a time in a run, or else the last one
    /// that had ended by then. The run is made again up to then, before an observer that looks more
    /// closely.
    ///
    /// # Errors
    /// If there is no such run or process, or the simulation fails.
    pub fn why(&self, run: usize, process: &str, at_ns: u64) -> Result<Option<Why>, SessionError> {
        let cell = self.plan.cells().nth(run).ok_or(SessionError::NoRun(run))?;
        let names = Cast::everybody(self.plan.jobs()).process_names();
        let place = names.iter().position(|name| name == process);
        let place = place.ok_or_else(|| SessionError::NoProcess(process.to_owned()))?;
        Ok(why::ask(&self.plan, &cell, &self.setup.changes, place, at_ns)?)
    }

    /// Makes all runs to their ends and gives their results, as `bfq sim --output-format json`.
    ///
    /// # Errors
    /// If a simulation fails.
    pub fn result(mut self) -> Result<String, SessionError> {
        self.advance(u64::MAX)?;
        let finished = self.runs.into_iter().map(|played| played.running.finish(None).run);
        Ok(self.plan.results(finished.collect()).to_json())
    }
}

fn plan(setup: &Setup) -> Result<Simulations, LabError> {
    let work = Work { seed: setup.seed, ..Work::of([&setup.name]) };
    let options = SimulationOptions {
        devices: vec![setup.device.clone().into()],
        schedulers: setup.schedulers.clone(),
        timeline: TIMELINE,
        command: setup.command(),
        ..SimulationOptions::default()
    };
    let open = |path: &Path| match path == Path::new(&setup.name) {
        true => {
            let text = io::Cursor::new(setup.job_file.clone());
            Ok(Box::new(BufReader::new(text)) as Box<dyn BufRead>)
        }
        false => Err(io::Error::new(io::ErrorKind::NotFound, "there are no other files here")),
    };
    Simulations::plan(&work, options, &Files::opened_by(open))
}

fn groups(played: &Played<Live>) -> Vec<GroupAbout> {
    let weights = played.running.simulation().runner().group_weights();
    weights.map(|(path, weight)| GroupAbout { path: path.to_owned(), weight }).collect()
}

fn priority(job: &workload::Job) -> (usize, u8) {
    let priority = job.ioprio.unwrap_or_default().effective();
    (priority.class().index(), priority.level())
}

fn inherited(job: &workload::Job) -> Vec<String> {
    job.global_options.iter().map(|(name, _)| name.clone()).collect()
}

fn frame(played: &Played<Live>) -> Frame {
    let simulation = played.running.simulation();
    let now_ns = simulation.now_ns();
    let taken = played.running.observer().map(|live| live.take(now_ns));
    let (timeline, processes) = taken.unwrap_or_default();
    let layer = simulation.runner().layer();
    Frame {
        now_ns,
        has_ended: simulation.has_ended(),
        timeline,
        processes,
        waiting: layer.waiting(),
        in_flight: layer.in_flight(),
        groups: groups(played),
    }
}
