// SPDX-License-Identifier: MIT OR Apache-2.0
//! Creating a target: a file of real data that leaves nothing behind, however the run ends.
//!
//! The file loses its name as soon as it has one, so that the kernel removes it when the last
//! descriptor of it is closed, be it by a crash. One to be kept gets its name when it is whole.

use super::error::TargetError;
use crate::pattern::{PATTERN_PERIOD_BYTES, Pattern};
use rustix::fs::{Advice, AtFlags, CWD, FallocateFlags, Mode, OFlags, fadvise, fallocate};
use rustix::io::{Errno, pwrite};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Blocks are no larger than this, and a target has at least one.
const LEAST_BYTES: u64 = 4096;

/// Bytes written between two requests to bring them to the disk: the page cache stays small,
/// and the progress told is true.
const SYNC_EVERY_BYTES: u64 = 64 << 20;

/// Told how far filling a new file has got.
pub trait Fill {
    /// `done_bytes` of `total_bytes` are written; `Break` stops it.
    fn progress(&mut self, done_bytes: u64, total_bytes: u64) -> ControlFlow<()>;
}

impl<F: FnMut(u64, u64) -> ControlFlow<()>> Fill for F {
    fn progress(&mut self, done_bytes: u64, total_bytes: u64) -> ControlFlow<()> {
        self(done_bytes, total_bytes)
    }
}

/// The part of a size that is whole blocks.
pub(super) fn whole_blocks(size_bytes: u64) -> u64 {
    size_bytes - size_bytes % LEAST_BYTES
}

/// A size that is enough for a target.
pub(super) fn at_least_a_block(size_bytes: u64) -> Result<u64, TargetError> {
    if size_bytes < LEAST_BYTES {
        return Err(TargetError::SizeTooSmall {
            asked_bytes: size_bytes,
            least_bytes: LEAST_BYTES,
        });
    }
    Ok(size_bytes)
}

/// A new file of `total_bytes`, filled, without a name unless it is to be kept.
pub(super) fn create(
    path: &Path,
    total_bytes: u64,
    keep: bool,
    fill: &mut dyn Fill,
) -> Result<File, TargetError> {
    if !keep {
        let file = create_named(path)?;
        fs::remove_file(path).map_err(|e| system("removing", path, e))?;
        write_all(&file, path, total_bytes, fill)?;
        return Ok(file);
    }
    match create_nameless(path) {
        Some(file) => {
            write_all(&file, path, total_bytes, fill)?;
            give_name(&file, path)?;
            Ok(file)
        }
        None => {
            let file = create_named(path)?;
            let unfinished = RemoveOnDrop(path.to_path_buf());
            write_all(&file, path, total_bytes, fill)?;
            std::mem::forget(unfinished);
            Ok(file)
        }
    }
}

/// What was made of a new file; if nothing was, one that was to be kept is gone again.
pub(super) fn kept_with<T, E>(made: Result<T, E>, path: &Path, keep: bool) -> Result<T, E> {
    let unused = RemoveOnDrop(path.to_path_buf());
    if made.is_ok() || !keep {
        std::mem::forget(unused);
    }
    made
}

fn create_named(path: &Path) -> Result<File, TargetError> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path).map_err(|source| {
        match source.kind() {
            io::ErrorKind::NotFound => TargetError::NoFolder { path: path.to_path_buf() },
            _ if matches!(
                Errno::from_io_error(&source),
                Some(Errno::ACCESS | Errno::PERM | Errno::ROFS)
            ) =>
            {
                TargetError::NotPermitted { path: path.to_path_buf(), access: "created", source }
            }
            _ => system("creating", path, source),
        }
    })
}

/// A file in the same folder that has no name yet; `None` where the file system has no such thing.
fn create_nameless(path: &Path) -> Option<File> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    // A name is given by way of /proc; without it a nameless file stays nameless.
    let can_be_named = Path::new("/proc/self/fd").exists();
    rustix::fs::open(folder, flags, mode).ok().filter(|_| can_be_named).map(File::from)
}

fn give_name(file: &File, path: &Path) -> Result<(), TargetError> {
    let descriptor = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    rustix::fs::linkat(CWD, &descriptor, CWD, path, AtFlags::SYMLINK_FOLLOW)
        .map_err(|e| system("naming", path, e.into()))
}

/// A file that has a name, and of which it is not certain yet that it is to be kept.
struct RemoveOnDrop(PathBuf);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        // Nothing can be done if it cannot be removed, and an error is being reported already.
        let _ = fs::remove_file(&self.0);
    }
}

fn write_all(
    file: &File,
    path: &Path,
    total_bytes: u64,
    fill: &mut dyn Fill,
) -> Result<(), TargetError> {
    let failed = |doing, errno: Errno| match errno {
        Errno::NOSPC | Errno::DQUOT | Errno::FBIG => TargetError::Full {
            path: path.to_path_buf(),
            asked_bytes: total_bytes,
            source: errno.into(),
        },
        _ => system(doing, path, errno.into()),
    };
    // Ask for the room first: better to hear that there is none before hours of writing.
    match fallocate(file, FallocateFlags::empty(), 0, total_bytes) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
        Err(errno) => return Err(failed("making room for", errno)),
    }
    let pattern = Pattern::new(0);
    let mut done_bytes = 0;
    while done_bytes < total_bytes {
        if fill.progress(done_bytes, total_bytes).is_break() {
            return Err(TargetError::Interrupted { path: path.to_path_buf() });
        }
        let left_in_period = PATTERN_PERIOD_BYTES - done_bytes % PATTERN_PERIOD_BYTES;
        let length_bytes = left_in_period.min(total_bytes - done_bytes);
        match pwrite(file, pattern.at(done_bytes, length_bytes as usize), done_bytes) {
            Ok(0) => return Err(failed("filling", Errno::NOSPC)),
            Ok(written_bytes) => done_bytes += written_bytes as u64,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(failed("filling", errno)),
        }
        if done_bytes == total_bytes || done_bytes.is_multiple_of(SYNC_EVERY_BYTES) {
            rustix::fs::fdatasync(file).map_err(|errno| failed("syncing", errno))?;
            // Advice: a file system that does not take it is none the worse for it.
            let _ = fadvise(file, 0, None, Advice::DontNeed);
        }
    }
    // How it ends is the caller's business; a stop that comes now comes too late.
    let _ = fill.progress(total_bytes, total_bytes);
    Ok(())
}

fn system(doing: &'static str, path: &Path, source: io::Error) -> TargetError {
    TargetError::System { doing, path: path.to_path_buf(), source }
}
