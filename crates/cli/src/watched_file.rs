//! Files that commands are told to read: large ones with a bar on a terminal that says how far, and
//! those that are built in.

use crate::failure::Failure;
use crate::progress::Progress;
use std::env::VarError;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use workload::{Actual, Surroundings};

/// The bar moves with every so many bytes; files smaller than that have none.
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

/// Refuses the name of a built-in file that there is not, before anything else is said of it.
///
/// # Errors
/// With exit code 2 and the names that come nearest.
pub fn known(path: &Path) -> Result<(), Failure> {
    match scenarios::is_name(path) {
        true => scenarios::find(path).map(drop).map_err(Failure::usage),
        false => Ok(()),
    }
}

/// Opens a file on disk, or one that is built in. With `quiet` there is no bar.
///
/// # Errors
/// As for [`File::open`]; if there is no built-in file of that name, with what there is.
pub fn open(path: &Path, quiet: bool) -> io::Result<Box<dyn BufRead>> {
    if scenarios::is_name(path) {
        let unknown = |error| io::Error::new(io::ErrorKind::NotFound, error);
        return Ok(Box::new(scenarios::find(path).map_err(unknown)?.bytes));
    }
    Ok(Box::new(BufReader::new(WatchedFile::open(path, quiet)?)))
}

/// The files and variables that job files refer to, with a bar for large files.
pub struct Watching {
    /// Show no progress bar.
    pub quiet: bool,
}

impl Surroundings for Watching {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        open(path, self.quiet)
    }

    /// What a built-in file refers to is built in, too; files of the same name on disk don't count.
    fn places(&self, path: &str, from: &Path) -> Vec<PathBuf> {
        if scenarios::is_name(from) || scenarios::is_name(Path::new(path)) {
            return vec![scenarios::beside(from, path)];
        }
        Actual.places(path, from)
    }

    fn can_be_read_twice(&self, path: &Path) -> bool {
        scenarios::is_name(path) || path.is_file()
    }

    fn variable(&self, name: &str) -> Result<String, VarError> {
        std::env::var(name)
    }
}
