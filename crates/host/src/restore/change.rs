// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change of the machine: what is written down before it is made, and how it is undone.

use super::error::RestoreError;
use super::folder_identity::FolderIdentity;
use super::groups::{CONTROLLER, remove, take_controller};
use super::queue::QueueState;
use super::setting;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A change, with what is needed to undo it. It may not have been made yet: then there is nothing
/// to undo, and undoing it does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The scheduler, its tunables or other settings of a disk's queue are changed.
    Queue {
        /// Scheduler, tunables and settings as they were before the change.
        before: QueueState,
    },
    /// A single setting of the kernel is changed.
    Setting {
        /// The file of the setting.
        file: PathBuf,
        /// The value before the change.
        before: String,
    },
    /// A scratch file is made, under a name that nothing else has.
    Scratch {
        /// Path of the file.
        file: PathBuf,
        /// The folder that it is in.
        folder: FolderIdentity,
    },
    /// A control group is made, with more of them below.
    Group {
        /// Folder of the group.
        folder: PathBuf,
    },
    /// The children of a control group get the controller of block I/O, which they did not have.
    Controller {
        /// The group whose children these are.
        folder: PathBuf,
    },
    /// An instance of the kernel's tracing is made: a buffer of events of our own.
    TraceInstance {
        /// Folder of the instance.
        folder: PathBuf,
    },
}

impl Change {
    /// Whether the change is still there after the machine has booted.
    pub fn outlives_boot(&self) -> bool {
        matches!(self, Change::Scratch { .. })
    }

    /// Undoes it. Doing that again does nothing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn undo(&self) -> Result<(), RestoreError> {
        match self {
            Change::Queue { before } => before.put_back(),
            Change::Setting { file, before } => put_back(file, before),
            Change::Scratch { file, folder } => remove_scratch(file, *folder),
            Change::Group { folder } => remove(folder),
            Change::Controller { folder } => take_controller(folder, CONTROLLER),
            Change::TraceInstance { folder } => remove_instance(folder),
        }
    }
}

impl fmt::Display for Change {
    /// What undoing it is: `remove the file /srv/x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Queue { before } => {
                let scheduler = before.scheduler.as_deref().unwrap_or("no scheduler");
                write!(f, "put {scheduler} and the settings back in {}", before.folder.display())
            }
            Change::Setting { file, before } => {
                write!(f, "write `{}` to {}", before.replace('\n', ", "), file.display())
            }
            Change::Scratch { file, .. } => write!(f, "remove the file {}", file.display()),
            Change::Group { folder } => write!(f, "remove the group {}", folder.display()),
            Change::TraceInstance { folder } => {
                write!(f, "remove the instance of tracing {}", folder.display())
            }
            Change::Controller { folder } => {
                write!(
                    f,
                    "take the controller {CONTROLLER} from the groups in {}",
                    folder.display()
                )
            }
        }
    }
}

/// Makes a setting what it was, unless it is gone: its group was removed, its scheduler replaced. A
/// setting of several lines (weights of devices) takes one at a time.
fn put_back(file: &Path, before: &str) -> Result<(), RestoreError> {
    if !file.exists() || setting::read(file)? == before {
        return Ok(());
    }
    before.lines().try_for_each(|line| setting::write(file, line))
}

/// Removes a file. If it is not there, that must be so because it is gone, not because its
/// filesystem is not mounted.
fn remove_scratch(file: &Path, folder: FolderIdentity) -> Result<(), RestoreError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let parent = file.parent().unwrap_or(Path::new("/"));
            match FolderIdentity::of(parent) {
                Ok(now) if now == folder => Ok(()),
                Ok(_) => Err(RestoreError::OtherFolder { path: file.to_owned() }),
                Err(error) => Err(error),
            }
        }
        other => other.map_err(RestoreError::io("remove", file)),
    }
}

/// Removes an instance of tracing; the kernel ends its events.
fn remove_instance(folder: &Path) -> Result<(), RestoreError> {
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other.map_err(RestoreError::io("remove", folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(folder: &Path) -> Change {
        let file = folder.join("scratch");
        fs::write(&file, "data").unwrap();
        Change::Scratch { file, folder: FolderIdentity::of(folder).unwrap() }
    }

    #[test]
    fn a_file_is_removed_once_and_again() {
        let folder = tempfile::tempdir().unwrap();
        let change = scratch(folder.path());
        change.undo().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        change.undo().unwrap();
    }

    #[test]
    fn a_file_whose_filesystem_is_not_mounted_is_not_taken_for_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (mounted, place) = (folder.path().join("mounted"), folder.path().join("place"));
        fs::create_dir(&place).unwrap();
        let change = scratch(&place);
        fs::rename(&place, &mounted).unwrap();
        fs::create_dir(&place).unwrap();
        let error = change.undo().unwrap_err().to_string();
        assert!(error.ends_with("mount that filesystem"), "{error}");
        fs::remove_dir(&place).unwrap();
        change.undo().unwrap_err();
        fs::rename(&mounted, &place).unwrap();
        change.undo().unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    }
}
