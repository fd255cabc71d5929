// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control groups of a run: a tree of our own below the root group, with weights for bfq.

use super::error::RestoreError;
use super::processes::end;
use crate::cgroups::{CgroupVersion, Cgroups};
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The controller of block I/O in version 2.
pub(super) const CONTROLLER: &str = "io";

/// The file of a group of version 2 that tells which controllers its children have.
const CHILDREN: &str = "cgroup.subtree_control";

/// The file with the processes of a group.
const PROCESSES: &str = "cgroup.procs";

/// How long a group may stay busy after its processes have ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// The groups of a run, made by [`Journal::make_groups`](super::Journal::make_groups). They are
/// removed when the journal is restored, with the processes that are still in them.
#[derive(Clone, Debug)]
pub struct Groups {
    cgroups: Cgroups,
    top: PathBuf,
}

/// A control group of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunGroup {
    folder: PathBuf,
    weight_file: PathBuf,
}

impl Groups {
    /// Those below a group that exists and is ours.
    pub(super) fn below(cgroups: &Cgroups, top: &Path) -> Self {
        Groups { cgroups: cgroups.clone(), top: top.to_owned() }
    }

    /// Makes a group and those above it, as far as they do not exist: `a/x`. In version 2 a group
    /// with groups below cannot have processes.
    ///
    /// # Errors
    /// If the name could lead out of the tree, or the system refuses.
    pub fn make(&self, name: &str) -> Result<RunGroup, RestoreError> {
        let parts: Vec<Component> = Path::new(name).components().collect();
        if parts.is_empty() || parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
            let wrong = std::io::Error::new(ErrorKind::InvalidInput, "expected a name like a/x");
            return Err(RestoreError::io("make the group", Path::new(name))(wrong));
        }
        let mut folder = self.top.clone();
        for part in parts {
            if self.cgroups.version == CgroupVersion::V2 {
                give_controller(&folder, CONTROLLER)?;
            }
            folder.push(part);
            make_folder(&folder)?;
        }
        let weight_file = folder.join(self.cgroups.weight_file());
        Ok(RunGroup { folder, weight_file })
    }

    /// Removes all groups, with the processes in them, so that the next scenario makes its own.
    ///
    /// # Errors
    /// If one stays busy.
    pub fn clear(&self) -> Result<(), RestoreError> {
        below(&self.top)?.iter().try_for_each(|folder| remove(folder))
    }
}

impl RunGroup {
    /// The file that a process writes its number (or 0, for itself) to, to become a member.
    pub fn members_file(&self) -> PathBuf {
        self.folder.join(PROCESSES)
    }

    /// Makes a process a member.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn add(&self, pid: u32) -> Result<(), RestoreError> {
        let file = self.members_file();
        fs::write(&file, pid.to_string()).map_err(RestoreError::io("write", &file))
    }

    /// Sets its weight for bfq, 1 to 1000. Tells whether there are weights: only bfq knows them,
    /// and the kernel has the file only while bfq is loaded.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_weight(&self, weight: u32) -> Result<bool, RestoreError> {
        let file = &self.weight_file;
        if !file.exists() {
            return Ok(false);
        }
        fs::write(file, weight.to_string()).map_err(|source| RestoreError::Refused {
            value: weight.to_string(),
            path: file.clone(),
            source,
        })?;
        Ok(true)
    }
}

/// Whether the children of a group have a controller.
pub(super) fn gives_controller(folder: &Path, controller: &str) -> Result<bool, RestoreError> {
    let file = folder.join(CHILDREN);
    let enabled = fs::read_to_string(&file).map_err(RestoreError::io("read", &file))?;
    Ok(enabled.split_whitespace().any(|name| name == controller))
}

/// Gives the children of a group a controller.
pub(super) fn give_controller(folder: &Path, controller: &str) -> Result<(), RestoreError> {
    if gives_controller(folder, controller)? {
        return Ok(());
    }
    write_children(folder, format!("+{controller}"))
}

/// Takes it away from them.
pub(super) fn take_controller(folder: &Path, controller: &str) -> Result<(), RestoreError> {
    if !folder.exists() || !gives_controller(folder, controller)? {
        return Ok(());
    }
    write_children(folder, format!("-{controller}"))
}

fn write_children(folder: &Path, value: String) -> Result<(), RestoreError> {
    let path = folder.join(CHILDREN);
    fs::write(&path, &value).map_err(|source| RestoreError::Refused { value, path, source })
}

/// Makes a group, if it is not there.
pub(super) fn make_folder(folder: &Path) -> Result<(), RestoreError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other.map_err(RestoreError::io("make the group", folder)),
    }
}

/// Removes a group with all below it. Processes in it are ended: only a run of ours
/// puts processes there.
pub(super) fn remove(folder: &Path) -> Result<(), RestoreError> {
    if !folder.exists() {
        return Ok(());
    }
    for child in below(folder)? {
        remove(&child)?;
    }
    release_ourselves(folder)?;
    end(|| members(folder))?;
    let began = Instant::now();
    loop {
        match fs::remove_dir(folder) {
            // It was removed meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            // Members that have ended are counted until the kernel has tidied up.
            Err(error) if error.kind() == ErrorKind::ResourceBusy && began.elapsed() < PATIENCE => {
                sleep(Duration::from_millis(5));
            }
            other => return other.map_err(RestoreError::io("remove the group", folder)),
        }
    }
}

/// The process that undoes does not end itself: it moves to the group above.
fn release_ourselves(folder: &Path) -> Result<(), RestoreError> {
    let parent = folder.parent().unwrap_or(folder).join(PROCESSES);
    if members(folder)?.contains(&std::process::id()) {
        fs::write(&parent, "0").map_err(RestoreError::io("write", &parent))?;
    }
    Ok(())
}

/// The processes of a group; none if it is gone.
fn members(folder: &Path) -> Result<Vec<u32>, RestoreError> {
    let file = folder.join(PROCESSES);
    match fs::read_to_string(&file) {
        Ok(text) => Ok(text.lines().flat_map(str::parse).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        // The kernel's word for a group that was removed while the file was open.
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error()) => {
            Ok(Vec::new())
        }
        Err(error) => Err(RestoreError::io("read", &file)(error)),
    }
}

/// The groups right below one.
fn below(folder: &Path) -> Result<Vec<PathBuf>, RestoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RestoreError::io("read", folder)(error)),
    };
    let entries = entries.flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(folders.map(|entry| entry.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up hierarchy: plain folders.
    fn groups(version: CgroupVersion) -> (tempfile::TempDir, Groups) {
        let root = tempfile::tempdir().unwrap();
        let cgroups = Cgroups { version, root: root.path().to_owned(), is_part: false };
        let groups = Groups::below(&cgroups, root.path());
        (root, groups)
    }

    #[test]
    fn groups_are_made_with_those_above_and_removed_with_those_below() {
        let (root, groups) = groups(CgroupVersion::V1);
        let group = groups.make("a/x").unwrap();
        groups.make("a/y").unwrap();
        assert_eq!(group.members_file(), root.path().join("a/x/cgroup.procs"));
        assert!(root.path().join("a/y").is_dir());
        groups.clear().unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn in_version_2_the_controller_is_handed_down() {
        let (root, groups) = groups(CgroupVersion::V2);
        let switch = root.path().join(CHILDREN);
        fs::write(&switch, "cpu memory\n").unwrap();
        groups.make("a").unwrap();
        assert_eq!(fs::read_to_string(&switch).unwrap(), "+io");
        fs::write(&switch, "cpu io memory\n").unwrap();
        groups.make("b").unwrap();
        assert_eq!(fs::read_to_string(&switch).unwrap(), "cpu io memory\n", "it was handed down");
        take_controller(root.path(), CONTROLLER).unwrap();
        assert_eq!(fs::read_to_string(&switch).unwrap(), "-io");
    }

    #[test]
    fn names_do_not_lead_out_of_the_tree() {
        let (_root, groups) = groups(CgroupVersion::V1);
        for name in ["", "/", "..", "a/../..", "./a", "/etc"] {
            let error = groups.make(name).unwrap_err().to_string();
            assert!(error.starts_with("cannot make the group"), "{name}: {error}");
        }
    }

    #[test]
    fn without_bfq_there_are_no_weights() {
        let (root, groups) = groups(CgroupVersion::V1);
        let group = groups.make("a").unwrap();
        assert!(!group.set_weight(300).unwrap());
        let file = root.path().join("a/blkio.bfq.weight");
        fs::write(&file, "100").unwrap();
        assert!(group.set_weight(300).unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), "300");
    }
}
