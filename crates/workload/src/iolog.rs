//! fio's I/O logs (`read_iolog`), versions 2 and 3, read line by line.
//!
//! The first line is `fio version 2 iolog` or `fio version 3 iolog`. Then, one action a line:
//!
//! ```text
//! FILE add | open | close                          (version 3: TIMESTAMP before FILE)
//! FILE read | write | trim | sync | datasync OFFSET LENGTH
//! FILE wait MICROSECONDS 0                         (version 2 only)
//! ```
//!
//! Timestamps are microseconds since the start of the run, as fio 3.33 writes them; offsets and
//! lengths are bytes. A file must have been added and opened before I/O is done to it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::error::JobError;

const ACTIONS: &str = "add, open, close, read, write, sync, datasync, trim or wait";

/// A file of a log: its position in [`Reader::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its line in the file, from 1.
    pub line: u32,
    /// Version 3's timestamp, µs since the start of the run.
    pub timestamp_us: Option<u64>,
    /// The file it is about.
    pub file: FileId,
    /// What is done.
    pub action: Action,
}

/// What a line of a log does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Names a file.
    Add,
    /// Opens it.
    Open,
    /// Closes it.
    Close,
    /// Waits (version 2).
    Wait {
        /// Counted from the end of the previous wait, µs.
        us: u64,
    },
    /// Reads.
    Read {
        /// Where, bytes.
        offset_bytes: u64,
        /// How much, bytes.
        length_bytes: u32,
    },
    /// Writes.
    Write {
        /// Where, bytes.
        offset_bytes: u64,
        /// How much, bytes.
        length_bytes: u32,
    },
    /// Discards.
    Trim {
        /// Where, bytes.
        offset_bytes: u64,
        /// How much, bytes.
        length_bytes: u64,
    },
    /// fsync(2)
    Sync,
    /// fdatasync(2)
    DataSync,
}

/// Reads a log, one [`Record`] at a time. After an error it ends.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    name: String,
    version: u8,
    line: u32,
    text: Vec<u8>,
    files: Vec<File>,
    by_name: BTreeMap<String, FileId>,
    broken: bool,
}

#[derive(Debug)]
struct File {
    name: String,
    is_open: bool,
}

impl<R: BufRead> Reader<R> {
    /// Opens a log; `name` is what errors call it.
    ///
    /// # Errors
    /// The first line is not that of version 2 or 3, or cannot be read.
    pub fn new(source: R, name: impl Into<String>) -> Result<Reader<R>, JobError> {
        let mut reader = Reader {
            source,
            name: name.into(),
            version: 0,
            line: 0,
            text: Vec::new(),
            files: Vec::new(),
            by_name: BTreeMap::new(),
            broken: false,
        };
        let header = reader.next_line()?.then(|| reader.text.trim_ascii().to_vec());
        reader.version = match header.as_deref() {
            Some(b"fio version 2 iolog") => 2,
            Some(b"fio version 3 iolog") => 3,
            _ => {
                return Err(reader.wrong(
                    "this is not an I/O log that can be replayed",
                    "\"fio version 2 iolog\" or \"fio version 3 iolog\" in the first line",
                ));
            }
        };
        Ok(reader)
    }

    /// The version of the log: 2 or 3.
    pub fn version(&self) -> u8 {
        self.version
    }

    /// The names of the files added so far, in order of [`FileId`].
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    fn wrong(&self, what: impl Into<String>, expected: impl Into<String>) -> JobError {
        JobError::new(self.name.as_str(), self.line, what, expected)
    }

    /// Reads the next line into `text`; false at the end of the log.
    fn next_line(&mut self) -> Result<bool, JobError> {
        self.text.clear();
        self.line = self.line.saturating_add(1);
        match self.source.read_until(b'\n', &mut self.text) {
            Ok(0) => Ok(false),
            Ok(_) => Ok(true),
            Err(error) => Err(self.wrong(format!("cannot read: {error}"), "a readable file")),
        }
    }

    fn next_record(&mut self) -> Result<Option<Record>, JobError> {
        while self.next_line()? {
            let text = std::mem::take(&mut self.text);
            let parsed = match std::str::from_utf8(&text) {
                Ok(line) if line.trim().is_empty() => Ok(None),
                Ok(line) => self.parse(line).map(Some),
                Err(_) => Err(self.wrong("the line is not text", "a line of an I/O log")),
            };
            self.text = text;
            if let Some(record) = parsed? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    fn parse(&mut self, text: &str) -> Result<Record, JobError> {
        let mut words = text.split_ascii_whitespace();
        let timestamp_us = match self.version {
            3 => Some(self.number("the timestamp", words.next())?),
            _ => None,
        };
        let form = "FILE ACTION [OFFSET LENGTH]";
        let (Some(name), Some(action)) = (words.next(), words.next()) else {
            return Err(self.wrong("the line is too short", form));
        };
        let (first, second) = (words.next(), words.next());
        if let Some(word) = words.next() {
            return Err(self.wrong(format!("\"{word}\" after the end of the action"), form));
        }
        let file = self.file(name, action)?;
        let action = self.action(file, action, first, second)?;
        Ok(Record { line: self.line, timestamp_us, file, action })
    }

    fn file(&mut self, name: &str, action: &str) -> Result<FileId, JobError> {
        if let Some(&known) = self.by_name.get(name) {
            return Ok(known);
        }
        // A wait is no business of its file: fio's own logs need not have added it.
        if action != "add" && action != "wait" {
            return Err(self.wrong(
                format!("\"{action}\" for the file \"{name}\", which was not added"),
                format!("\"{name} add\" before it"),
            ));
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(File { name: name.to_string(), is_open: false });
        self.by_name.insert(name.to_string(), id);
        Ok(id)
    }

    fn action(
        &mut self,
        file: FileId,
        action: &str,
        first: Option<&str>,
        second: Option<&str>,
    ) -> Result<Action, JobError> {
        match action {
            "add" => return Ok(Action::Add),
            "open" | "close" => {
                self.files[file.0 as usize].is_open = action == "open";
                return Ok(if action == "open" { Action::Open } else { Action::Close });
            }
            "wait" if self.version == 2 => {
                return Ok(Action::Wait { us: self.number("the time to wait", first)? });
            }
            "wait" => {
                return Err(self.wrong(
                    "\"wait\" in a log of version 3",
                    "timestamps alone, or a log of version 2",
                ));
            }
            _ => {}
        }
        if !matches!(action, "read" | "write" | "trim" | "sync" | "datasync") {
            return Err(self.wrong(format!("unknown action \"{action}\""), ACTIONS));
        }
        let File { name, is_open } = &self.files[file.0 as usize];
        if !is_open {
            return Err(self.wrong(
                format!("\"{action}\" for the file \"{name}\", which is not open"),
                format!("\"{name} open\" before it"),
            ));
        }
        match action {
            "sync" => return Ok(Action::Sync),
            "datasync" => return Ok(Action::DataSync),
            _ => {}
        }
        let offset_bytes = self.number("the offset", first)?;
        let length_bytes = self.number("the length", second)?;
        if length_bytes == 0 || offset_bytes.checked_add(length_bytes).is_none() {
            return Err(self.wrong(
                format!("I/O of {length_bytes} bytes at {offset_bytes}"),
                "at least one byte, below 2^64",
            ));
        }
        if action == "trim" {
            return Ok(Action::Trim { offset_bytes, length_bytes });
        }
        let Ok(length_bytes) = u32::try_from(length_bytes) else {
            return Err(self.wrong(format!("I/O of {length_bytes} bytes"), "less than 4 GiB"));
        };
        Ok(match action {
            "read" => Action::Read { offset_bytes, length_bytes },
            _ => Action::Write { offset_bytes, length_bytes },
        })
    }

    fn number(&self, what: &str, word: Option<&str>) -> Result<u64, JobError> {
        let Some(word) = word else {
            return Err(self.wrong(format!("{what} is missing"), "a whole number"));
        };
        word.parse().map_err(|_| self.wrong(format!("{what} is \"{word}\""), "a whole number"))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, JobError>;

    fn next(&mut self) -> Option<Result<Record, JobError>> {
        if self.broken {
            return None;
        }
        let next = self.next_record().transpose();
        self.broken = matches!(next, Some(Err(_)));
        next
    }
}
