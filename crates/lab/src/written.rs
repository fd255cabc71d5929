// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are written: refused before the work where that cannot be, then whole or not at all.

use rustix::fs::{Access, access};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// A file or stream that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {name}: {source}")]
pub struct WriteError {
    /// What it is called.
    pub name: String,
    /// The error of the system.
    pub source: io::Error,
}

impl WriteError {
    /// Of the file at that path.
    pub fn of(path: &Path, source: io::Error) -> Self {
        Self { name: path.display().to_string(), source }
    }
}

/// Checks, before long work, that a file can be written where it shall be.
///
/// # Errors
/// If its folder does not exist or may not be written to, or it is a folder itself.
pub fn check_writable(path: &Path) -> Result<(), WriteError> {
    let refuse = |why: io::Error| Err(WriteError::of(path, why));
    if path.is_dir() {
        return refuse(ErrorKind::IsADirectory.into());
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        let why = format!("there is no folder {}", folder.display());
        return refuse(io::Error::new(ErrorKind::NotFound, why));
    }
    // A device or pipe is written as it is.
    let is_replaced = fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file());
    if is_replaced && let Err(error) = access(folder, Access::WRITE_OK) {
        return refuse(error.into());
    }
    Ok(())
}

/// Checks, before any work, that a file to be written is none of those that are read.
///
/// # Errors
/// If it is, under whatever name.
pub fn check_is_no_input(
    path: &Path,
    inputs: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<(), WriteError> {
    // A terminal, a pipe or /dev/null may well be both.
    let file = |path: &Path| {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    };
    let Some(written) = file(path) else { return Ok(()) };
    if inputs.into_iter().any(|input| file(input.as_ref()) == Some(written)) {
        let why = io::Error::other("it is an input; expected another name");
        return Err(WriteError::of(path, why));
    }
    Ok(())
}

/// A file in the making: it takes the place of its path when it is whole, and is gone if
/// it never is.
pub enum Draft<'p> {
    /// A draft in the folder of the path.
    Beside(NamedTempFile, &'p Path),
    /// A device, a pipe or a link (/dev/stdout, /dev/null) is written as it is: as a file of that
    /// name it would be lost.
    InPlace(File),
}

impl<'p> Draft<'p> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created in the folder of the path, or what is there cannot be written.
    pub fn create(path: &'p Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return File::create(path).map(Self::InPlace);
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bfq-").permissions(permissions(path));
        let draft = builder.tempfile_in(folder_of(path));
        // Without the draft's own name, which no user has chosen.
        let draft = draft.map_err(|error| io::Error::from(error.kind()))?;
        Ok(Self::Beside(draft, path))
    }

    /// What is written to.
    pub fn file(&mut self) -> &mut File {
        match self {
            Self::Beside(draft, _) => draft.as_file_mut(),
            Self::InPlace(file) => file,
        }
    }

    /// Puts the draft where it shall be.
    ///
    /// # Errors
    /// If it cannot be written to the disk or renamed.
    pub fn finish(self) -> io::Result<()> {
        if let Self::Beside(draft, path) = self {
            draft.as_file().sync_all()?;
            draft.persist(path).map_err(|error| error.error)?;
        }
        Ok(())
    }
}

/// Those of the file that is replaced; for a new file what the user's mask leaves of rw-rw-rw-.
fn permissions(path: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    match fs::metadata(path) {
        Ok(metadata) => metadata.permissions(),
        Err(_) => fs::Permissions::from_mode(0o666),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
