// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locks on served files, so that no other server writes what this one serves: two guests that
//! mount one image destroy it. Devices that are written to are claimed when they are opened.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// The lock of a file: of many that only read it, or of the one that writes. It ends with the last
/// export of the file.
#[derive(Debug)]
pub(super) struct FileLock {
    file: File,
    /// Device and inode.
    is: (u64, u64),
}

/// Locks what an export serves; none if it is no file, or the file system has no locks. Exports of
/// this server share the lock that one of them has: what they may do together the configuration
/// has been asked.
///
/// # Errors
/// The file is locked by another program.
pub(super) fn lock<'a>(
    path: &Path,
    writes: bool,
    held: impl IntoIterator<Item = &'a Arc<FileLock>>,
) -> Result<Option<Arc<FileLock>>, String> {
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let is = (metadata.dev(), metadata.ino());
    let own = held.into_iter().find(|lock| lock.is == is).cloned();
    let locked = match (&own, writes) {
        // One that reads needs no more than there is.
        (Some(_), false) => Ok(()),
        (Some(own), true) => own.file.try_lock(),
        (None, true) => file.try_lock(),
        (None, false) => file.try_lock_shared(),
    };
    match locked {
        Ok(()) => Ok(Some(own.unwrap_or_else(|| Arc::new(FileLock { file, is })))),
        Err(TryLockError::WouldBlock) => {
            // A lock that should become another may be lost (flock(2)).
            if let Some(own) = own.filter(|_| writes)
                && let Err(error) = own.file.try_lock_shared()
            {
                tracing::warn!(path = %path.display(), "its lock is lost: {error}");
            }
            let expected = match writes {
                true => "a file that no other program serves (or read_only, if they only read it)",
                false => "a file that no other program writes",
            };
            let path = path.display();
            Err(format!("{path} is locked: another program serves it; expected {expected}"))
        }
        Err(TryLockError::Error(error)) => {
            tracing::warn!(
                path = %path.display(),
                "it cannot be locked, so that nothing keeps another program from serving it: {error}"
            );
            Ok(own)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_by_many_servers_or_written_by_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disk.img");
        std::fs::write(&path, "").expect("a file");
        let alone = |writes| lock(&path, writes, []);
        let (one, other) = (alone(false), alone(false));
        assert!(one.is_ok() && other.is_ok(), "both read: {one:?} {other:?}");
        let error = alone(true).expect_err("it is read");
        assert!(error.contains("is locked: another program serves it"), "{error}");
        drop(other);
        let one = one.expect("it was free").expect("a file");
        let written = lock(&path, true, [&one]).expect("its own lock").expect("a file");
        assert!(Arc::ptr_eq(&one, &written));
        for writes in [false, true] {
            alone(writes).expect_err("it is written");
            lock(&path, writes, [&one]).expect("a second export of the same server");
        }
        drop((one, written));
        alone(true).expect("it is free again");
    }

    #[test]
    fn what_is_no_file_is_not_locked() {
        assert!(lock(Path::new("/dev/null"), true, []).expect("it is there").is_none());
        lock(Path::new("/no/such/file"), true, []).expect_err("it is not there");
    }
}
