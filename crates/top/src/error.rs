// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong while disks are watched.

use doctor::DoctorError;
use host::TracingError;
use host::restore::NotRestored;
use live::FormatError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why disks cannot be watched, or what is seen not be handed on.
#[derive(Debug, thiserror::Error)]
pub enum TopError {
    /// The machine cannot be read, has no disk of a name that was given, or none at all.
    #[error(transparent)]
    Machine(#[from] DoctorError),
    /// The kernel cannot be traced.
    #[error(transparent)]
    Tracing(#[from] TracingError),
    /// The kernel's events are not those that are known.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A recording cannot be made or written.
    #[error("{}: {source}", path.display())]
    Recording {
        /// The file that it was to be.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Metrics cannot be served.
    #[error("{address}: {source}")]
    Listen {
        /// Where they were to be served.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The kernel could not be left as it was.
    #[error(transparent)]
    NotRestored(#[from] NotRestored),
}

impl TopError {
    /// Whether what was asked for is wrong, or not possible on this machine; if not, something
    /// failed on the way.
    pub fn is_usage(&self) -> bool {
        match self {
            // Without the right or the means to trace, what is asked for can be changed.
            Self::Tracing(error) => !matches!(error, TracingError::Io { .. }),
            Self::Machine(_) | Self::Format(_) | Self::Listen { .. } => true,
            Self::Recording { .. } | Self::NotRestored(_) => false,
        }
    }
}
