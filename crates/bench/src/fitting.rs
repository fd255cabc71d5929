// SPDX-License-Identifier: MIT OR Apache-2.0
//! A profile of a real disk for the simulator: the disk is measured under no scheduler, a model is
//! fitted to it and written to a file.
//!
//! ```text
//! BenchOptions ──▶ BenchStage ──▶ Characteristics ──▶ Fitted ──▶ a file of TOML
//!                  set up         measured; then the machine is put back
//! ```

mod error;

pub use error::FittingError;

use crate::new_file::write_new;
use crate::run::{BenchOptions, BenchStage, Listener, RunError};
use base::Date;
use device::Profile;
use fit::{Characteristics, Facts, FitError, Fitted, RealDisk, characterise, fit};
use host::{Candidate, Disk, TargetKind};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a disk is measured, if nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(30);
/// The scheduler that adds nothing of its own.
const NO_SCHEDULER: &str = "none";

/// A disk that was measured, and the profile that plays it.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedDisk {
    /// What the disk was found to be like.
    pub measured: Characteristics,
    /// The profile, and what it plays beside what was measured.
    pub fitted: Fitted,
    /// The file to which the profile was written.
    pub profile: PathBuf,
}

/// Measures the disk for about `time`, finds its profile and writes it to the new file `profile`.
/// Of the options, those about schedulers and scenarios do not count. Interrupted while it
/// computes, it keeps the nearest profile that it has found until then ([`Fitted::ended_early`]):
/// measuring is what took the disk's time.
///
/// # Errors
/// If the target or the file cannot be used, something fails, or it is interrupted while it
/// measures.
pub fn fit_disk(
    options: &BenchOptions,
    profile: &Path,
    time: Option<Duration>,
    listener: &dyn Listener,
) -> Result<FittedDisk, FittingError> {
    check_name(profile)?;
    let mut stage = BenchStage::set(options, listener)?;
    let measured = measure(&mut stage, time.unwrap_or(USUAL_TIME), listener);
    let facts = facts(&stage.disk);
    // The machine is put back before the computing begins.
    let restored = stage.restore();
    drop(stage);
    let measured = match (measured, restored) {
        (Err(FittingError::Disk(FitError::Interrupted)), restored) => {
            return Err(FittingError::Interrupted { not_restored: restored.err() });
        }
        (measured, restored) => restored.map_err(FittingError::Run).and(measured)?,
    };
    let known: Vec<Profile> = Profile::builtin_names().filter_map(Profile::builtin).collect();
    let fitted = fit(&facts, &measured, &known, &|| listener.interrupted())?;
    write(profile, &fitted)?;
    Ok(FittedDisk { measured, fitted, profile: profile.to_owned() })
}

/// An existing file may be the user's work.
fn check_name(profile: &Path) -> Result<(), FittingError> {
    let path = || profile.to_owned();
    if profile.extension().is_none_or(|extension| extension != "toml") {
        return Err(FittingError::Ending { path: path() });
    }
    if profile.exists() {
        return Err(FittingError::Exists { path: path() });
    }
    let folder = profile.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(FittingError::NoFolder { path: path(), folder: folder.to_owned() })
        }
        _ => Ok(()),
    }
}

fn measure(
    stage: &mut BenchStage,
    time: Duration,
    listener: &dyn Listener,
) -> Result<Characteristics, FittingError> {
    let disk = &stage.disk;
    // It is the disk that is wanted, not what a scheduler makes of it.
    if rustix::process::geteuid().is_root() && disk.schedulers.iter().any(|s| s == NO_SCHEDULER) {
        stage.machine.select(&Candidate::plain(NO_SCHEDULER)).map_err(RunError::Machine)?;
    } else if disk.current != NO_SCHEDULER {
        listener
            .notes(&format!("measured through {}, which takes part in all figures", disk.current));
    }
    let is_whole = disk.target.kind == TargetKind::BlockDevice
        && stage.target.capacity_bytes() == disk.size_bytes;
    let interrupted = || listener.interrupted();
    let mut subject = RealDisk::new(&stage.target, stage.writes, &interrupted);
    let mut step = |done: usize, all: usize| listener.characterises(&disk.name, done, all);
    let measured = characterise(&mut subject, is_whole, time, u64::MAX, &mut step);
    listener.is_over();
    Ok(measured?)
}

/// What the kernel knows, while the disk is under the scheduler that it was measured under.
fn facts(disk: &Disk) -> Facts {
    let model = if disk.model.is_empty() { "a disk without a name" } else { &disk.model };
    let (depth, depth_source) = match disk.queue_depth {
        Some(depth) => (depth, "what the driver tells"),
        None => (disk.nr_requests_now(), "requests that the kernel has for a queue of it"),
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

fn write(path: &Path, fitted: &Fitted) -> Result<(), FittingError> {
    // What the simulator would refuse must not be found out later.
    Profile::parse(&fitted.text, &path.display().to_string()).map_err(FittingError::Refused)?;
    let written = write_new(path, &fitted.text);
    written.map_err(|source| FittingError::Unwritable { path: path.to_owned(), source })
}

impl fmt::Display for FittedDisk {
    /// What the profile plays beside what was measured, and how to play it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Characteristics { knee, steady, .. } = &self.measured;
        writeln!(
            f,
            "{}random reads: nine tenths of the most ({:.0} a second) at {} in flight",
            self.fitted, knee.most_per_second, knee.depth
        )?;
        match steady {
            Some(steady) => writeln!(
                f,
                "writing in a row: {:.0} MB/s at first, {:.0} MB/s after {:.2} GB",
                steady.first / 1e6,
                steady.last / 1e6,
                steady.bytes as f64 / 1e9
            )?,
            None => {
                writeln!(f, "only read: --allow-write lets it write too, which DESTROYS data")?;
            }
        }
        let shown = self.profile.display();
        writeln!(f, "written to {shown}; play it: bfq sim JOB --device {shown}")
    }
}

/// The day in UTC: `2026-11-22`.
fn today() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let Date { year, month, day, .. } = Date::since_1970(since_1970.as_secs());
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::made_up_disk::disk;

    #[test]
    fn the_depth_is_that_under_the_scheduler_of_the_measuring() {
        let queue = tempfile::tempdir().unwrap();
        let mut disk = disk(None);
        disk.queue = queue.path().to_owned();
        (disk.queue_depth, disk.nr_requests) = (None, 256);
        std::fs::write(queue.path().join("nr_requests"), "128\n").unwrap();
        assert_eq!(facts(&disk).depth, 128);
    }

    #[test]
    fn the_file_is_new_is_toml_and_has_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str| {
            let error = check_name(&folder.path().join(name)).unwrap_err();
            assert!(error.is_usage(), "{error}");
            error.to_string().replace(&format!("{}/", folder.path().display()), "")
        };
        std::fs::write(folder.path().join("old.toml"), "").unwrap();
        assert!(check_name(&folder.path().join("new.toml")).is_ok());
        assert!(check_name(Path::new("new-in-the-current-folder.toml")).is_ok());
        assert_eq!(refused("disk.ini"), "--fit disk.ini: expected a name that ends in .toml");
        assert_eq!(refused("old.toml"), "--fit: old.toml exists; expected a new file");
        assert_eq!(refused("no/disk.toml"), "--fit no/disk.toml: expected a folder no");
    }
}
