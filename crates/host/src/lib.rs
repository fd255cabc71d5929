// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real machine: its disks, schedulers and control groups, what is in use, and what was
//! changed on it, which is put back whatever happens.
//!
//! * [`Host`], [`Disk`], [`Needs`], [`Survey`]: what is looked at before anything is measured: the
//!   disk behind a target, what it can do, what is missing for a full run, and whether it is
//!   in use. All of it is read from `/sys` and `/proc`, below a root folder, so that tests can
//!   make a machine up.
//! * [`Machine`]: what is changed for a measurement; [`Journaled`] does it under a journal.
//! * [`Decisions`]: what a scheduler of this project decides in the kernel, as it does.
//! * [`Tracing`]: the events of the kernel, from a buffer of our own.
//! * [`restore`]: changes of the machine, written down before they are made, and undone.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod candidate;
mod cgroups;
mod choice;
mod claim;
mod decisions;
mod disk;
mod error;
mod files;
mod identity;
mod in_use;
mod inventory;
mod journaled;
mod layers;
mod load;
mod machine;
mod mounts;
mod needs;
pub mod restore;
mod root;
mod survey;
mod target;
mod tracing;
mod udev;
mod usage;

pub use candidate::{Candidate, CandidateError};
pub use cgroups::{CgroupVersion, Cgroups};
pub use choice::SchedulerChoice;
pub use claim::Claim;
pub use decisions::{Decisions, DecisionsError, Progress};
pub use disk::{Companion, Disk, SerialNumber};
pub use error::HostError;
pub use journaled::Journaled;
pub use layers::{DeviceNumber, Layer, LayerKind};
pub use load::{DiskCounters, Load};
pub use machine::{AsFound, Machine, MachineError, QueueTunables};
pub use mounts::{Mount, Mounts};
pub use needs::{Need, Needs, Topic, Wants};
pub use root::Host;
pub use survey::Survey;
pub use target::{Target, TargetKind};
pub use tracing::{Tracing, TracingError, now_ns};
pub use udev::UdevRules;
pub use usage::Usage;

#[cfg(test)]
mod tests {
    pub(crate) mod fake;
}
