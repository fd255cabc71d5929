// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that commands are told to read: large ones with a bar on a terminal that says how far.

use crate::progress::Progress;
use lab::Files;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The bytes with which the bar moves; smaller files have none.
const STEP_BYTES: u64 = 4 << 20;

/// A file, and how much of it was read.
struct WatchedFile {
    file: File,
    read_bytes: u64,
    all_bytes: u64,
    progress: Progress,
}

impl WatchedFile {
    /// Opens a file. With `quiet` there is no bar.
    ///
    /// # Errors
    /// As for [`File::open`].
    fn open(path: &Path, quiet: bool) -> io::Result<WatchedFile> {
        let file = File::open(path)?;
        let all_bytes = file.metadata()?.len();
        let progress = Progress::new(path.display().to_string(), quiet);
        Ok(WatchedFile { file, read_bytes: 0, all_bytes, progress })
    }
}

impl Read for WatchedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let steps = self.read_bytes / STEP_BYTES;
        self.read_bytes += read as u64;
        if self.read_bytes / STEP_BYTES > steps {
            let mib = |bytes: u64| (bytes >> 20) as usize;
            self.progress.piece(mib(self.read_bytes), mib(self.all_bytes).max(1));
        }
        Ok(read)
    }
}

impl Drop for WatchedFile {
    fn drop(&mut self) {
        self.progress.clear();
    }
}

/// The files that job files refer to, on disk or built in. With `quiet` there is no bar.
pub fn files(quiet: bool) -> Files<impl Fn(&Path) -> io::Result<Box<dyn BufRead>>> {
    Files::opened_by(move |path: &Path| {
        let file: Box<dyn BufRead> = Box::new(BufReader::new(WatchedFile::open(path, quiet)?));
        Ok(file)
    })
}
