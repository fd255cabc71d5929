// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an export serves, open and kept from other programs: a file by a lock, a device that is
//! written by its claim.

use super::lock::{FileLock, lock};
use crate::identity::FileId;
use disk_io::{Target, TargetError, TargetSettings};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

/// A file or device that is open, and kept from other programs.
pub(super) struct Held {
    pub(super) target: Target,
    pub(super) is: FileId,
    writes: bool,
    lock: Option<FileLock>,
}

impl Held {
    /// Opens what a path leads to, beside `others` that exports of the same disk hold.
    ///
    /// # Errors
    /// It cannot be opened, or another program has it; in words for people.
    pub(super) fn open(path: &Path, writes: bool, others: &[Arc<Held>]) -> Result<Held, String> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        let target = target_of(path, writes, others).map_err(|error| error.to_string())?;
        let file = File::from(target.as_fd().try_clone_to_owned().map_err(failed)?);
        let is = FileId::of(&file.metadata().map_err(failed)?);
        let locks = others.iter().filter_map(|other| other.lock.as_ref());
        let lock = lock(&target, writes, locks)?;
        Ok(Held { target, is, writes, lock })
    }

    /// Whether it is this device, claimed so that it cannot be opened for writing once more.
    fn claims(&self, is: FileId) -> bool {
        self.writes && self.is == is && matches!(is, FileId::Device(_))
    }
}

/// Opens a file or device. One that this server has claimed already is used by that claim: an
/// export that is served otherwise from now on is opened before what it was is closed.
fn target_of(path: &Path, writes: bool, others: &[Arc<Held>]) -> Result<Target, TargetError> {
    if let Ok(is) = FileId::at(path)
        && let Some(other) = others.iter().find(|other| writes && other.claims(is))
    {
        return other.target.again();
    }
    let settings = TargetSettings {
        path: path.to_path_buf(),
        size_bytes: None,
        writes,
        allow_write: writes,
        direct: true,
        keep: true,
    };
    Target::open(&settings, &mut |_: u64, _: u64| ControlFlow::Continue(()))
}
