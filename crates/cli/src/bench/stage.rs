// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run is made on: the disk, the scratch file, and who may change what.

use super::choice::{Candidates, Wishes};
use super::restore::{self, journals};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::run;
use crate::streams;
use bench::lineup;
use bench::model::{Conditions, Counted, Level, Opening};
use bench::plan::{self, Budget, Plan, Rehearsed};
use bench::scenarios::{Need, Scale, Scenario};
use bench::session::{Session, by_looking};
use host::Candidate;
use host::restore::Journal;
use host::{AsFound, Journaled, Machine};
use host::{Claim, Disk, Host, Survey, TargetKind, Topic, Wants};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use uring::{Target, TargetSettings};

/// How long the disk is watched for the load of others.
const WATCH: Duration = Duration::from_millis(500);

/// Everything that cells are measured with.
pub struct Stage {
    pub disk: Disk,
    kernel: String,
    target_name: String,
    pub target: Target,
    scale: Scale,
    level: Level,
    pace: Level,
    scenarios_named: bool,
    pub writes: bool,
    counted: Counted,
    command: Option<String>,
    seed: u64,
    pub candidates: Vec<Candidate>,
    pub scenarios: Vec<&'static Scenario>,
    pub machine: Box<dyn Machine>,
    program: PathBuf,
    began: Instant,
    _claim: Claim,
}

impl Stage {
    /// Looks at the machine, says what is missing, and makes the scratch file.
    ///
    /// # Errors
    /// With exit code 2 if the wishes cannot be fulfilled, with 1 if the system refuses.
    pub fn set(wishes: &Wishes, interrupt: &Interrupt, quiet: bool) -> Result<Self, Failure> {
        let note = |text: &str| {
            if !quiet {
                streams::note(&format!("note: {text}"));
            }
        };
        let began = Instant::now();
        let host = Host::here();
        let mut disk = Disk::behind(&wishes.target).map_err(Failure::usage)?;
        let claim = Claim::take(&host, &disk).map_err(Failure::usage)?;
        // What a run that was killed has left is not how the machine was.
        let place = journals(&wishes.journals);
        if restore::left_over_runs(&host, &place, &note)? > 0 {
            disk = Disk::behind(&wishes.target).map_err(Failure::usage)?;
        }
        if !quiet {
            streams::note(&disk.to_string());
        }
        let Survey { needs, kernel, cgroups, .. } = survey(&host, &disk, wishes)?;
        if let Some(obstacle) = needs.obstacle() {
            return Err(Failure::usage(obstacle.to_string()));
        }
        for need in needs.iter().filter(|need| need.topic != Topic::Write) {
            note(&need.to_string());
        }
        let is_root = !needs.lack(Topic::Root);
        let candidates = candidates(wishes, &disk, is_root)?;
        let writes = wishes.allow_write || disk.target.kind == TargetKind::Directory;
        let can = |need| match need {
            Need::Writes => writes,
            Need::Groups => is_root && !needs.lack(Topic::Groups),
            Need::Command => is_root && wishes.command.is_some(),
        };
        let (scenarios, left_out) = wishes.playable(can);
        left_out.iter().for_each(|text| note(text));

        let mut machine: Box<dyn Machine> = if is_root {
            let journal = Journal::create(&host, &place, &disk).map_err(Failure::run)?;
            Box::new(Journaled::new(journal, disk.clone(), cgroups))
        } else {
            Box::new(AsFound::new(&disk.current))
        };
        let target = open(wishes, &disk, &mut *machine, interrupt, quiet)?;
        target.notes().iter().for_each(|text| note(text));
        let pace = wishes.conditions.as_ref().and_then(|conditions| conditions.pace);
        let pace = pace.unwrap_or(wishes.level);
        let scale = Scale::new(pace, target.capacity_bytes()).map_err(Failure::usage)?;
        let scenarios = fitting(scenarios, &scale, &note);
        if scenarios.is_empty() {
            return Err(Failure::usage("no scenario is left that could be played here"));
        }
        let counted = match &wishes.conditions {
            Some(conditions) => conditions.counted,
            None => by_looking().map_err(Failure::run)?,
        };
        Ok(Stage {
            kernel,
            target_name: wishes.target.display().to_string(),
            target,
            scale,
            level: wishes.level,
            pace,
            scenarios_named: wishes.scenarios.is_some(),
            writes,
            counted,
            command: wishes.command.clone(),
            seed: wishes.seed,
            candidates,
            scenarios,
            machine,
            program: std::env::current_exe().map_err(Failure::run)?,
            began,
            disk,
            _claim: claim,
        })
    }

    /// What measures cells here.
    pub fn session<'a>(&'a mut self, interrupted: &'a dyn Fn() -> bool) -> Session<'a> {
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
    pub fn opening(&self) -> Opening {
        Opening {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kernel: self.kernel.clone(),
            target: self.target_name.clone(),
            disk: self.disk.to_string(),
            current: Some(self.disk.current.clone()),
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

    /// Decides what is measured in the time there is, and says in sentences what that is good for.
    ///
    /// # Errors
    /// The target has become too small.
    pub fn plan(
        &mut self,
        time: Option<Duration>,
        rehearsed: &[Rehearsed],
    ) -> Result<(Plan, Vec<String>), Failure> {
        let spent = self.began.elapsed();
        let budget = Budget {
            level: self.level,
            candidates: self.candidates.len(),
            time: time.unwrap_or_else(|| self.level.usual_time()).saturating_sub(spent),
            is_named: time.is_some(),
            may_leave_out: !self.scenarios_named,
        };
        let plan = plan::plan(&budget, rehearsed);
        let is_out = |one: &&Scenario| !plan.scenarios.iter().any(|kept| kept.name == one.name);
        let left_out = self.scenarios.iter().copied().filter(is_out).map(|one| one.name).collect();
        self.scenarios.clone_from(&plan.scenarios);
        self.pace = plan.pace;
        self.scale = Scale::new(plan.pace, self.target.capacity_bytes()).map_err(Failure::usage)?;
        let text = Planned { stage: self, plan: &plan, left_out, spent }.sentences();
        Ok((plan, text))
    }

    /// A run goes on only where it began.
    ///
    /// # Errors
    /// What is different.
    pub fn check_same(&self, before: &Opening) -> Result<(), String> {
        let now = self.opening();
        let differ = |what: &str, before: &str, now: &str| match before == now {
            true => Ok(()),
            false => Err(format!("--resume: {what} was {before}, and now is {now}")),
        };
        differ("the kernel", &before.kernel, &now.kernel)?;
        differ("the disk", &before.disk, &now.disk)?;
        differ("the list of scenarios", &before.scenarios.join(","), &now.scenarios.join(","))?;
        let used = |opening: &Opening| opening.conditions.used_bytes.to_string();
        differ("the size in use", &used(before), &used(&now))
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// What could not be put back.
    pub fn restore(&mut self) -> Result<(), Failure> {
        self.machine.restore().map_err(Failure::run)
    }
}

/// A plan, as it is told before it begins.
struct Planned<'a> {
    stage: &'a Stage,
    plan: &'a Plan,
    left_out: Vec<&'static str>,
    /// Of the time there was.
    spent: Duration,
}

impl Planned<'_> {
    fn sentences(&self) -> Vec<String> {
        let Planned { stage, plan, .. } = self;
        let (candidates, scenarios) = (stage.candidates.len(), plan.scenarios.len());
        let mut text = vec![format!(
            "{} rounds of {} on {}, some {}; counted is the {}",
            plan.rounds,
            counted(candidates, "scheduler"),
            counted(scenarios, "scenario"),
            words(plan.time_of(plan.rounds)),
            stage.counted.words()
        )];
        let needed = plan.rounds_needed;
        if plan.pace != stage.level {
            text.push(format!(
                "the time is short: each is measured for {} ms, so that there are the {needed} rounds \
                 without which nothing is sure",
                stage.scale.time.as_millis()
            ));
        }
        if !self.left_out.is_empty() {
            text.push(format!("the time is too short for {}", self.left_out.join(", ")));
        }
        if !plan.can_tell() {
            text.push(self.advice());
        }
        text
    }

    /// What to do about a plan that cannot tell anything.
    fn advice(&self) -> String {
        let Planned { stage, plan, .. } = self;
        let minutes = |time: Duration| ((self.spent + time).as_secs_f64() * 1.1 / 60.0).ceil();
        let (all, least) = (minutes(plan.time_of(plan.rounds_needed)), minutes(plan.least_time));
        let mut text = format!(
            "this CANNOT TELL schedulers apart: that takes {} rounds (--time {least}m",
            plan.rounds_needed
        );
        if least < all {
            text +=
                &format!(", with shorter cells or fewer scenarios; {all}m for all that is wanted");
        }
        text += ")";
        let plain = || stage.candidates.iter().filter(|one| one.tunables.is_empty());
        if let (Some(first), Some(last)) = (plain().next(), plain().next_back())
            && stage.candidates.len() > 2
            && first != last
        {
            let of_two = plan.time_of(plan::needed(2)) * 2 / stage.candidates.len() as u32;
            text += &format!(
                ", or fewer schedulers (--schedulers {first},{last}: {} rounds, some {})",
                plan::needed(2),
                words(of_two)
            );
        }
        text
    }
}

/// `1 scheduler`, `4 schedulers`.
fn counted(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// A time, as people say it.
fn words(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 99.5 => format!("{seconds:.0} s"),
        seconds => format!("{:.1} minutes", seconds / 60.0),
    }
}

/// What there is to know of a disk before it is measured.
///
/// # Errors
/// The system's tables cannot be read.
pub fn survey(host: &Host, disk: &Disk, wishes: &Wishes) -> Result<Survey, Failure> {
    // What is needed at least; the scratch file is made smaller if there is no more room.
    let scratch_bytes = wishes.size_bytes.unwrap_or(2 * Scale::LEAST_BYTES);
    let journals = journals(&wishes.journals);
    let wants = Wants { scratch_bytes, allow_write: wishes.allow_write, journals };
    Survey::of(host, disk.clone(), &wants, WATCH).map_err(Failure::run)
}

/// Without root there is no choice.
fn candidates(wishes: &Wishes, disk: &Disk, is_root: bool) -> Result<Vec<Candidate>, Failure> {
    let current = Candidate::plain(&disk.current);
    let candidates = match &wishes.candidates {
        Candidates::Usual if is_root => lineup::usual(wishes.level, &disk.schedulers),
        Candidates::Usual => vec![current.clone()],
        Candidates::Listed(list) => lineup::listed(list, &disk.schedulers)
            .map_err(|error| Failure::usage(format!("--schedulers: {error}")))?,
        Candidates::Given(given) => given.clone(),
    };
    if !is_root && candidates != [current] {
        let current = &disk.current;
        return Err(Failure::usage(format!(
            "only root can switch schedulers; expected --schedulers {current}, or root (sudo)"
        )));
    }
    Ok(candidates)
}

/// Opens the target, or makes a scratch file without a name in the folder.
fn open(
    wishes: &Wishes,
    disk: &Disk,
    machine: &mut dyn Machine,
    interrupt: &Interrupt,
    quiet: bool,
) -> Result<Target, Failure> {
    let existing = TargetSettings {
        path: wishes.target.clone(),
        size_bytes: wishes.size_bytes,
        writes: wishes.allow_write || disk.target.kind == TargetKind::Directory,
        allow_write: true,
        direct: true,
        keep: false,
    };
    match disk.target.kind {
        // The claim on a device is taken already.
        TargetKind::BlockDevice => Target::open_shared(&existing).map_err(Failure::usage),
        TargetKind::File => run::open(&existing, quiet, interrupt),
        TargetKind::Directory => {
            let wanted_bytes = wishes.size_bytes.unwrap_or_else(|| wishes.level.scratch_bytes());
            let free_bytes = disk.target.free_bytes().map_err(Failure::run)?;
            let size_bytes = match wishes.size_bytes {
                Some(size_bytes) => size_bytes,
                None => wanted_bytes.min(free_bytes / 2),
            };
            Scale::new(wishes.level, size_bytes).map_err(Failure::usage)?;
            let path = machine.scratch(&disk.target.path).map_err(Failure::run)?;
            let settings = TargetSettings { path, size_bytes: Some(size_bytes), ..existing };
            run::open(&settings, quiet, interrupt)
        }
    }
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
