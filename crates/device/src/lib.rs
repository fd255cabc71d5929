// SPDX-License-Identifier: MIT OR Apache-2.0
//! Models of disks and their profiles.
//!
//! A [`Device`] is a function of what it is told and when: it reads no clock and does no I/O, all
//! of its arithmetic is on whole nanoseconds and sectors, and the same commands at the same times
//! end at the same times on every machine. A [`Profile`] says which disk it is.
//!
//! The order in which a host calls it:
//!
//! 1. [`Device::submit`] as long as [`Device::in_flight`] is less than [`Device::depth`];
//! 2. ask [`Device::next_event_ns`] and let virtual time pass up to there, or up to the host's own
//!    next event if that is sooner;
//! 3. [`Device::advance`] to that time, which hands out the completions; then again from 1.
//!
//! A host that has nothing to do before a command ends asks [`Device::work`] instead in 2.
//!
//! ```
//! use base::Op;
//! use device::{Command, Device, Profile};
//!
//! let profile = Profile::parse_argument("reference-hdd:depth=2")?;
//! let mut disk = Device::from_profile(&profile, 1);
//! disk.submit(0, Command { tag: 7, op: Op::Read, sector: 0, sectors: 512 })?;
//!
//! let mut completions = Vec::new();
//! while let Some(now_ns) = disk.next_event_ns() {
//!     disk.advance(now_ns, &mut completions);
//! }
//! // 8 ms seek, 0.1 ms base, 256 KiB at 100 MB/s
//! assert_eq!((completions[0].tag, completions[0].at_ns), (7, 10_721_440));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod agenda;
mod command;
mod device;
mod flash;
mod hdd;
pub mod measure;
mod pending;
mod profile;
mod simple;
#[cfg(test)]
mod simple_tests;
mod statistics;
mod time;
mod timing;
mod upcoming;

pub use command::{Command, CommandError, Completion, DeviceFull};
pub use device::Device;
pub use flash::FlashDisk;
pub use hdd::HardDisk;
pub use profile::{
    Figure, FlashParameters, HardDiskParameters, ModelKind, ParameterRow, Parameters, Profile,
    ProfileError, Quantity, SimpleParameters, Tolerance,
};
pub use simple::SimpleDisk;
pub use statistics::Statistic;
pub use timing::{CommandTiming, Phase, TimingPart};

#[cfg(test)]
mod tests {
    pub(crate) mod timeline;
}
