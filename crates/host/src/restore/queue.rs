// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of a disk's queue: scheduler, tunables, and all others that can be written. Some
//! change by themselves when the scheduler does (`nr_requests`, `wbt_lat_usec`), so
//! all are kept and put back.

use super::error::RestoreError;
use super::setting;
use crate::candidate::Candidate;
use crate::choice::SchedulerChoice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What the settings of a queue were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueState {
    /// Its folder, as `/sys/block/sda/queue`.
    pub folder: PathBuf,
    /// The scheduler; none where the driver takes I/O as it comes.
    pub scheduler: Option<String>,
    /// The files of the folder that can be written, and what they say.
    pub settings: BTreeMap<String, String>,
    /// The same of its folder `iosched`: the tunables of the scheduler.
    pub tunables: BTreeMap<String, String>,
}

/// The setting that bounds others, which therefore is put back first.
const FIRST: &str = "nr_requests";

impl QueueState {
    /// Reads the settings of a queue.
    ///
    /// # Errors
    /// If its folder cannot be read.
    pub fn read(folder: &Path) -> Result<Self, RestoreError> {
        let mut settings = values_in(folder)?;
        let line = settings.remove("scheduler");
        Ok(QueueState {
            folder: folder.to_owned(),
            scheduler: line.map(|line| SchedulerChoice::in_force(&line).to_owned()),
            settings,
            tunables: values_in(&folder.join("iosched"))?,
        })
    }

    /// Makes the settings what they were. Does nothing if they are, or if the disk is gone.
    ///
    /// # Errors
    /// If a setting is refused; the others are put back all the same.
    pub fn put_back(&self) -> Result<(), RestoreError> {
        if !self.folder.exists() {
            return Ok(());
        }
        let scheduler = self.put_scheduler_back();
        let first = self.settings.get_key_value(FIRST).into_iter();
        let others = self.settings.iter().filter(|(name, _)| *name != FIRST);
        let settings = first.chain(others).map(|(name, value)| (self.folder.join(name), value));
        let iosched = self.folder.join("iosched");
        // Those of another scheduler are not what was read, even where they have the same names.
        let is_in_force = scheduler.is_ok();
        let tunables = self.tunables.iter().filter(|_| is_in_force);
        let tunables = tunables.map(|(name, value)| (iosched.join(name), value));
        let mut result = scheduler;
        for (file, value) in settings.chain(tunables) {
            result = result.and(put(&file, value));
        }
        result
    }

    fn put_scheduler_back(&self) -> Result<(), RestoreError> {
        let Some(scheduler) = &self.scheduler else { return Ok(()) };
        let file = self.folder.join("scheduler");
        if SchedulerChoice::in_force(&setting::read(&file)?) == scheduler {
            return Ok(());
        }
        setting::write_and_verify(&file, scheduler, SchedulerChoice::in_force)
    }
}

/// Chooses a scheduler with the kernel's defaults, whatever was in force, and sets its tunables.
///
/// # Errors
/// If the kernel refuses the scheduler or a value, or makes another value of it, or the scheduler
/// has no such tunable.
pub(super) fn choose(folder: &Path, candidate: &Candidate) -> Result<(), RestoreError> {
    let file = folder.join("scheduler");
    // The kernel ignores the name of the scheduler in force, which would leave tunables and
    // statistics of another run: it starts afresh only after another one.
    let scheduler = &candidate.scheduler;
    if SchedulerChoice::in_force(&setting::read(&file)?) == scheduler && scheduler != "none" {
        setting::write_and_verify(&file, "none", SchedulerChoice::in_force)?;
    }
    setting::write_and_verify(&file, scheduler, SchedulerChoice::in_force)?;
    for (name, value) in &candidate.tunables {
        let tunable = folder.join("iosched").join(name);
        if !tunable.exists() {
            let known: Vec<String> = values_in(&folder.join("iosched"))?.into_keys().collect();
            let scheduler = candidate.scheduler.clone();
            return Err(RestoreError::NoTunable { scheduler, name: name.clone(), known });
        }
        setting::write_tunable(&tunable, value)?;
    }
    Ok(())
}

/// The files of a folder that can be written, and what they say; none if there is no such folder.
fn values_in(folder: &Path) -> Result<BTreeMap<String, String>, RestoreError> {
    let mut values = BTreeMap::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(values),
        Err(error) => return Err(RestoreError::io("read", folder)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(RestoreError::io("read", folder))?;
        let writable = entry
            .metadata()
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o200 != 0);
        // Some settings exist and yet cannot be read: they do not apply to this disk.
        if let (true, Ok(value)) = (writable, fs::read_to_string(entry.path())) {
            let name = entry.file_name().to_string_lossy().into_owned();
            values.insert(name, value.trim().to_owned());
        }
    }
    Ok(values)
}

/// Makes a setting what it was, if it is not.
fn put(file: &Path, value: &str) -> Result<(), RestoreError> {
    if setting::read(file)? == value {
        return Ok(());
    }
    setting::write_and_verify(file, value, |found| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("iosched")).unwrap();
        for (name, value) in files {
            fs::write(folder.path().join(name), value).unwrap();
        }
        folder
    }

    #[test]
    fn what_differs_is_put_back_and_nothing_else_is_touched() {
        let queue = queue(&[
            ("scheduler", "none [bfq]"),
            ("nr_requests", "64\n"),
            ("read_ahead_kb", "128\n"),
            ("iosched/slice_idle", "8\n"),
        ]);
        let path = |name: &str| queue.path().join(name);
        let found = QueueState::read(queue.path()).unwrap();
        assert_eq!(found.scheduler.as_deref(), Some("bfq"));
        assert_eq!(found.tunables, BTreeMap::from([("slice_idle".to_owned(), "8".to_owned())]));
        fs::write(path("nr_requests"), "256\n").unwrap();
        fs::write(path("iosched/slice_idle"), "0\n").unwrap();
        found.put_back().unwrap();
        assert_eq!(fs::read_to_string(path("nr_requests")).unwrap(), "64");
        assert_eq!(fs::read_to_string(path("iosched/slice_idle")).unwrap(), "8");
        assert_eq!(fs::read_to_string(path("read_ahead_kb")).unwrap(), "128\n");
        assert_eq!(QueueState::read(queue.path()).unwrap(), found);
    }

    #[test]
    fn one_setting_that_is_refused_does_not_keep_the_others_from_being_put_back() {
        let queue = queue(&[("scheduler", "[none]"), ("a", "1"), ("b", "1"), ("c", "1")]);
        let found = QueueState::read(queue.path()).unwrap();
        fs::write(queue.path().join("a"), "2").unwrap();
        fs::remove_file(queue.path().join("b")).unwrap();
        fs::create_dir(queue.path().join("b")).unwrap();
        fs::write(queue.path().join("c"), "2").unwrap();
        let error = found.put_back().unwrap_err().to_string();
        assert!(error.contains("/b"), "{error}");
        for name in ["a", "c"] {
            assert_eq!(fs::read_to_string(queue.path().join(name)).unwrap(), "1", "{name}");
        }
    }

    #[test]
    fn a_scheduler_that_is_refused_keeps_only_its_tunables_from_being_put_back() {
        let queue =
            queue(&[("scheduler", "none [bfq]"), ("nr_requests", "64"), ("iosched/quantum", "8")]);
        let path = |name: &str| queue.path().join(name);
        let found = QueueState::read(queue.path()).unwrap();
        fs::write(path("nr_requests"), "256").unwrap();
        fs::write(path("iosched/quantum"), "4").unwrap();
        fs::remove_file(path("scheduler")).unwrap();
        fs::create_dir(path("scheduler")).unwrap();
        let error = found.put_back().unwrap_err().to_string();
        assert!(error.contains("/scheduler"), "{error}");
        assert_eq!(fs::read_to_string(path("nr_requests")).unwrap(), "64");
        assert_eq!(fs::read_to_string(path("iosched/quantum")).unwrap(), "4");
    }

    #[test]
    fn a_tunable_that_does_not_exist_is_told_with_those_that_do() {
        let queue = queue(&[("scheduler", "none [bfq]"), ("iosched/low_latency", "1")]);
        let candidate = "bfq:low_latencies=0".parse().unwrap();
        let error = choose(queue.path(), &candidate).unwrap_err().to_string();
        assert_eq!(error, "bfq has no tunable `low_latencies`; did you mean `low_latency`?");
    }

    #[test]
    fn a_disk_that_is_gone_needs_nothing() {
        let folder = queue(&[("scheduler", "none [bfq]"), ("a", "1")]);
        let found = QueueState::read(folder.path()).unwrap();
        drop(folder);
        found.put_back().unwrap();
    }
}
