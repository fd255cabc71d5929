// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong while a disk is measured or fitted.

use disk_io::{EngineError, IoError, SubmitError};

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// There is too little of the disk to go back and forth on.
    #[error(
        "there are {span_bytes} bytes of the disk to measure on; expected at least {least_bytes}"
    )]
    TooSmall {
        /// Bytes of the disk that may be measured on.
        span_bytes: u64,
        /// The fewest bytes that the measurement can do with.
        least_bytes: u64,
    },
    /// The kernel's queue of I/O could not be made, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The target does not take a request.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// The disk reported an error for a request of the measurement.
    #[error("the disk failed a request")]
    Io(#[from] IoError),
    /// A simulated disk refused a command or never ended one.
    #[error("the simulated disk {name} does not answer")]
    Stuck {
        /// Name of the disk's profile.
        name: String,
    },
    /// No known profile can be made to fit.
    #[error("no model of a disk takes the measured figures; expected those of a disk that answers")]
    NoModel,
    /// The user does not want to go on.
    #[error("interrupted")]
    Interrupted,
}
