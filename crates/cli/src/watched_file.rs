//! Large files being read: with a bar on a terminal that says how far.

use crate::progress::Progress;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use workload::Surroundings;

/// The bar moves with every so many bytes; files smaller than that have none.
const STEP_BYTES: u64 = 4 << 20;

/// A file, and how much of it was read.
pub struct WatchedFile {
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
    pub fn open(path: &Path, quiet: bool) -> io::Result<WatchedFile> {
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

/// The files and variables that job files refer to, with a bar for large files.
pub struct Watching {
    /// No bar.
    pub quiet: bool,
}

impl Surroundings for Watching {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(BufReader::new(WatchedFile::open(path, self.quiet)?)))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
