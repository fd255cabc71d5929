//! The core against recorded behaviour of the Linux kernel's bfq.
//!
//! A decision log lists everything that the kernel's scheduler was told and everything that it
//! decided. [`replay()`] feeds the events to our core and compares each decision, with its figures.
//! The logs in `data/decisions` were recorded in simulated time; `data/README.md` describes them.

mod labels;
mod log;
mod replay;
mod setup;

pub use log::{Line, LogError, read_log};
pub use replay::{Difference, Outcome, replay};
pub use setup::{Setup, SetupError};

use std::path::Path;

/// A recording that could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum FidelityError {
    /// The log is missing or malformed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The settings beside it are.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The log has an event that no host could have sent.
    #[error("{file}:{line}: {what}")]
    Impossible {
        /// The log.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// Replays the log at `path` (`NAME.csv` or `NAME.csv.gz`) with the settings in `NAME.toml` beside
/// it.
///
/// # Errors
/// If one of the files is missing or malformed.
pub fn compare(path: &Path) -> Result<Outcome, FidelityError> {
    let lines = read_log(path)?;
    let setup = Setup::beside(path)?;
    replay(&path.display().to_string(), &setup, &lines)
}
