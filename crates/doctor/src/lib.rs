// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the weights of a machine's disks get lost.
//!
//! * [`Machine`]: what is read: disks, groups, processes, unit files, below any root folder.
//! * [`View`]: a disk as its groups see it: who decides, what each group asked for, and the share
//!   that it gets while all that use the disk want it at once ([`share`]).
//! * [`RULES`]: what can be wrong, one small function each, which makes [`Finding`]s.
//! * [`Report`]: all of that, for people and for programs.
//! * [`mend()`]: makes the changes that are safe, under a journal.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod files;
mod finding;
mod governor;
mod machine;
mod mend;
mod mending;
mod process;
mod report;
mod rule;
mod rules;
pub mod share;
mod text;
mod tree;
mod unit;
mod view;
pub mod weight;

pub use finding::{Finding, Fix, Seen};
pub use governor::Governor;
pub use machine::{DiskSeen, DoctorError, Machine};
pub use mend::{MendError, MendOutcome, Mended, mend};
pub use process::ProcessSeen;
pub use report::{DiskReport, GroupShare, Report};
pub use rule::{Look, Rule};
pub use rules::RULES;
pub use tree::{GroupSeen, Tree};
pub use unit::{Asked, Unit, Units};
pub use view::{Shared, View};
