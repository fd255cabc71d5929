// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --fit`: a profile of this disk for the simulator.

use super::screen::Screen;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note::note;
use crate::progress::Progress;
use crate::streams::print;
use base::Date;
use bench::run::{Stage, Wishes};
use device::Profile;
use fit::{Characteristics, Facts, FitError, Fitted, RealDisk, characterise, fit};
use host::Candidate;
use host::{Disk, TargetKind};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a disk is measured, if nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(30);
/// The scheduler that adds nothing of its own.
const NO_SCHEDULER: &str = "none";

/// Measures the disk, finds the profile, writes it and prints what it plays beside
/// what was measured.
///
/// # Errors
/// With exit code 2 if the target or the file cannot be used, with 1 if it fails while running or
/// is interrupted.
pub fn run(
    wishes: &Wishes,
    profile: &Path,
    time: Option<Duration>,
    interrupt: &Interrupt,
    quiet: bool,
) -> Result<(), Failure> {
    check_name(profile)?;
    let mut stage =
        Stage::set(wishes, &Screen::new(quiet, interrupt)).map_err(Failure::of_bench)?;
    let measured = measure(&mut stage, time.unwrap_or(USUAL_TIME), interrupt, quiet);
    let facts = facts(&stage.disk);
    // The machine is put back before the computing begins.
    stage.restore().map_err(Failure::run)?;
    drop(stage);
    let measured = measured?;
    let known: Vec<Profile> = Profile::builtin_names().filter_map(Profile::builtin).collect();
    let fitted = fit(&facts, &measured, &known).map_err(Failure::run)?;
    write(profile, &fitted)?;
    if let Some(doubt) = measured.doubt() {
        note(&format!("warning: {doubt}"));
    }
    print(&report(&fitted, &measured, profile))
}

/// An existing file may be the user's work.
fn check_name(profile: &Path) -> Result<(), Failure> {
    let shown = profile.display();
    if profile.extension().is_none_or(|extension| extension != "toml") {
        return Err(Failure::usage(format!("--fit {shown}: expected a name that ends in .toml")));
    }
    if profile.exists() {
        return Err(Failure::usage(format!("--fit: {shown} exists; expected a new file")));
    }
    let folder = profile.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            let folder = folder.display();
            Err(Failure::usage(format!("--fit {shown}: expected a folder {folder}")))
        }
        _ => Ok(()),
    }
}

fn measure(
    stage: &mut Stage,
    time: Duration,
    interrupt: &Interrupt,
    quiet: bool,
) -> Result<Characteristics, Failure> {
    let disk = &stage.disk;
    // It is the disk that is wanted, not what a scheduler makes of it.
    if rustix::process::geteuid().is_root() && disk.schedulers.iter().any(|s| s == NO_SCHEDULER) {
        stage.machine.select(&Candidate::plain(NO_SCHEDULER)).map_err(Failure::run)?;
    } else if disk.current != NO_SCHEDULER && !quiet {
        note(&format!("note: measured through {}, which takes part in all figures", disk.current));
    }
    let is_whole = disk.target.kind == TargetKind::BlockDevice
        && stage.target.capacity_bytes() == disk.size_bytes;
    let interrupted = || interrupt.requested();
    let mut subject = RealDisk::new(&stage.target, stage.writes, &interrupted);
    let progress = Progress::new(disk.name.clone(), quiet);
    let mut step = |done: usize, all: usize| progress.piece(done, all);
    let measured = characterise(&mut subject, is_whole, time, u64::MAX, &mut step);
    progress.clear();
    measured.map_err(|error| match error {
        FitError::Interrupted => {
            note("interrupted; no profile was written");
            Failure::Interrupted
        }
        FitError::TooSmall { .. } => Failure::usage(error),
        other => Failure::run(other),
    })
}

/// What the kernel knows.
fn facts(disk: &Disk) -> Facts {
    let model = if disk.model.is_empty() { "a disk without a name" } else { &disk.model };
    let (depth, depth_source) = match disk.queue_depth {
        Some(depth) => (depth, "what the driver tells"),
        None => (disk.nr_requests, "requests that the kernel has for a queue of it"),
    };
    Facts {
        description: format!("{model}, {:.0} GB", disk.size_bytes as f64 / 1e9),
        capacity_bytes: disk.size_bytes,
        depth: depth.max(1),
        depth_source: depth_source.to_owned(),
        rotational: disk.rotational,
        date: today(),
    }
}

fn write(path: &Path, fitted: &Fitted) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| file.write_all(fitted.text.as_bytes()));
    written.map_err(|error| Failure::run(format!("cannot write {}: {error}", path.display())))?;
    // What the simulator would refuse must not be found out later.
    Profile::load(path).map(|_| ()).map_err(Failure::run)
}

fn report(fitted: &Fitted, measured: &Characteristics, profile: &Path) -> String {
    let knee = measured.knee;
    let steady = match measured.steady {
        Some(steady) => format!(
            "writing in a row: {:.0} MB/s at first, {:.0} MB/s after {:.2} GB\n",
            steady.first / 1e6,
            steady.last / 1e6,
            steady.bytes as f64 / 1e9
        ),
        None => "only read: --allow-write lets it write too, which DESTROYS data\n".to_owned(),
    };
    let shown = profile.display();
    format!(
        "{fitted}random reads: nine tenths of the most ({:.0} a second) at {} in flight\n{steady}\
         written to {shown}; play it: bfq sim JOB --device {shown}\n",
        knee.most_per_second, knee.depth
    )
}

/// The day in UTC: `2026-11-22`.
fn today() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let Date { year, month, day, .. } = Date::since_1970(since_1970.as_secs());
    format!("{year:04}-{month:02}-{day:02}")
}
