// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real machine: its disks, schedulers and control groups, what somebody uses, and what was
//! changed on it, which is put back whatever happens.
//!
//! * [`Host`], [`Disk`], [`Needs`], [`Survey`]: what is looked at before anything is measured: the
//!   disk behind a target, what it can do, what is missing for a full run, and whether somebody
//!   uses it. All of it is read from `/sys` and `/proc`, below a root folder, so that tests can
//!   make a machine up.
//! * [`Machine`]: what is changed for a measurement; [`Journaled`] does it under a journal.
//! * [`restore`]: changes of the machine, written down before they are made, and undone.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod candidate;
mod cgroups;
mod claim;
mod disk;
mod error;
mod in_use;
mod journaled;
mod layers;
mod load;
mod machine;
mod mounts;
mod needs;
pub mod restore;
mod survey;
mod target;

pub use candidate::{Candidate, CandidateError};
pub use cgroups::{CgroupVersion, Cgroups};
pub use claim::Claim;
pub use disk::{Companion, Disk};
pub use error::HostError;
pub use in_use::Usage;
pub use journaled::Journaled;
pub use layers::{DeviceNumber, Layer, LayerKind};
pub use load::{Counters, Load};
pub use machine::{AsFound, Machine, MachineError};
pub use mounts::{Mount, Mounts};
pub use needs::{Need, Needs, Topic, Wants};
pub use survey::Survey;
pub use target::{Target, TargetKind};

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The machine: a root folder with `sys`, `proc`, `dev` and `lib` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    root: PathBuf,
}

impl Host {
    /// The machine this runs on.
    pub fn here() -> Self {
        Host::at(Path::new("/"))
    }

    /// A machine whose files are below a folder.
    pub fn at(root: &Path) -> Self {
        Host { root: root.to_owned() }
    }

    /// Where a path of the machine is for us.
    pub fn path(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.root.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// Which start of the machine this is. Cgroups, processes and settings do not outlive it.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub fn boot_id(&self) -> Result<String, HostError> {
        read_line(&self.path("/proc/sys/kernel/random/boot_id"))
    }

    /// The release of the kernel, as `uname -r` tells it.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub fn kernel_release(&self) -> Result<String, HostError> {
        read_line(&self.path("/proc/sys/kernel/osrelease"))
    }
}

/// A file of one value, without the end of its line.
fn read_line(path: &Path) -> Result<String, HostError> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|source| HostError::Io { path: path.to_owned(), source })?;
    Ok(text.trim_end().to_owned())
}

/// The same for a file that not every device or kernel has. Some exist and cannot be read, which is
/// the kernel's way to say that they do not apply.
fn read_if_any(path: &Path) -> Option<String> {
    read_line(path).ok().map(|text| text.trim_start().to_owned())
}

/// A number in a file that not every device or kernel has.
fn read_number<N: std::str::FromStr>(path: &Path) -> Option<N> {
    read_if_any(path)?.parse().ok()
}

/// The names in a folder, sorted; none if there is no such folder.
fn names_in(folder: &Path) -> Result<Vec<String>, HostError> {
    let io = |source| HostError::Io { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(io)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    pub(crate) mod fake;
}
