// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which disk something lies on.

use rustix::fs::{major, minor};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

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
