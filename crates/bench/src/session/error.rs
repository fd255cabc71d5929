// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a cell could not be measured.

use crate::workers::WorkerPoolError;
use host::{HostError, MachineError};
use workload::JobErrors;

/// A cell could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The machine could not be changed as it should.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// What the disk does cannot be read.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The scenario does not fit.
    #[error("scenario {scenario}: {source}")]
    Scenario {
        /// Name of the scenario.
        scenario: &'static str,
        /// The mistakes in it.
        source: JobErrors,
    },
    /// A process did not do what it was told.
    #[error("scenario {scenario}: {source}")]
    Workers {
        /// Name of the scenario.
        scenario: &'static str,
        /// Which process it was, and what it did instead.
        source: WorkerPoolError,
    },
    /// An I/O of a worker failed.
    #[error("scenario {scenario}: job {job}: {said}")]
    Io {
        /// Name of the scenario.
        scenario: &'static str,
        /// Name of the job.
        job: String,
        /// What the worker said.
        said: String,
    },
    /// The user's command failed.
    #[error("the command `{command}` {how}")]
    Command {
        /// The user's command, for the shell.
        command: String,
        /// What became of it.
        how: String,
    },
    /// What was written could not be brought to the disk, or a file of the system not be read.
    #[error("{doing}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The user wants to end; the cell is incomplete.
    #[error("interrupted")]
    Interrupted,
}
