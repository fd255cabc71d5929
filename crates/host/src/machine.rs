// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session changes on the machine.

use crate::candidate::Candidate;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names and values of the tunables of a queue's scheduler.
pub type QueueTunables = BTreeMap<String, String>;

/// The machine, as far as a session changes it. An implementation restores everything.
pub trait Machine {
    /// Makes a candidate the scheduler of the disk, with its tunables.
    ///
    /// # Errors
    /// The system does not let it.
    fn select(&mut self, candidate: &Candidate) -> Result<(), MachineError>;

    /// The tunables of the scheduler in force, of the disk and then of each companion. A machine
    /// on which nothing can be chosen tells none.
    ///
    /// # Errors
    /// They cannot be read.
    fn tunables(&self) -> Result<Vec<QueueTunables>, MachineError>;

    /// A control group with a weight, made if it does not exist. The answer is the file that
    /// takes the processes.
    ///
    /// # Errors
    /// The system does not let it.
    fn group(&mut self, name: &str, weight: u32) -> Result<PathBuf, MachineError>;

    /// A name for a scratch file in a folder, which nothing else has. A file of that name is
    /// removed when everything is put back, if its maker has not done so.
    ///
    /// # Errors
    /// The system does not let it.
    fn scratch(&mut self, folder: &Path) -> Result<PathBuf, MachineError>;

    /// Has all that a command starts ended if we are not there any more to do it.
    fn mark(&self, command: &mut Command);

    /// Puts everything back.
    ///
    /// # Errors
    /// What could not be put back.
    fn restore(&mut self) -> Result<(), MachineError>;
}

/// A machine that is not changed at all, for want of the right to do so.
#[derive(Clone, Debug)]
pub struct AsFound {
    current: Candidate,
}

impl AsFound {
    /// A machine whose disk has this scheduler.
    pub fn new(current: &str) -> Self {
        AsFound { current: Candidate::plain(current) }
    }
}

impl Machine for AsFound {
    fn select(&mut self, candidate: &Candidate) -> Result<(), MachineError> {
        match *candidate == self.current {
            true => Ok(()),
            false => Err(MachineError::new(format!("only root can choose {candidate}"))),
        }
    }

    fn tunables(&self) -> Result<Vec<QueueTunables>, MachineError> {
        Ok(Vec::new())
    }

    fn group(&mut self, name: &str, _weight: u32) -> Result<PathBuf, MachineError> {
        Err(MachineError::new(format!("only root can make the control group {name}")))
    }

    fn scratch(&mut self, folder: &Path) -> Result<PathBuf, MachineError> {
        Ok(folder.join(format!(".bfq-bench-{}", std::process::id())))
    }

    fn mark(&self, _command: &mut Command) {}

    fn restore(&mut self) -> Result<(), MachineError> {
        Ok(())
    }
}

/// The machine could not be changed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct MachineError(Box<dyn Error + Send + Sync>);

impl MachineError {
    /// The machine cannot be prepared or put back, because of `error`.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        MachineError(error.into())
    }
}
