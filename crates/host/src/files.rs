// SPDX-License-Identifier: MIT OR Apache-2.0
//! The small files in which the kernel tells of a machine.

use crate::error::HostError;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// A file of one value, without the end of its line.
pub(crate) fn read_line(path: &Path) -> Result<String, HostError> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|source| HostError::Io { path: path.to_owned(), source })?;
    Ok(text.trim_end().to_owned())
}

/// The same for a file that not every device or kernel has. Some exist and cannot be read, which is
/// the kernel's way to say that they do not apply.
pub(crate) fn read_if_any(path: &Path) -> Option<String> {
    read_line(path).ok().map(|text| text.trim_start().to_owned())
}

/// A number in a file that not every device or kernel has.
pub(crate) fn read_number<N: std::str::FromStr>(path: &Path) -> Option<N> {
    read_if_any(path)?.parse().ok()
}

/// The names in a folder, sorted; none if there is no such folder.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, HostError> {
    let io = |source| HostError::Io { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(io)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
