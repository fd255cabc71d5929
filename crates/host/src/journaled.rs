// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine that is changed under a journal, which puts it back whatever happens.

use crate::candidate::Candidate;
use crate::cgroups::Cgroups;
use crate::disk::Disk;
use crate::machine::{Machine, MachineError, QueueTunables};
use crate::restore::{Groups, Journal, QueueState};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A machine with a journal of its changes.
#[derive(Debug)]
pub struct Journaled {
    journal: Journal,
    disk: Disk,
    cgroups: Option<Cgroups>,
    /// Made when the first is asked for.
    groups: Option<Groups>,
    chosen: Option<Candidate>,
}

impl Journaled {
    /// A machine of which `disk` is changed, and control groups are made, if it has any.
    pub fn new(journal: Journal, disk: Disk, cgroups: Option<Cgroups>) -> Self {
        Journaled { journal, disk, cgroups, groups: None, chosen: None }
    }

    fn groups(&mut self) -> Result<&Groups, MachineError> {
        if self.groups.is_none() {
            let without = || MachineError::new("no control groups for block I/O are mounted");
            let cgroups = self.cgroups.as_ref().ok_or_else(without)?;
            self.groups = Some(self.journal.make_groups(cgroups).map_err(MachineError::new)?);
        }
        Ok(self.groups.as_ref().expect("just made"))
    }
}

impl Machine for Journaled {
    fn select(&mut self, candidate: &Candidate) -> Result<(), MachineError> {
        if self.chosen.as_ref() != Some(candidate) {
            self.chosen = None;
            self.journal.choose(&self.disk, candidate).map_err(MachineError::new)?;
            self.chosen = Some(candidate.clone());
        }
        Ok(())
    }

    fn tunables(&self) -> Result<Vec<QueueTunables>, MachineError> {
        let of_queue = |folder| QueueState::read(folder).map(|state| state.tunables);
        self.disk.queues().map(of_queue).collect::<Result<_, _>>().map_err(MachineError::new)
    }

    fn group(&mut self, name: &str, weight: u32) -> Result<PathBuf, MachineError> {
        let group = self.groups()?.make(name).map_err(MachineError::new)?;
        // Where no scheduler honours weights the shares show that.
        let _is_known = group.set_weight(weight).map_err(MachineError::new)?;
        Ok(group.members_file())
    }

    fn scratch(&mut self, folder: &Path) -> Result<PathBuf, MachineError> {
        self.journal.name_scratch(folder).map_err(MachineError::new)
    }

    fn mark(&self, command: &mut Command) {
        self.journal.mark(command);
    }

    fn restore(&mut self) -> Result<(), MachineError> {
        self.journal.restore().map_err(MachineError::new)
    }
}
