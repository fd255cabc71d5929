// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of a recording: device, tunables, groups and processes.

use base::{Ioprio, parse_ioprio};
use bfq::{Behaviour, tunables::Tunable};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The settings of a recording.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The disk: a profile's name, or a table that says whether it rotates.
    disk: Disk,
    /// Commands that the disk takes at once.
    pub depth: u32,
    /// Size of the request pool.
    pub nr_requests: u32,
    /// How often the kernel's clock ticks in a second.
    pub hz: u32,
    /// Version of the kernel: `6.1` or `6.12`.
    kernel: String,
    /// Whether requests were merged.
    pub merging: bool,
    /// Whether the recorded host's clock went on while it was in the scheduler.
    #[serde(default)]
    pub clock_runs: bool,
    /// Whether it was a machine at work, and no simulated one: the recording says so.
    #[serde(skip)]
    pub(crate) at_work: bool,
    /// When the disk got its scheduler, if the recording says so.
    #[serde(skip)]
    pub(crate) attached_ns: u64,
    #[serde(default)]
    tunables: BTreeMap<String, u64>,
    /// Weights of the groups: `a` is a child of the root, `a/b` one of `a`.
    #[serde(default)]
    pub groups: BTreeMap<String, u32>,
    /// The processes as written.
    #[serde(default)]
    process: Vec<RawProcess>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Disk {
    Name(String),
    Table { rotational: bool },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProcess {
    id: u32,
    ioprio: String,
    group: Option<String>,
}

/// A process of a recording.
#[derive(Clone, Debug)]
pub struct RecordedProcess {
    /// Its number in the log.
    pub id: u32,
    /// Priority of the process.
    pub ioprio: Ioprio,
    /// Its group; the root if none.
    pub group: Option<String>,
}

/// Settings that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The file is not there.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The error that the system gave.
        source: std::io::Error,
    },
    /// It is not TOML, or lacks something.
    #[error("{path}: {source}")]
    Syntax {
        /// Path of the file.
        path: PathBuf,
        /// Which line is wrong, and how.
        source: Box<toml::de::Error>,
    },
    /// A value is not one of those expected.
    #[error("{path}: {what}")]
    Value {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong, and what was expected.
        what: String,
    },
}

impl Setup {
    /// Reads `NAME.toml` beside the log `NAME.csv` or the trace
    /// `NAME.trace`, with or without `.gz`.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn beside(log: &Path) -> Result<Setup, SetupError> {
        let name = log.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = [".csv", ".trace"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
        let path = log.with_file_name(format!("{stem}.toml"));
        let text = std::fs::read_to_string(&path)
            .map_err(|source| SetupError::Read { path: path.clone(), source })?;
        let setup: Setup = toml::from_str(&text).map_err(|source| SetupError::Syntax {
            path: path.clone(),
            source: Box::new(source),
        })?;
        setup.validate().map_err(|what| SetupError::Value { path, what })?;
        Ok(setup)
    }

    fn validate(&self) -> Result<(), String> {
        behaviour(&self.kernel)?;
        for name in self.tunables.keys() {
            if Tunable::from_name(name).is_none() {
                return Err(format!("unknown tunable `{name}`"));
            }
        }
        for name in self.groups.keys() {
            if let Some(parent) = parent(name)
                && !self.groups.contains_key(parent)
            {
                return Err(format!("group `{name}` is in the unknown group `{parent}`"));
            }
        }
        for process in &self.process {
            parse_ioprio(&process.ioprio).map_err(|error| error.to_string())?;
            if let Some(group) = &process.group
                && !self.groups.contains_key(group)
            {
                return Err(format!("process {} is in the unknown group `{group}`", process.id));
            }
        }
        Ok(())
    }

    /// A process that the settings do not name introduces itself in the recording.
    pub(crate) fn add_process(
        &mut self,
        id: u32,
        ioprio: &str,
        group: Option<String>,
    ) -> Result<(), String> {
        self.process.push(RawProcess { id, ioprio: ioprio.to_owned(), group });
        self.validate()
    }

    /// Whether the disk has moving parts. The names are those of the built-in profiles.
    pub fn rotational(&self) -> bool {
        match &self.disk {
            Disk::Name(name) => name.contains("hdd"),
            Disk::Table { rotational } => *rotational,
        }
    }

    /// From one tick to the next.
    pub(crate) fn tick_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.hz.max(1))
    }

    /// The behaviour of the scheduler that is that of the kernel's version.
    pub fn behaviour(&self) -> Behaviour {
        behaviour(&self.kernel).unwrap_or_default()
    }

    /// The tunables that were set.
    pub fn tunables(&self) -> impl Iterator<Item = (Tunable, u64)> {
        self.tunables.iter().filter_map(|(name, &value)| Some((Tunable::from_name(name)?, value)))
    }

    /// The processes that it has.
    pub fn processes(&self) -> impl Iterator<Item = RecordedProcess> {
        self.process.iter().filter_map(|process| {
            let ioprio = parse_ioprio(&process.ioprio).ok()?;
            Some(RecordedProcess { id: process.id, ioprio, group: process.group.clone() })
        })
    }
}

/// The group that this one is in, if it is not the root.
pub(crate) fn parent(group: &str) -> Option<&str> {
    group.rsplit_once('/').map(|(parent, _)| parent)
}

fn behaviour(kernel: &str) -> Result<Behaviour, String> {
    match kernel {
        "6.1" => Ok(Behaviour::Linux6_1),
        "6.12" => Ok(Behaviour::Linux6_12),
        other => Err(format!("kernel `{other}` is unknown: expected 6.1 or 6.12")),
    }
}
