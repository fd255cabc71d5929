// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a disk has no profile.

use crate::run::RunError;
use device::ProfileError;
use fit::FitError;
use std::io;
use std::path::PathBuf;

/// Why a disk has no profile.
#[derive(Debug, thiserror::Error)]
pub enum FittingError {
    /// The file has not the ending of a profile.
    #[error("--fit {}: expected a name that ends in .toml", path.display())]
    Ending {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is there already.
    #[error("--fit: {} exists; expected a new file", path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// There is no folder for the file.
    #[error("--fit {}: expected a folder {}", path.display(), folder.display())]
    NoFolder {
        /// Path of the file.
        path: PathBuf,
        /// The folder that is not there.
        folder: PathBuf,
    },
    /// There is nothing to measure on, or the machine could not be changed or put back.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The disk could not be measured, or no model fits it.
    #[error(transparent)]
    Disk(#[from] FitError),
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// Path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The simulator does not take the profile.
    #[error(transparent)]
    Refused(ProfileError),
    /// The user has interrupted it.
    #[error("interrupted; no profile was written")]
    Interrupted {
        /// What could not be put back then.
        not_restored: Option<RunError>,
    },
}

impl FittingError {
    /// Whether the options are wrong; if not, something failed.
    pub fn is_usage(&self) -> bool {
        match self {
            FittingError::Run(error) => error.is_usage(),
            FittingError::Ending { .. }
            | FittingError::Exists { .. }
            | FittingError::NoFolder { .. }
            | FittingError::Disk(FitError::TooSmall { .. }) => true,
            FittingError::Disk(_)
            | FittingError::Unwritable { .. }
            | FittingError::Refused(_)
            | FittingError::Interrupted { .. } => false,
        }
    }
}
