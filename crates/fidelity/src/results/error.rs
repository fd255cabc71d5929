// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a comparison failed.

use device::ProfileError;
use elevators::BuildError;
use sim::SimError;

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The recordings cannot be read.
    #[error("the recordings: {0}")]
    Recordings(#[from] csv::Error),
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
}
