// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core against recorded decisions of the Linux kernel's bfq, and of our own.
//!
//! A decision log lists everything that the kernel's scheduler was told and everything that it
//! decided. [`replay()`] feeds the events to our core and compares each decision, with its figures.
//! The logs in `data` were recorded in simulated time; `data/README.md` describes them. A trace of
//! the block tracer, in which the kernel's module says what it decides, is read as such a log.
//!
//! A [recording](recording::Reader) of our own scheduler, in the kernel or wherever it is at work,
//! has each call and its effects: [`replay_recording`] repeats the calls and compares everything.

mod askers;
mod bios;
mod changes;
mod labels;
mod log;
mod outcome;
mod plug;
mod recorded;
mod replay;
mod rounding;
mod setup;
mod stock;
mod tracer;

pub use log::{Line, LogError, read_log};
pub use outcome::{Difference, LogPosition, Outcome};
pub use recorded::{replay_by, replay_recording};
pub use rounding::replay;
pub use setup::{Setup, SetupError};

use std::path::Path;

/// A recording that could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log is missing or malformed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The settings beside it are.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The recording is malformed.
    #[error("{file}: {source}")]
    Recording {
        /// Path of the recording.
        file: String,
        /// Where, and what is wrong.
        source: recording::ReadError,
    },
    /// The recording does not begin when the scheduler was attached.
    #[error(
        "{0}: this recording begins in the middle of a scheduler's life, and what the scheduler \
         knew then is not in it; expected one that begins when it was attached (bfq explain takes \
         any)"
    )]
    NotFromAttach(String),
    /// The recording was made under a policy that this program does not have.
    #[error(
        "{file}: this recording was made under the policy `{name}`, which is unknown; expected {}",
        policies()
    )]
    UnknownPolicy {
        /// Path of the recording.
        file: String,
        /// What the recording calls it.
        name: String,
    },
    /// There is no memory for a scheduler like that of the recording.
    #[error("{file}: {source}")]
    OutOfMemory {
        /// Path of the recording.
        file: String,
        /// There is no memory.
        source: base::OutOfMemory,
    },
    /// The log has an event that no host could have sent.
    #[error("{file}:{line}: {what}")]
    Impossible {
        /// Path of the log.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// The names of the policies.
fn policies() -> String {
    let names: Vec<_> = bfq::PolicyName::ALL.iter().map(|policy| policy.name()).collect();
    names.join(" or ")
}

/// Replays the recording at `path` (known by its first bytes), or the log (`NAME.csv`) or trace
/// (`NAME.trace`, likewise known) with the settings in `NAME.toml` beside it. If the name ends in
/// `.gz`, it is decompressed.
///
/// # Errors
/// If one of the files is missing or malformed.
pub fn compare(path: &Path) -> Result<Outcome, ReplayError> {
    let bytes = log::read_file(path)?;
    let file = path.display().to_string();
    if bytes.is_empty() {
        return Err(LogError::Empty { path: path.to_owned() }.into());
    }
    if recording::is_recording(&bytes) {
        return replay_recording(&file, &bytes);
    }
    if tracer::is_trace(&bytes) {
        let mut setup = Setup::beside(path)?;
        let lines = stock::read(path, &bytes, &mut setup)?;
        return replay(&file, &setup, &lines);
    }
    let lines = log::lines(path, &bytes)?;
    let setup = Setup::beside(path)?;
    replay(&file, &setup, &lines)
}
