// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run is made on: the disk, the scratch file, and who may change what.

use super::error::RunError;
use super::listener::Listener;
use super::options::{BenchOptions, Candidates};
use super::tried::{Tried, try_all};
use crate::lineup;
use crate::model::{Conditions, Counted, Level, Opening};
use crate::scenarios::{Need, Scale, Scenario};
use crate::session::{Session, by_looking};
use disk_io::{Target, TargetSettings};
use host::restore::{Journal, restore_left_over};
use host::{AsFound, Candidate, Claim, Disk, Host, Journaled, Machine};
use host::{Survey, TargetKind, Topic, Wants};
use std::ops::ControlFlow;
use std::path::{PathBuf, absolute};
use std::time::{Duration, Instant};

/// How long the disk is watched for the load of others.
const WATCH: Duration = Duration::from_millis(500);

/// Everything that cells are measured with.
pub struct BenchStage {
    /// The disk that was meant.
    pub(crate) disk: Disk,
    kernel: String,
    target_name: String,
    /// Where the processes work.
    pub(crate) target: Target,
    pub(super) scale: Scale,
    pub(super) level: Level,
    pub(super) pace: Level,
    pub(super) scenarios_named: bool,
    /// Whether the target may be written to.
    pub(crate) writes: bool,
    pub(super) counted: Counted,
    command: Option<String>,
    seed: u64,
    pub(super) candidates: Vec<Candidate>,
    /// What the disk had, as a candidate is written, if that can be told.
    current: Option<String>,
    pub(super) scenarios: Vec<&'static Scenario>,
    /// Changes the machine, and puts it back, at the latest when it is dropped.
    pub(crate) machine: Box<dyn Machine>,
    program: PathBuf,
    pub(super) began: Instant,
    _claim: Claim,
}

impl BenchStage {
    /// Looks at the machine, says what is missing, and makes the scratch file.
    ///
    /// # Errors
    /// If the options cannot be fulfilled, or the system refuses.
    pub fn set(options: &BenchOptions, listener: &dyn Listener) -> Result<Self, RunError> {
        let note = |text: &str| listener.notes(text);
        let began = Instant::now();
        let host = Host::here();
        let mut disk = Disk::behind(&options.target).map_err(RunError::Target)?;
        let claim = Claim::take(&host, &disk).map_err(RunError::Target)?;
        if let Some(resumed) = &options.resumed {
            resumed.check(&disk)?;
        }
        // What a run that was killed has left is not how the machine was.
        if restore_left_over(&host, options.journals(), &note)? > 0 {
            disk = Disk::behind(&options.target).map_err(RunError::Target)?;
        }
        listener.says(&disk.to_string());
        let Survey { needs, kernel, cgroups, .. } = survey(&host, &disk, options)?;
        if let Some(obstacle) = needs.obstacle() {
            return Err(RunError::Obstacle(obstacle.to_string()));
        }
        for need in needs.iter().filter(|need| need.topic != Topic::Write) {
            note(&need.to_string());
        }
        let is_root = !needs.lack(Topic::Root);
        let candidates = candidates(options, &disk, is_root)?;
        let writes = options.allow_write || disk.target.kind == TargetKind::Directory;
        let can = |need| match need {
            Need::Writes => writes,
            Need::Groups => is_root && !needs.lack(Topic::Groups),
            Need::Command => is_root && options.command.is_some(),
        };
        let (scenarios, left_out) = options.playable(can);
        left_out.iter().for_each(|text| note(text));

        let mut machine: Box<dyn Machine> = if is_root {
            let journal = Journal::create(&host, options.journals(), &disk)?;
            Box::new(Journaled::new(journal, disk.clone(), cgroups))
        } else {
            Box::new(AsFound::new(&disk.current))
        };
        let Tried { current, note: tuned } = try_all(&mut *machine, &candidates, &disk.current)?;
        tuned.iter().for_each(|text| note(text));
        let target = open(options, &disk, &mut *machine, listener)?;
        target.notes().iter().for_each(|text| note(text));
        let conditions = options.resumed.as_ref().map(|resumed| &resumed.opening.conditions);
        let pace = conditions.and_then(|conditions| conditions.pace).unwrap_or(options.level);
        let scale = Scale::new(pace, target.capacity_bytes())?;
        let scenarios = fitting(scenarios, &scale, &note);
        if scenarios.is_empty() {
            return Err(RunError::NoScenario);
        }
        let counted = match conditions {
            Some(conditions) => conditions.counted,
            None => by_looking().map_err(RunError::Counting)?,
        };
        Ok(BenchStage {
            kernel,
            // Not as it was typed: the run may go on from another folder.
            target_name: absolute(&options.target)?.display().to_string(),
            target,
            scale,
            level: options.level,
            pace,
            scenarios_named: options.scenarios.is_some(),
            writes,
            counted,
            command: options.command.clone(),
            seed: options.seed,
            candidates,
            current,
            scenarios,
            machine,
            program: options.program.clone(),
            began,
            disk,
            _claim: claim,
        })
    }

    /// What measures cells here.
    pub(super) fn session<'a>(&'a mut self, interrupted: &'a dyn Fn() -> bool) -> Session<'a> {
        Session {
            machine: &mut *self.machine,
            disk: &self.disk,
            target: &self.target,
            scale: self.scale,
            program: self.program.clone(),
            command: self.command.clone(),
            counted: self.counted,
            seed: self.seed,
            interrupted,
        }
    }

    /// What the file of results begins with; its rounds are not known yet.
    pub(super) fn opening(&self) -> Opening {
        Opening {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kernel: self.kernel.clone(),
            target: self.target_name.clone(),
            disk: self.disk.to_string(),
            identity: self.disk.identity(),
            current: self.current.clone(),
            candidates: self.candidates.clone(),
            scenarios: self.scenarios.iter().map(|scenario| scenario.name.to_owned()).collect(),
            rounds: 0,
            seed: self.seed,
            conditions: Conditions {
                level: self.level,
                pace: Some(self.pace).filter(|pace| *pace != self.level),
                used_bytes: self.scale.used_bytes,
                writes: self.writes,
                counted: self.counted,
                command: self.command.clone(),
            },
        }
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// What could not be put back.
    pub fn restore(&mut self) -> Result<(), RunError> {
        Ok(self.machine.restore()?)
    }
}

/// What there is to know of a disk before it is measured.
///
/// # Errors
/// The system's tables cannot be read, or a scheduler that was named is not there.
pub fn survey(host: &Host, disk: &Disk, options: &BenchOptions) -> Result<Survey, RunError> {
    // What is needed at least; the scratch file is made smaller if there is no more room.
    let scratch_bytes = options.size_bytes.unwrap_or(2 * Scale::LEAST_BYTES);
    if let Candidates::Listed(list) = &options.candidates {
        lineup::listed(list, &disk.schedulers)?;
    }
    let journals = options.journals().to_owned();
    let wants = Wants { scratch_bytes, allow_write: options.allow_write, journals };
    Survey::of(host, disk.clone(), &wants, WATCH).map_err(RunError::System)
}

/// Without root there is no choice.
fn candidates(
    options: &BenchOptions,
    disk: &Disk,
    is_root: bool,
) -> Result<Vec<Candidate>, RunError> {
    let current = Candidate::plain(&disk.current);
    let candidates = match &options.candidates {
        Candidates::Usual if is_root => lineup::usual(options.level, &disk.schedulers),
        Candidates::Usual => vec![current.clone()],
        Candidates::Listed(list) => lineup::listed(list, &disk.schedulers)?,
        Candidates::Given(given) => given.clone(),
    };
    if !is_root && candidates != [current] {
        return Err(RunError::NotRoot { current: disk.current.clone() });
    }
    Ok(candidates)
}

/// Opens the target, or makes a scratch file without a name in the folder.
fn open(
    options: &BenchOptions,
    disk: &Disk,
    machine: &mut dyn Machine,
    listener: &dyn Listener,
) -> Result<Target, RunError> {
    let existing = TargetSettings {
        path: options.target.clone(),
        size_bytes: options.size_bytes,
        writes: options.allow_write || disk.target.kind == TargetKind::Directory,
        allow_write: true,
        direct: true,
        keep: false,
    };
    match disk.target.kind {
        // The claim on a device is taken already.
        TargetKind::BlockDevice => Target::open_shared(&existing).map_err(RunError::OpenDevice),
        TargetKind::File => filled(&existing, listener),
        TargetKind::Directory => {
            let wanted_bytes = options.size_bytes.unwrap_or_else(|| options.level.scratch_bytes());
            let free_bytes = disk.target.free_bytes().map_err(RunError::System)?;
            let size_bytes = match options.size_bytes {
                Some(size_bytes) => size_bytes,
                None => wanted_bytes.min(free_bytes / 2),
            };
            Scale::new(options.level, size_bytes)?;
            let path = machine.scratch(&disk.target.path)?;
            let settings = TargetSettings { path, size_bytes: Some(size_bytes), ..existing };
            filled(&settings, listener)
        }
    }
}

/// Opens a target, or creates and fills it.
fn filled(settings: &TargetSettings, listener: &dyn Listener) -> Result<Target, RunError> {
    let target = Target::open(settings, &mut |done_bytes: u64, all_bytes: u64| {
        listener.fills(&settings.path, done_bytes, all_bytes);
        if listener.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    listener.is_over();
    Ok(target?)
}

/// Those scenarios that the target has room for.
fn fitting(
    scenarios: Vec<&'static Scenario>,
    scale: &Scale,
    note: &dyn Fn(&str),
) -> Vec<&'static Scenario> {
    let fits = |scenario: &&Scenario| match scenario.obstacle(scale) {
        None => true,
        Some(error) => {
            note(&format!("{} is left out: {error}", scenario.name));
            false
        }
    };
    scenarios.into_iter().filter(fits).collect()
}
