// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which file something is, and which disk it lies on.

use rustix::fs::{major, minor};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A file or device, whatever path leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileId {
    /// A file, by its file system and inode.
    File(u64, u64),
    /// A block device, by its number.
    Device(u64),
}

impl FileId {
    /// What this was read of.
    pub fn of(metadata: &Metadata) -> FileId {
        match metadata.file_type().is_block_device() {
            true => FileId::Device(metadata.rdev()),
            false => FileId::File(metadata.dev(), metadata.ino()),
        }
    }

    /// What a path leads to.
    ///
    /// # Errors
    /// There is nothing.
    pub fn at(path: &Path) -> io::Result<FileId> {
        Ok(FileId::of(&std::fs::metadata(path)?))
    }
}

/// What is the same for all that lies on one disk, and a name for that disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// It is the same for two that lie on the same disk, and for no others.
    pub is: String,
    /// A name for the disk if it has none in the configuration.
    pub name: String,
}

/// Where a file or device lies. A file system without a disk counts as one.
///
/// # Errors
/// There is no such file.
pub fn identity_of(path: &Path) -> io::Result<Identity> {
    let metadata = std::fs::metadata(path)?;
    if let Ok(disk) = host::Disk::behind(path) {
        return Ok(Identity { is: format!("disk {}", disk.name), name: disk.name });
    }
    let device = match metadata.file_type().is_block_device() {
        true => metadata.rdev(),
        false => metadata.dev(),
    };
    let name = format!("{}:{}", major(device), minor(device));
    Ok(Identity { is: format!("file system {name}"), name: format!("fs-{name}") })
}
