// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can keep a server from starting.

use crate::disk::StateError;
use crate::net::TlsError;
use std::io;
use std::path::PathBuf;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration contradicts itself.
    #[error("{0}")]
    Config(String),
    /// A file of an export or disk cannot be looked at.
    #[error("{path}: {error}")]
    File {
        /// Which file it is.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A disk cannot be as it is configured.
    #[error("disk `{disk}`: {error}")]
    Disk {
        /// What it is called.
        disk: String,
        /// Why the disk cannot be set up.
        error: StateError,
    },
    /// An export cannot be opened.
    #[error("export `{export}`: {error}")]
    Export {
        /// What it is called.
        export: String,
        /// Why the export cannot be opened.
        error: String,
    },
    /// The server cannot listen on an address.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address it wanted.
        address: String,
        /// What the system says.
        error: io::Error,
    },
    /// Certificates cannot be used.
    #[error("TLS: {0}")]
    Tls(#[from] TlsError),
    /// The system refuses a thread or a descriptor.
    #[error(transparent)]
    Io(#[from] io::Error),
}
