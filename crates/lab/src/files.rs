// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where job files, and what they refer to, are looked for: on disk, or built in (`@NAME`).

use crate::error::LabError;
use std::env::VarError;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use workload::{Actual, Environment};

/// A file that is open for reading.
type Opened = Box<dyn BufRead>;

/// The files and variables that job files refer to. `F` opens those on disk.
#[derive(Clone, Copy, Debug)]
pub struct Files<F> {
    open_on_disk: F,
}

impl Files<fn(&Path) -> io::Result<Opened>> {
    /// Files on disk are opened without ado.
    pub fn plain() -> Self {
        Files { open_on_disk: |path| Ok(Box::new(BufReader::new(File::open(path)?))) }
    }
}

impl<F: Fn(&Path) -> io::Result<Opened>> Files<F> {
    /// Files on disk are opened like that: by whoever wants to see how far reading is.
    pub fn opened_by(open_on_disk: F) -> Self {
        Files { open_on_disk }
    }

    /// Opens a file on disk, or one that is built in.
    ///
    /// # Errors
    /// As for [`File::open`]; if there is no built-in file of that name, with what there is.
    pub fn open_any(&self, path: &Path) -> io::Result<Opened> {
        if scenarios::is_name(path) {
            let unknown = |error| io::Error::new(io::ErrorKind::NotFound, error);
            return Ok(Box::new(scenarios::find(path).map_err(unknown)?.bytes));
        }
        (self.open_on_disk)(path)
    }
}

impl<F: Fn(&Path) -> io::Result<Opened>> Environment for Files<F> {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        self.open_any(path)
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

/// Refuses the name of a built-in file that there is not, and that of a file that there is not
/// where one is built in, before anything else is said of it.
///
/// # Errors
/// [`LabError::UnknownFile`], with the names that come nearest; [`LabError::MeantBuiltIn`].
pub fn check_known(path: &Path) -> Result<(), LabError> {
    if scenarios::is_name(path) {
        return Ok(scenarios::find(path).map(drop)?);
    }
    match (path.try_exists(), scenarios::find(path)) {
        (Ok(false), Ok(file)) => {
            Err(LabError::MeantBuiltIn { path: path.to_owned(), name: file.name() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_file_is_offered_where_there_is_none_of_its_name() {
        let error = check_known(Path::new("two-groups")).unwrap_err();
        let expected = "two-groups: there is no such file; did you mean `@two-groups`?";
        assert_eq!(error.to_string(), expected);
        assert!(error.is_usage());
        assert!(check_known(Path::new("src")).is_ok(), "it is there");
        assert!(check_known(Path::new("no-such-file")).is_ok(), "whoever opens it says so");
    }
}
