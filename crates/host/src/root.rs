// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the files of the machine are.

use crate::error::HostError;
use crate::files::read_line;
use std::path::{Path, PathBuf};

/// The machine: a root folder with `sys`, `proc`, `dev` and `lib` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    root: PathBuf,
}

impl Host {
    /// The machine this runs on.
    pub fn here() -> Self {
        Host::at(Path::new("/"))
    }

    /// A machine whose files are below a folder.
    pub fn at(root: &Path) -> Self {
        Host { root: root.to_owned() }
    }

    /// Where a path of the machine is for us.
    pub fn path(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.root.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// Which start of the machine this is. Cgroups, processes and settings do not outlive it.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub fn boot_id(&self) -> Result<String, HostError> {
        read_line(&self.path("/proc/sys/kernel/random/boot_id"))
    }

    /// The release of the kernel, as `uname -r` tells it.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub fn kernel_release(&self) -> Result<String, HostError> {
        read_line(&self.path("/proc/sys/kernel/osrelease"))
    }
}
