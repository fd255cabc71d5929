// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a job file can refer to: other files, and environment variables.

use std::env::VarError;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// What a job file can refer to: other files, and environment variables.
pub trait Environment {
    /// Opens a file.
    ///
    /// # Errors
    /// As for [`File::open`].
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>>;

    /// The value of an environment variable.
    ///
    /// # Errors
    /// As for [`std::env::var`].
    fn variable(&self, name: &str) -> Result<String, VarError>;

    /// Where the file that `from` refers to as `path` is looked for: at the first of these places
    /// that can be opened. As fio does: as written, then beside `from`.
    fn places(&self, path: &str, from: &Path) -> Vec<PathBuf> {
        let beside = from.parent().map(|folder| folder.join(path));
        [Some(PathBuf::from(path)), beside].into_iter().flatten().collect()
    }

    /// The text that was handed over in the place of this file, if one was: then the name means
    /// that text, whatever is on disk or built in under it.
    fn given(&self, _path: &Path) -> Option<&str> {
        None
    }

    /// Whether the file can be looked into and then be read from its beginning, unlike a pipe.
    fn can_be_read_twice(&self, path: &Path) -> bool {
        path.is_file()
    }

    /// The text of a file.
    ///
    /// # Errors
    /// As for [`std::fs::read_to_string`].
    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        io::Read::read_to_string(&mut self.open(path)?, &mut text)?;
        Ok(text)
    }
}

/// The file system and the environment of this process.
#[derive(Clone, Copy, Debug)]
pub struct Actual;

impl Environment for Actual {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(BufReader::new(File::open(path)?)))
    }

    fn variable(&self, name: &str) -> Result<String, VarError> {
        std::env::var(name)
    }
}
