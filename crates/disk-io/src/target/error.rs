// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a target.

use std::io;
use std::path::PathBuf;

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Nothing is there, and no size was given to create it with.
    #[error("{} does not exist; --size SIZE creates it, for the time of the run", .path.display())]
    Missing {
        /// Path of the target.
        path: PathBuf,
    },
    /// It is a directory.
    #[error("{} is a directory; expected a file or a block device", .path.display())]
    Directory {
        /// Path of the target.
        path: PathBuf,
    },
    /// A pipe, a socket, a terminal.
    #[error("{} is {what}; expected a file or a block device", .path.display())]
    NeitherFileNorDevice {
        /// Path of the target.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// It has less than was asked for.
    #[error("{} has {capacity_bytes} bytes, less than the {asked_bytes} that are needed",
            .path.display())]
    TooSmall {
        /// Path of the target.
        path: PathBuf,
        /// What it has.
        capacity_bytes: u64,
        /// What it should have.
        asked_bytes: u64,
    },
    /// A size too small for a single block.
    #[error("a target of {asked_bytes} bytes is too small; expected {least_bytes} or more")]
    SizeTooSmall {
        /// What was asked for.
        asked_bytes: u64,
        /// The smallest there can be.
        least_bytes: u64,
    },
    /// The jobs write, and that was not allowed.
    #[error("the jobs write, and {} exists; --allow-write lets them overwrite its data",
            .path.display())]
    WriteNotAllowed {
        /// Path of the target.
        path: PathBuf,
    },
    /// A block device that another program has claimed.
    #[error("{} is in use{by}; nothing is written to a device that is mounted, swapped to, or \
             part of a volume", .path.display())]
    InUse {
        /// Path of the target.
        path: PathBuf,
        /// Where it is mounted, if that is known: "" or ": it is mounted on …".
        by: String,
    },
    /// The folder to create it in is not there.
    #[error("{} cannot be created: there is no such folder", .path.display())]
    NoFolder {
        /// Path of the target.
        path: PathBuf,
    },
    /// The permissions, or a read-only file system or device, forbid it.
    #[error("{} cannot be {access}: {source}", .path.display())]
    NotPermitted {
        /// Path of the target.
        path: PathBuf,
        /// "opened for reading", "opened for writing" or "created".
        access: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The file system has no room for a file of that size.
    #[error("{}: there is no room for {asked_bytes} bytes: {source}", .path.display())]
    Full {
        /// Path of the target.
        path: PathBuf,
        /// What it should have.
        asked_bytes: u64,
        /// What the system says.
        source: io::Error,
    },
    /// Creating it was interrupted; nothing is left of it.
    #[error("interrupted while {} was being filled", .path.display())]
    Interrupted {
        /// Path of the target.
        path: PathBuf,
    },
    /// Any other failure.
    #[error("{doing} {}: {source}", .path.display())]
    System {
        /// What was being done.
        doing: &'static str,
        /// Path of the target.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl TargetError {
    /// The command line asks for something that cannot be (another target, size or option is
    /// needed), as opposed to a system that failed to do what could be asked.
    pub fn is_usage(&self) -> bool {
        match self {
            TargetError::Missing { .. }
            | TargetError::Directory { .. }
            | TargetError::NeitherFileNorDevice { .. }
            | TargetError::TooSmall { .. }
            | TargetError::SizeTooSmall { .. }
            | TargetError::WriteNotAllowed { .. }
            | TargetError::InUse { .. }
            | TargetError::NoFolder { .. }
            | TargetError::NotPermitted { .. } => true,
            TargetError::Full { .. }
            | TargetError::Interrupted { .. }
            | TargetError::System { .. } => false,
        }
    }
}
