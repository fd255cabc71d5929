// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which folder a path meant, even after a boot: where a filesystem is not mounted, its folder is
//! another one, and a file that is not there may well exist.

use super::error::RestoreError;
use rustix::fs::statfs;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What tells a folder from the one that is seen where its filesystem is not mounted. Device
/// numbers would not do: they change from boot to boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderIdentity {
    /// Number of its inode.
    pub inode: u64,
    /// The kind of its filesystem, as statfs(2) numbers them.
    pub filesystem: i64,
}

impl FolderIdentity {
    /// That of a folder.
    ///
    /// # Errors
    /// If it is not there.
    pub fn of(folder: &Path) -> Result<Self, RestoreError> {
        let look = || -> std::io::Result<_> {
            let inode = fs::metadata(folder)?.ino();
            Ok(FolderIdentity { inode, filesystem: statfs(folder)?.f_type })
        };
        look().map_err(RestoreError::io("look at", folder))
    }
}
