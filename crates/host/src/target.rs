// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the user named: a folder, a file or a block device.

use super::error::HostError;
use super::layers::DeviceNumber;
use rustix::fs::{major, minor};
use std::fs::{self, FileType};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A folder: a scratch file is made in it.
    Directory,
    /// A file: read, and written to only if that is allowed.
    File,
    /// A block device: the same, and only while it is not in use.
    BlockDevice,
}

/// A target that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where it is, without links.
    pub path: PathBuf,
    /// Whether it is a folder, a file or a device.
    pub kind: TargetKind,
    /// The device that it is or lies on, as far as the file's own data tell.
    pub device: DeviceNumber,
}

impl Target {
    /// Looks at a path.
    ///
    /// # Errors
    /// If nothing is there, or neither folder nor file nor block device.
    pub fn at(path: &Path) -> Result<Self, HostError> {
        let io = |source| HostError::Io { path: path.to_owned(), source };
        let path = path.canonicalize().map_err(io)?;
        let metadata = fs::metadata(&path).map_err(io)?;
        let kind = kind_of(metadata.file_type())
            .map_err(|what| HostError::WrongKind { path: path.clone(), what })?;
        let device = match kind {
            TargetKind::BlockDevice => metadata.rdev(),
            TargetKind::Directory | TargetKind::File => metadata.dev(),
        };
        let device = DeviceNumber { major: major(device), minor: minor(device) };
        Ok(Target { path, kind, device })
    }
}

impl Target {
    /// What is free for us on the filesystem of a folder, bytes.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn free_bytes(&self) -> Result<u64, HostError> {
        let filesystem = rustix::fs::statvfs(&self.path)
            .map_err(|error| HostError::Io { path: self.path.clone(), source: error.into() })?;
        Ok(filesystem.f_bavail.saturating_mul(filesystem.f_frsize))
    }
}

fn kind_of(file_type: FileType) -> Result<TargetKind, &'static str> {
    if file_type.is_dir() {
        Ok(TargetKind::Directory)
    } else if file_type.is_file() {
        Ok(TargetKind::File)
    } else if file_type.is_block_device() {
        Ok(TargetKind::BlockDevice)
    } else if file_type.is_char_device() {
        Err("a character device")
    } else if file_type.is_fifo() {
        Err("a pipe")
    } else {
        Err("a socket")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_apart_and_the_rest_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(Target::at(folder.path()).unwrap().kind, TargetKind::Directory);
        assert_eq!(Target::at(&file).unwrap().kind, TargetKind::File);
        let error = Target::at(Path::new("/dev/null")).unwrap_err().to_string();
        assert!(error.contains("/dev/null is a character device; expected a folder"), "{error}");
        let error = Target::at(&folder.path().join("missing")).unwrap_err().to_string();
        assert!(error.contains("missing"), "{error}");
    }
}
