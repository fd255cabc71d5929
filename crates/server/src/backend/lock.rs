// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locks on served files, so that no other server writes what this one serves: two guests that
//! mount one image destroy it. Devices that are written to are claimed when they are opened.

use crate::identity::FileId;
use disk_io::Target;
use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// How often a lock is tried, in two seconds: what a server that was killed had asked of its files
/// is still done, and until then the kernel has them open, and locked.
const TRIES: u32 = 100;
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// An export's share in the lock of its file. Servers that only read the file can all have it
/// locked; one that writes has it alone. The lock ends with the last export of the file.
#[derive(Debug)]
pub(super) struct FileLock {
    shared: Arc<Shared>,
    writes: bool,
}

/// What the exports of one file share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    is: FileId,
    holder: Mutex<Holder>,
}

#[derive(Debug)]
struct Holder {
    /// The descriptor that has the lock: a duplicate of one that an export does its I/O with. On
    /// SMB nothing else may read or write a locked file, and on NFS the lock of a writer needs a
    /// descriptor that is open for writing (flock(2)).
    file: File,
    /// Exports that write.
    writers: u32,
}

/// Locks what an export serves; none if it is no file, or the file system has no locks. Exports of
/// this server share the lock that one of them has: whether they may serve one file together was
/// checked with the configuration.
///
/// # Errors
/// The file is locked by another program.
pub(super) fn lock<'a>(
    target: &Target,
    writes: bool,
    held: impl IntoIterator<Item = &'a FileLock>,
) -> Result<Option<FileLock>, String> {
    let path = target.path().display();
    let failed = |error: io::Error| format!("{path}: {error}");
    let file = File::from(target.as_fd().try_clone_to_owned().map_err(failed)?);
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let is = FileId::of(&metadata);
    let own = held.into_iter().find(|lock| lock.shared.is == is);
    let own = own.map(|lock| Arc::clone(&lock.shared));
    let locked = patiently(|| match (&own, writes) {
        (Some(own), true) => own.write(&file),
        // One that reads needs no more than there is.
        (Some(_), false) => Ok(()),
        (None, true) => file.try_lock(),
        (None, false) => file.try_lock_shared(),
    });
    match locked {
        Ok(()) => {
            let shared = own.unwrap_or_else(|| {
                let holder = Mutex::new(Holder { file, writers: u32::from(writes) });
                Arc::new(Shared { path: target.path().to_owned(), is, holder })
            });
            Ok(Some(FileLock { shared, writes }))
        }
        Err(TryLockError::WouldBlock) => {
            let expected = match writes {
                true => "a file that no other program serves (or read_only, if they only read it)",
                false => "a file that no other program writes",
            };
            Err(format!("{path} is locked: another program serves it; expected {expected}"))
        }
        Err(TryLockError::Error(error)) => {
            tracing::warn!(
                %path,
                "it cannot be locked, so that nothing keeps another program from serving it: \
                 {error}"
            );
            Ok(own.map(|shared| FileLock { shared, writes: false }))
        }
    }
}

/// Tries to lock, again and again while another program has the lock.
fn patiently(mut try_lock: impl FnMut() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match try_lock() {
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            answer => return answer,
        }
    }
    try_lock()
}

impl Shared {
    fn holder(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more export writes, by this descriptor.
    fn write(&self, file: &File) -> Result<(), TryLockError> {
        let mut holder = self.holder();
        if holder.writers == 0 {
            let file = file.try_clone().map_err(TryLockError::Error)?;
            // Another program could lock it now. It could as well if one kind of lock were turned
            // into the other by one call: that is no single step (flock(2)).
            holder.file.unlock().map_err(TryLockError::Error)?;
            if let Err(error) = file.try_lock() {
                self.only_read(&holder);
                return Err(error);
            }
            holder.file = file;
        }
        holder.writers += 1;
        Ok(())
    }

    /// Turns the lock into one that other readers can have, too.
    fn only_read(&self, holder: &Holder) {
        if let Err(error) = holder.file.try_lock_shared() {
            tracing::warn!(path = %self.path.display(), "its lock is lost: {error}");
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if self.writes {
            let mut holder = self.shared.holder();
            holder.writers -= 1;
            if holder.writers == 0 {
                self.shared.only_read(&holder);
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The engine's descriptor may be closed only a while after the engine is gone. If this
        // fails, the lock ends then.
        let _ = self.holder().file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk_io::TargetSettings;
    use std::ops::ControlFlow;
    use std::path::Path;
    use tempfile::TempDir;

    fn file() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disk.img");
        std::fs::write(&path, [0; 4096]).expect("a file");
        (folder, path)
    }

    /// The target is closed when this returns: the lock does not end with it.
    fn lock(path: &Path, writes: bool, held: &[&FileLock]) -> Result<Option<FileLock>, String> {
        let settings = TargetSettings {
            path: path.to_owned(),
            size_bytes: None,
            writes,
            allow_write: writes,
            direct: false,
            keep: true,
        };
        let target = Target::open(&settings, &mut |_: u64, _: u64| ControlFlow::Continue(()));
        super::lock(&target.expect("a file"), writes, held.iter().copied())
    }

    #[test]
    fn a_file_is_read_by_many_servers_or_written_by_one() {
        let (_folder, path) = file();
        let alone = |writes| lock(&path, writes, &[]);
        let (one, other) = (alone(false), alone(false));
        assert!(one.is_ok() && other.is_ok(), "both read: {one:?} {other:?}");
        let error = alone(true).expect_err("it is read");
        assert!(error.contains("is locked: another program serves it"), "{error}");
        let one = one.expect("it was free").expect("a file");
        lock(&path, true, &[&one]).expect_err("another server reads it");
        drop(other);
        let written = lock(&path, true, &[&one]).expect("its own lock").expect("a file");
        assert!(Arc::ptr_eq(&one.shared, &written.shared));
        for writes in [false, true] {
            alone(writes).expect_err("it is written");
            lock(&path, writes, &[&one]).expect("a second export of the same server");
        }
        drop((one, written));
        alone(true).expect("it is free again");
    }

    /// As a server does that is started again at once after it was killed.
    #[test]
    fn a_lock_that_others_have_is_tried_again() {
        for (free_at, is_locked) in [(1, true), (3, true), (TRIES, true), (TRIES + 1, false)] {
            let mut tries = 0;
            let answer = patiently(|| {
                tries += 1;
                if tries < free_at { Err(TryLockError::WouldBlock) } else { Ok(()) }
            });
            assert_eq!((answer.is_ok(), tries), (is_locked, free_at.min(TRIES)), "{free_at}");
        }
    }

    /// An export that became `read_only` kept what it was while it wrote, for ever.
    #[test]
    fn where_nobody_writes_any_more_others_may_read() {
        let (_folder, path) = file();
        let written = lock(&path, true, &[]).expect("it is free").expect("a file");
        let second = lock(&path, true, &[&written]).expect("its own lock").expect("a file");
        let read = lock(&path, false, &[&written]).expect("its own lock");
        drop(written);
        lock(&path, false, &[]).expect_err("the second one writes");
        drop(second);
        lock(&path, false, &[]).expect("another server reads");
        lock(&path, true, &[]).expect_err("it is read");
        drop(read);
    }
}
