// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the disk behind a target is not known.

use std::io;
use std::path::PathBuf;

/// Why a target cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The system says so.
    #[error("{}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A pipe, a socket, a terminal.
    #[error("{} is {what}; expected a folder, a file or a block device", path.display())]
    WrongKind {
        /// Path of the target.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// A filesystem that is in memory, in the network, or made of others.
    #[error("{} is on {filesystem}, which has no disk that could be found; \
             name a folder on a disk's filesystem, or the device", path.display())]
    NoDisk {
        /// Path of the target.
        path: PathBuf,
        /// The kind of filesystem.
        filesystem: String,
    },
    /// A file of the system says something that it never said.
    #[error("{}: `{found}`: expected {expected}", path.display())]
    Unexpected {
        /// Path of the file.
        path: PathBuf,
        /// What is in it.
        found: String,
        /// What the file should hold, for people to read.
        expected: &'static str,
    },
    /// Two benches on one disk would measure each other.
    #[error("another bench is at work on {disk}; wait until it is done, or end it")]
    DiskTaken {
        /// Name of the disk.
        disk: String,
    },
    /// Who uses a block device that would be measured.
    #[error("{} is {usage}; a device is measured only while it is not in use. {}",
            path.display(), usage.advice())]
    InUse {
        /// Path of the device.
        path: PathBuf,
        /// What uses the device.
        usage: crate::usage::Usage,
    },
}
