// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of a run: it makes changes, having written them down, and undoes them.

use super::change::Change;
use super::error::{Failure, NotRestored, RestoreError};
use super::folder_identity::FolderIdentity;
use super::groups::{CONTROLLER, Groups, give_controller, gives_controller, make_folder};
use super::lines::{self, Contents, Line, Opening, VERSION};
use super::purpose::Purpose;
use super::queue::QueueState;
use super::{processes, queue, setting};
use crate::candidate::Candidate;
use crate::cgroups::{CgroupVersion, Cgroups};
use crate::disk::Disk;
use crate::error::HostError;
use crate::root::Host;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// How the names of journals end.
const SUFFIX: &str = "journal";

/// A journal. Dropping one that was created restores the machine, as far as
/// possible in silence: call
/// [`restore`](Journal::restore) to know. One that was left over waits for that call.
#[derive(Debug)]
pub struct Journal {
    host: Host,
    path: PathBuf,
    /// Locked as long as its owner runs.
    file: File,
    opening: Opening,
    /// All changes; none where they were undone.
    changes: Vec<Option<Change>>,
    /// On what no other bench may change meanwhile.
    locks: Vec<File>,
    restores_when_dropped: bool,
}

impl Journal {
    /// Begins a journal of changes on a disk that is claimed ([`Claim`](crate::Claim)).
    ///
    /// # Parameters
    /// * `folder`: where journals are, mostly [`JOURNALS_FOLDER`](super::JOURNALS_FOLDER); made if
    ///   it does not exist.
    ///
    /// # Errors
    /// [`RestoreError::LeftOver`], [`RestoreError::NotFollowed`], or what the system refuses.
    pub fn create(host: &Host, folder: &Path, disk: &Disk) -> Result<Self, RestoreError> {
        make_private(folder)?;
        let found = left_over(host, folder)?.all_followed()?;
        if let Some(journal) = found.dead.first() {
            return Err(RestoreError::LeftOver { disk: journal.opening.disk.clone() });
        }
        Journal::begin(host, folder, &disk.name, Purpose::Bench)
    }

    /// Opens the journal of changes that stay until they are undone: one that was left over is gone
    /// on with. What it has of an earlier start of the machine is undone first, which does nothing
    /// but for files.
    ///
    /// # Errors
    /// If another process is at this, [`RestoreError::NotFollowed`], or what the system refuses.
    pub fn to_keep(host: &Host, folder: &Path, disks: &str) -> Result<Self, RestoreError> {
        make_private(folder)?;
        let found = left_over(host, folder)?.all_followed()?;
        if let Some(opening) = found.at_work.first() {
            return Err(RestoreError::AtWork { pid: opening.pid });
        }
        let boot = boot_id(host)?;
        for mut journal in found.dead {
            if journal.opening.boot_id == boot {
                return Ok(journal);
            }
            journal.restore().map_err(RestoreError::Before)?;
        }
        let mut journal = Journal::begin(host, folder, disks, Purpose::Doctor)?;
        journal.restores_when_dropped = false;
        Ok(journal)
    }

    /// Begins a journal of what is made to look at disks. Several may be at it at a time.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn to_look(host: &Host, folder: &Path, disks: &str) -> Result<Self, RestoreError> {
        make_private(folder)?;
        Journal::begin(host, folder, disks, Purpose::Top)
    }

    /// Makes an instance of the kernel's tracing; `tracefs` is where that is mounted. The answer is
    /// its folder.
    ///
    /// # Errors
    /// If the kernel refuses it, or the journal cannot be written.
    pub fn make_trace_instance(&mut self, tracefs: &Path) -> Result<PathBuf, RestoreError> {
        let folder = tracefs.join("instances").join(format!("bfq-top-{}", self.opening.token));
        self.write_down(Change::TraceInstance { folder: folder.clone() })?;
        fs::create_dir(&folder).map_err(RestoreError::io("make", &folder))?;
        Ok(folder)
    }

    /// Writes a setting of the kernel, and looks whether it then is what was written.
    ///
    /// # Errors
    /// If it is not what was seen, or the kernel refuses the value: nothing is changed then. If the
    /// kernel takes it for another one, that is undone with the rest.
    pub fn set(&mut self, file: &Path, seen: &str, value: &str) -> Result<(), RestoreError> {
        let before = setting::read(file)?;
        if before != seen {
            let (path, expected) = (file.to_owned(), seen.to_owned());
            return Err(RestoreError::Meanwhile { path, expected, found: before });
        }
        let known =
            |change: &Change| matches!(change, Change::Setting { file: of, .. } if of == file);
        if !self.changes().any(known) {
            self.write_down(Change::Setting { file: file.to_owned(), before })?;
        }
        setting::write_and_verify(file, value, setting::value_of)
    }

    fn begin(
        host: &Host,
        folder: &Path,
        disk: &str,
        purpose: Purpose,
    ) -> Result<Self, RestoreError> {
        let pid = std::process::id();
        let opening = Opening {
            version: VERSION,
            boot_id: boot_id(host)?,
            disk: disk.to_owned(),
            pid,
            purpose,
            token: format!("{pid}-{}", now_ns()),
        };
        let path = folder.join(format!("{}.{SUFFIX}", opening.token));
        let file = lines::create(&path)?;
        file.lock().map_err(RestoreError::io("lock", &path))?;
        lines::append(&file, &path, &Line::Opening(opening.clone()))?;
        sync_folder(folder)?;
        let (host, changes, locks) = (host.clone(), Vec::new(), Vec::new());
        Ok(Journal { host, path, file, opening, changes, locks, restores_when_dropped: true })
    }

    /// The first line: whose journal it is.
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Whether the machine has not booted since the journal was begun.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn is_of_this_boot(&self) -> Result<bool, RestoreError> {
        Ok(boot_id(&self.host)? == self.opening.boot_id)
    }

    /// The changes that are not undone, the first one first.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().flatten()
    }

    /// Chooses a scheduler, with the kernel's defaults for all tunables that the candidate does not
    /// tell, for a disk and its companions.
    ///
    /// # Errors
    /// If the kernel refuses the scheduler or a value, or there is no such tunable. The disk and
    /// its companions are as they were before then, as far as that can be.
    pub fn choose(&mut self, disk: &Disk, candidate: &Candidate) -> Result<(), RestoreError> {
        let (first, mut found) = (self.changes.len(), Vec::new());
        let mut folders = disk.queues();
        let chosen = folders.try_for_each(|folder| self.choose_at(folder, candidate, &mut found));
        if chosen.is_err() {
            self.take_back(first, &found);
        }
        chosen
    }

    /// The same at one queue; what it was goes to `found`.
    fn choose_at(
        &mut self,
        folder: &Path,
        candidate: &Candidate,
        found: &mut Vec<QueueState>,
    ) -> Result<(), RestoreError> {
        let before = QueueState::read(folder)?;
        found.push(before.clone());
        // What was found first is what is put back; what we change later is ours.
        let known = |change: &Change| match change {
            Change::Queue { before } => before.folder == folder,
            _ => false,
        };
        if !self.changes().any(known) {
            self.write_down(Change::Queue { before })?;
        }
        queue::choose(folder, candidate)
    }

    /// Makes queues what they were; the changes from the `first` on are none then. What cannot be
    /// put back stays a change: it is the first error that is told.
    fn take_back(&mut self, first: usize, found: &[QueueState]) {
        for state in found.iter().rev().filter(|state| state.put_back().is_ok()) {
            let change = Change::Queue { before: state.clone() };
            let mut ours = self.changes.iter().skip(first);
            if let Some(place) = ours.position(|slot| slot.as_ref() == Some(&change)) {
                self.forget(first + place);
            }
        }
    }

    /// Notes that a change was undone. If that cannot be noted (a full disk) it may be undone once
    /// more.
    fn forget(&mut self, number: usize) {
        let _ = lines::append(&self.file, &self.path, &Line::Undone(number));
        self.changes[number] = None;
    }

    /// Finds a name for a scratch file in a folder, which nothing else has. Whoever makes a file of
    /// that name need not care for its removal.
    ///
    /// # Errors
    /// If the folder is not there, or the journal cannot be written.
    pub fn name_scratch(&mut self, folder: &Path) -> Result<PathBuf, RestoreError> {
        let identity = FolderIdentity::of(folder)?;
        let number = self.changes.len();
        let file = folder.join(format!(".bfq-bench-{}-{number}", self.opening.token));
        self.write_down(Change::Scratch { file: file.clone(), folder: identity })?;
        Ok(file)
    }

    /// Makes a group for the groups of the scenarios. In version 2 the controller of block I/O is
    /// enabled for it, if it is not.
    ///
    /// # Errors
    /// [`RestoreError::GroupsTaken`], or what the system refuses.
    pub fn make_groups(&mut self, cgroups: &Cgroups) -> Result<Groups, RestoreError> {
        let root = &cgroups.root;
        if cgroups.version == CgroupVersion::V2 {
            // The run that enabled the controller disables it at the end: there can be only one.
            let folder = File::open(root).map_err(RestoreError::io("open", root))?;
            if !try_lock(&folder, root)? {
                return Err(RestoreError::GroupsTaken);
            }
            self.locks.push(folder);
            if !gives_controller(root, CONTROLLER)? {
                self.write_down(Change::Controller { folder: root.clone() })?;
                give_controller(root, CONTROLLER)?;
            }
        }
        let top = root.join(format!("bfq-bench-{}", self.opening.token));
        self.write_down(Change::Group { folder: top.clone() })?;
        make_folder(&top)?;
        Ok(Groups::below(cgroups, &top))
    }

    /// Marks a command: what it starts, and what that starts, is ended when the machine is
    /// restored. All processes of a run have to be started by marked commands.
    pub fn mark(&self, command: &mut Command) {
        processes::mark(command, &self.opening.token);
    }

    /// Ends all processes of the run and undoes its changes, the last first. Goes on after an
    /// error. If all is as it was the journal is removed; else it stays, with
    /// what could not be undone.
    ///
    /// Of a run before the machine booted, only what outlives that is undone.
    ///
    /// # Errors
    /// All that could not be undone.
    pub fn restore(&mut self) -> Result<(), NotRestored> {
        self.restores_when_dropped = false;
        let same_boot = match self.is_of_this_boot() {
            Ok(same_boot) => same_boot,
            Err(error) => {
                let what = "tell whether the machine has booted since".to_owned();
                return Err(self.not_restored(vec![Failure { what, error }]));
            }
        };
        let mut failures = Vec::new();
        if same_boot && let Err(error) = processes::end_marked(&self.host, &self.opening.token) {
            failures.push(Failure { what: "end the processes of the run".to_owned(), error });
        }
        for number in (0..self.changes.len()).rev() {
            let Some(change) = &self.changes[number] else { continue };
            let undone = if same_boot || change.outlives_boot() { change.undo() } else { Ok(()) };
            match undone {
                Ok(()) => self.forget(number),
                Err(error) => failures.push(Failure { what: change.to_string(), error }),
            }
        }
        if failures.is_empty() {
            match remove_file(&self.path) {
                // Not only closed: a process that is being started may hold a copy for a moment.
                Ok(()) => self.locks.drain(..).for_each(|lock| drop(lock.unlock())),
                Err(error) => failures.push(Failure { what: "remove the journal".into(), error }),
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(self.not_restored(failures)) }
    }

    fn not_restored(&self, failures: Vec<Failure>) -> NotRestored {
        let purpose = self.opening.purpose;
        NotRestored { failures, journal: self.path.clone(), purpose }
    }

    /// Writes a change down; it is on the disk when this returns.
    fn write_down(&mut self, change: Change) -> Result<(), RestoreError> {
        lines::append(&self.file, &self.path, &Line::Change(change.clone()))?;
        self.changes.push(Some(change));
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.restores_when_dropped {
            // There is no one to report to; the journal stays for `bfq bench --restore`.
            let _ = self.restore();
        }
    }
}

/// The journals in a folder.
#[derive(Debug, Default)]
pub struct LeftOver {
    /// Those whose owner has ended: to be restored.
    pub dead: Vec<Journal>,
    /// Those whose owner is at work.
    pub at_work: Vec<Opening>,
    /// Those that cannot be followed, as [`RestoreError::NotFollowed`]: damaged, of another version
    /// of the program, or another user's.
    pub bad: Vec<RestoreError>,
    /// Whether they are another user's: the folder may not be read.
    pub is_closed: bool,
}

/// Looks for journals that are left over. One that cannot be followed hides no other.
///
/// # Errors
/// If the folder cannot be read.
pub fn left_over(host: &Host, folder: &Path) -> Result<LeftOver, RestoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(LeftOver::default()),
        // None of ours can be where we may not look.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Ok(LeftOver { is_closed: true, ..LeftOver::default() });
        }
        Err(error) => return Err(RestoreError::io("read", folder)(error)),
    };
    let mut found = LeftOver::default();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == SUFFIX)) {
        if let Err(error) = found.add(host, path.clone()) {
            found.bad.push(RestoreError::NotFollowed { path, reason: Box::new(error) });
        }
    }
    Ok(found)
}

impl LeftOver {
    /// All of them, if none is bad: what that one has changed is not known.
    fn all_followed(mut self) -> Result<Self, RestoreError> {
        self.bad.pop().map_or(Ok(self), Err)
    }

    /// Looks at one journal.
    fn add(&mut self, host: &Host, path: PathBuf) -> Result<(), RestoreError> {
        let file = match OpenOptions::new().read(true).append(true).open(&path) {
            Ok(file) => file,
            // Its run has ended since the folder was read.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(RestoreError::io("open", &path)(error)),
        };
        let locked = try_lock(&file, &path)?;
        let metadata = file.metadata().map_err(RestoreError::io("look at", &path))?;
        let owner = metadata.uid();
        if owner != rustix::process::geteuid().as_raw() {
            return Err(RestoreError::NotOurs { path, owner });
        }
        let has_ended = metadata.nlink() == 0;
        match lines::read(&file, &path)? {
            _ if has_ended => {}
            // Nothing was changed yet. Its owner may be about to go on.
            None => remove_if_abandoned(host, &path)?,
            Some(Contents { opening, .. }) if !locked && is_alive(host, opening.pid) => {
                self.at_work.push(opening);
            }
            // A process that its owner was about to start when it was killed holds a copy of the
            // lock until it is another program: soon.
            Some(_) if !locked => {
                file.lock().map_err(RestoreError::io("lock", &path))?;
                drop(file);
                return self.add(host, path);
            }
            Some(contents) => {
                lines::remove_rest(&file, &path, &contents)?;
                let Contents { opening, changes, .. } = contents;
                let (host, locks, restores_when_dropped) = (host.clone(), Vec::new(), false);
                self.dead.push(Journal {
                    host,
                    path,
                    file,
                    opening,
                    changes,
                    locks,
                    restores_when_dropped,
                });
            }
        }
        Ok(())
    }
}

/// Removes a journal without a first line, unless the process that it is named after runs.
fn remove_if_abandoned(host: &Host, path: &Path) -> Result<(), RestoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.split('-').next().and_then(|pid| pid.parse().ok());
    if pid.is_some_and(|pid| is_alive(host, pid)) { Ok(()) } else { remove_file(path) }
}

fn make_private(folder: &Path) -> Result<(), RestoreError> {
    let private = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    private.map_err(RestoreError::io("make", folder))
}

fn is_alive(host: &Host, pid: u32) -> bool {
    host.path("/proc").join(pid.to_string()).exists()
}

/// Whether a file could be locked.
fn try_lock(file: &File, path: &Path) -> Result<bool, RestoreError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(RestoreError::io("lock", path)(error)),
    }
}

fn boot_id(host: &Host) -> Result<String, RestoreError> {
    host.boot_id().map_err(|error| match error {
        HostError::Io { path, source } => RestoreError::io("read", &path)(source),
        other => RestoreError::io("read", Path::new("/proc"))(std::io::Error::other(other)),
    })
}

/// What makes a token differ from those of earlier processes of the same number.
fn now_ns() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

/// Makes what was done in a folder outlast a crash.
fn sync_folder(folder: &Path) -> Result<(), RestoreError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(RestoreError::io("write", folder))
}

/// Removes a file, if it is there.
fn remove_file(path: &Path) -> Result<(), RestoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other.map_err(RestoreError::io("remove", path)),
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
