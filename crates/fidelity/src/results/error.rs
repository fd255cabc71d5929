// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a comparison failed.

use device::ProfileError;
use elevators::BuildError;
use sim::SimError;
use std::io;
use std::path::PathBuf;
use workload::JobErrors;

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file of the recordings cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The recordings are wrong.
    #[error("the recordings: {0}")]
    Recordings(#[from] csv::Error),
    /// None of the recorded cases is one of those asked for that can be compared.
    #[error(
        "{}: no recorded line is of these scenarios and schedulers; expected names that are in it",
        path.display()
    )]
    NoCase {
        /// Path of the file.
        path: PathBuf,
    },
    /// The job file of a scenario is missing or wrong.
    #[error(transparent)]
    Jobs(#[from] JobErrors),
    /// There is no such disk.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// There is no such scheduler.
    #[error(transparent)]
    Scheduler(#[from] BuildError),
    /// The simulation ended with an error.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The job file lacks a job of the recordings.
    #[error("scenario {scenario}: its job file has no job {job}")]
    MissingJob {
        /// Name of the scenario.
        scenario: String,
        /// Name of the job.
        job: String,
    },
    /// The caller did not want to go on.
    #[error("interrupted")]
    Interrupted,
}

impl ResultsError {
    /// Whether the recordings, the job files or the selection are wrong; if not, something failed
    /// on the way.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Simulation(error) => error.is_usage(),
            Self::Interrupted => false,
            Self::Unreadable { .. } | Self::Recordings(_) | Self::NoCase { .. } => true,
            Self::Jobs(_) | Self::Profile(_) | Self::Scheduler(_) => true,
            Self::MissingJob { .. } => true,
        }
    }
}
