// SPDX-License-Identifier: MIT OR Apache-2.0
//! The job files of a folder, for who wants to choose one.

use crate::header::Header;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A job file of a folder, or a folder in it that cannot be read.
#[derive(Debug)]
pub struct Listed {
    /// Path of the job file or folder.
    pub path: PathBuf,
    /// The title in its header, which may be empty, or why it cannot be read.
    pub title: io::Result<String>,
}

/// The job files (`*.fio`) of a folder in order, then those of each folder in it. What
/// cannot be read is listed all the same.
///
/// # Errors
/// If the folder itself cannot be read.
pub fn job_files_in(folder: &Path) -> io::Result<Vec<Listed>> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|extension| extension == "fio") {
            files.push(path);
        }
    }
    files.sort();
    folders.sort();
    let listed = |path: PathBuf| {
        let title = fs::read_to_string(&path).map(|text| Header::parse(&text).title().to_owned());
        Listed { path, title }
    };
    let mut found: Vec<_> = files.into_iter().map(listed).collect();
    for folder in folders {
        match job_files_in(&folder) {
            Ok(more) => found.extend(more),
            Err(error) => found.push(Listed { path: folder, title: Err(error) }),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_does_not_hide_the_other_job_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).unwrap();
        fs::write(path("a.fio"), b"# Caf\xe9\n[a]\n").unwrap();
        fs::write(path("b.fio"), "# Something\n[a]\n").unwrap();
        std::os::unix::fs::symlink("nowhere", path("c.fio")).unwrap();
        fs::write(path("no-job-file"), "# Something\n[a]\n").unwrap();
        fs::write(path("sub/d.fio"), "# Something else\n[a]\n").unwrap();
        let found = job_files_in(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|listed| listed.path.file_name().unwrap()).collect();
        assert_eq!(names, ["a.fio", "b.fio", "c.fio", "d.fio"]);
        let titles: Vec<_> = found.iter().map(|listed| listed.title.as_deref().ok()).collect();
        assert_eq!(titles, [None, Some("Something"), None, Some("Something else")]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(job_files_in(&folder.path().join("missing")).is_err());
    }
}
