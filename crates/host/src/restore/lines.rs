// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a journal: a line of JSON for the run, then one for each change before it is made,
//! and one for each that was undone.

use super::change::Change;
use super::error::RestoreError;
use super::purpose::Purpose;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The version of the format; another one is not followed.
pub(super) const VERSION: u32 = 1;

/// The first line: whose journal it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The version of the format.
    pub version: u32,
    /// Which start of the machine the run belongs to.
    pub boot_id: String,
    /// The disk that is measured.
    pub disk: String,
    /// The process of the run.
    pub pid: u32,
    /// What the changes are for.
    #[serde(default)]
    pub purpose: Purpose,
    /// What no other run has: the mark of its processes, a part of the names of what it makes.
    pub token: String,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Opening(Opening),
    Change(Change),
    /// The change of this number, from 0, was undone.
    Undone(usize),
}

/// What a file says: changes that were undone are none.
pub(super) struct Contents {
    pub opening: Opening,
    pub changes: Vec<Option<Change>>,
    /// How many bytes its whole lines are.
    pub whole_bytes: u64,
}

/// Makes a file that only we can read, with nothing in it.
pub(super) fn create(path: &Path) -> Result<File, RestoreError> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true).mode(0o600);
    options.open(path).map_err(RestoreError::io("make", path))
}

/// Adds a line; it is on the disk when this returns. If it cannot be written nothing of it stays,
/// as far as possible: the next line would be no line of its own.
pub(super) fn append(mut file: &File, path: &Path, line: &Line) -> Result<(), RestoreError> {
    let before = file.metadata().map_err(RestoreError::io("look at", path))?.len();
    let mut text = serde_json::to_string(line).expect("names, numbers and texts only");
    text.push('\n');
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
    written.map_err(|error| {
        // It is the first error that is told.
        let _ = file.set_len(before);
        RestoreError::io("write", path)(error)
    })
}

/// Removes a last line that was cut off from a file that is locked, so that others can follow.
pub(super) fn remove_rest(
    file: &File,
    path: &Path,
    contents: &Contents,
) -> Result<(), RestoreError> {
    let bytes = file.metadata().map_err(RestoreError::io("look at", path))?.len();
    match bytes > contents.whole_bytes {
        true => file.set_len(contents.whole_bytes).map_err(RestoreError::io("write", path)),
        false => Ok(()),
    }
}

/// Reads a file; none if it has no whole line yet. A last line that was cut off is no line: its
/// change was not made.
pub(super) fn read(file: &File, path: &Path) -> Result<Option<Contents>, RestoreError> {
    let malformed =
        |line, expected| RestoreError::Malformed { path: path.to_owned(), line, expected };
    let mut reader = BufReader::new(file);
    let (mut opening, mut changes) = (None, Vec::new());
    let mut text = String::new();
    let mut whole_bytes = 0;
    for number in 1.. {
        text.clear();
        reader.read_line(&mut text).map_err(RestoreError::io("read", path))?;
        if !text.ends_with('\n') {
            break;
        }
        whole_bytes += text.len() as u64;
        match (serde_json::from_str(&text), &opening) {
            (Ok(Line::Opening(found)), None) if found.version == VERSION => opening = Some(found),
            (Ok(Line::Change(change)), Some(_)) => changes.push(Some(change)),
            (Ok(Line::Undone(at)), Some(_)) if at < changes.len() => changes[at] = None,
            (_, None) => return Err(malformed(number, "the opening of a journal of this version")),
            (_, Some(_)) => return Err(malformed(number, "a change, or one that was undone")),
        }
    }
    Ok(opening.map(|opening| Contents { opening, changes, whole_bytes }))
}
