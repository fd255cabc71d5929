// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core against recorded decisions of the Linux kernel's bfq, and of our own.
//!
//! A decision log lists everything that the kernel's scheduler was told and everything that it
//! decided. [`replay()`] feeds the events to our core and compares each decision, with its figures.
//! The logs in `data` were recorded in simulated time; `data/README.md` describes them. A trace of
//! the block tracer, in which the kernel's module says what it decides, is read as such a log.
//!
//! A [recording](recording::RecordingReader) of our own scheduler, in the kernel or wherever it is
//! at work, has each call and its effects: [`replay_recording`] repeats the calls and compares
//! everything.

mod askers;
mod bios;
mod changes;
mod compare;
mod error;
mod labels;
mod log;
mod outcome;
mod plug;
mod recorded;
mod replay;
mod replayed;
mod rounding;
mod setup;
mod stock;
mod tracer;

pub use compare::compare;
pub use error::ReplayError;
pub use log::{LogError, LogLine, read_log};
pub use outcome::{Difference, LogPosition, ReplayOutcome};
pub use recorded::{replay_by, replay_recording};
pub use replayed::ReplayedLogs;
pub use rounding::replay;
pub use setup::{Setup, SetupError};
