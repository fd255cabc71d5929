// SPDX-License-Identifier: MIT OR Apache-2.0
//! The small files in which the kernel tells of a machine.

use crate::error::HostError;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

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

/// The name of a file that a file of one line tells: bytes that need not be UTF-8, of which blanks
/// at the ends are a part. None if there is no such file.
pub(crate) fn read_name(path: &Path) -> Option<PathBuf> {
    let mut name = fs::read(path).ok()?;
    if name.last() == Some(&b'\n') {
        name.pop();
    }
    Some(PathBuf::from(OsString::from_vec(name)))
}

/// Undoes what the kernel does to blanks and backslashes: `\040` is the
/// character of that octal code.
pub(crate) fn unescaped(text: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        let code = behind.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(code) if first == b'\\' => {
                bytes.push(code);
                rest = &behind[3..];
            }
            _ => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    OsString::from_vec(bytes)
}
