// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scratch file of large traces: read and written at positions, gone with its last user. Where
//! the system has no such files, in a browser, there is none.

use std::io;

#[cfg(unix)]
pub(super) use unix::ScratchFile;

#[cfg(unix)]
mod unix {
    use super::io;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    /// A file without a name.
    #[derive(Debug)]
    pub(in crate::recorded) struct ScratchFile(File);

    impl ScratchFile {
        pub(in crate::recorded) fn create() -> io::Result<ScratchFile> {
            tempfile::tempfile().map(ScratchFile)
        }

        pub(in crate::recorded) fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
            self.0.write_all_at(bytes, at)
        }

        pub(in crate::recorded) fn read_exact_at(&self, to: &mut [u8], at: u64) -> io::Result<()> {
            self.0.read_exact_at(to, at)
        }
    }
}

/// A file that cannot be made, so no code can have one.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) enum ScratchFile {}

#[cfg(not(unix))]
impl ScratchFile {
    pub(super) fn create() -> io::Result<ScratchFile> {
        let text = "the trace is too large for the memory, and there are no scratch files here";
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }

    pub(super) fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        match *self {}
    }
}
