// SPDX-License-Identifier: MIT OR Apache-2.0
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

use crate::error::{Mistake, TraceError, TracePosition};
use crate::format::Format;
use crate::input::TraceInput;
use crate::lines::Lines;
use crate::names::Names;
use crate::parser::{Parser, number};
use crate::record::{Flags, RequestEvent};
use base::Op;

/// Waits shorter than this are left out in a replay, µs, as fio's documentation says.
pub const LEAST_WAIT_US: u64 = 100;

const ACTIONS: &str = "add, open, close, read, write, sync, datasync, trim or wait";

/// A file of a log: its position in [`IologReader::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// One line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its line in the file, from 1.
    pub line: u64,
    /// Version 3's timestamp, µs since the start of the run.
    pub timestamp_us: Option<u64>,
    /// The file it is about.
    pub file: FileId,
    /// What the line does with the file.
    pub action: Action,
}

/// What a line of a log does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Names a file that the log is about.
    Add,
    /// Opens the file; I/O to it may follow.
    Open,
    /// Closes the file; no I/O to it follows.
    Close,
    /// Waits before the next line; only in version 2.
    Wait {
        /// Counted from the end of the previous wait, µs.
        us: u64,
    },
    /// Reads a range of the file.
    Read {
        /// Begin of the range, bytes.
        offset_bytes: u64,
        /// The length of the range, bytes.
        length_bytes: u32,
    },
    /// Writes a range of the file.
    Write {
        /// Begin of the range, bytes.
        offset_bytes: u64,
        /// The length of the range, bytes.
        length_bytes: u32,
    },
    /// Discards a range of the file.
    Trim {
        /// Begin of the range, bytes.
        offset_bytes: u64,
        /// The length of the range, bytes.
        length_bytes: u64,
    },
    /// Calls fsync(2) on it.
    Sync,
    /// Calls fdatasync(2) on it.
    DataSync,
}

/// Reads a log, one [`Record`] at a time. It goes on after a line that is wrong
/// ([`TraceError::can_be_skipped`]), and ends after any other error.
pub struct IologReader<'a> {
    lines: Lines<'a>,
    log: Log,
    broken: bool,
}

/// What is known of a log so far.
#[derive(Debug)]
struct Log {
    version: u8,
    files: Vec<File>,
    by_name: BTreeMap<String, FileId>,
}

#[derive(Debug)]
struct File {
    name: String,
    is_open: bool,
}

/// The format of a log with that first line.
pub(crate) fn version(line: &str) -> Option<Format> {
    match line {
        "fio version 2 iolog" => Some(Format::Iolog2),
        "fio version 3 iolog" => Some(Format::Iolog3),
        _ => None,
    }
}

impl<'a> IologReader<'a> {
    /// Opens a log; `name` is what errors call it.
    ///
    /// # Errors
    /// The first line is not that of version 2 or 3, or cannot be read.
    pub fn new(source: impl BufRead + 'a, name: &str) -> Result<IologReader<'a>, TraceError> {
        let mut lines = Lines::new(Box::new(source) as TraceInput<'a>, name);
        let format = if lines.advance()? { version(&lines.text()) } else { None };
        let version = match format {
            Some(Format::Iolog2) => 2,
            Some(Format::Iolog3) => 3,
            _ => {
                let mistake = Mistake::new(
                    "this is not an I/O log that can be replayed",
                    "\"fio version 2 iolog\" or \"fio version 3 iolog\" in the first line",
                );
                return Err(TraceError { can_be_skipped: false, ..lines.wrong(mistake) });
            }
        };
        let log = Log { version, files: Vec::new(), by_name: BTreeMap::new() };
        Ok(IologReader { lines, log, broken: false })
    }

    /// The version of the log: 2 or 3.
    pub fn version(&self) -> u8 {
        self.log.version
    }

    /// The names of the files added so far, in order of [`FileId`].
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.log.files.iter().map(|file| file.name.as_str())
    }

    fn next_record(&mut self) -> Result<Option<Record>, TraceError> {
        while self.lines.advance()? {
            let text = self.lines.text();
            if text.is_empty() {
                continue;
            }
            return match self.log.parse(&text) {
                Ok((timestamp_us, file, action)) => {
                    Ok(Some(Record { line: self.lines.number(), timestamp_us, file, action }))
                }
                Err(mistake) => Err(self.lines.wrong(mistake)),
            };
        }
        Ok(None)
    }
}

impl Iterator for IologReader<'_> {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Result<Record, TraceError>> {
        if self.broken {
            return None;
        }
        let next = self.next_record().transpose();
        self.broken = matches!(&next, Some(Err(error)) if !error.can_be_skipped);
        next
    }
}

impl Log {
    fn parse(&mut self, text: &str) -> Result<(Option<u64>, FileId, Action), Mistake> {
        let mut words = text.split_ascii_whitespace();
        let timestamp_us = match self.version {
            3 => Some(number_of("the timestamp", words.next())?),
            _ => None,
        };
        let form = "FILE ACTION [OFFSET LENGTH]";
        let (Some(name), Some(action)) = (words.next(), words.next()) else {
            return Err(Mistake::new("the line is too short", form));
        };
        let (first, second) = (words.next(), words.next());
        if let Some(word) = words.next() {
            return Err(Mistake::new(format!("\"{word}\" after the end of the action"), form));
        }
        let file = self.file(name, action)?;
        let action = self.action(file, action, first, second)?;
        Ok((timestamp_us, file, action))
    }

    fn file(&mut self, name: &str, action: &str) -> Result<FileId, Mistake> {
        if let Some(&known) = self.by_name.get(name) {
            return Ok(known);
        }
        // A wait is no business of its file: fio's own logs need not have added it.
        if action != "add" && action != "wait" {
            return Err(Mistake::new(
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
    ) -> Result<Action, Mistake> {
        match action {
            "add" => return Ok(Action::Add),
            "open" | "close" => {
                self.files[file.0 as usize].is_open = action == "open";
                return Ok(if action == "open" { Action::Open } else { Action::Close });
            }
            "wait" if self.version == 2 => {
                return Ok(Action::Wait { us: number_of("the time to wait", first)? });
            }
            "wait" => {
                return Err(Mistake::new(
                    "\"wait\" in a log of version 3",
                    "timestamps alone, or a log of version 2",
                ));
            }
            _ => {}
        }
        if !matches!(action, "read" | "write" | "trim" | "sync" | "datasync") {
            return Err(Mistake::new(format!("unknown action \"{action}\""), ACTIONS));
        }
        let File { name, is_open } = &self.files[file.0 as usize];
        if !is_open {
            return Err(Mistake::new(
                format!("\"{action}\" for the file \"{name}\", which is not open"),
                format!("\"{name} open\" before it"),
            ));
        }
        match action {
            "sync" => return Ok(Action::Sync),
            "datasync" => return Ok(Action::DataSync),
            _ => {}
        }
        let offset_bytes = number_of("the offset", first)?;
        let length_bytes = number_of("the length", second)?;
        if length_bytes == 0 || offset_bytes.checked_add(length_bytes).is_none() {
            return Err(Mistake::new(
                format!("I/O of {length_bytes} bytes at {offset_bytes}"),
                "at least one byte, below 2^64",
            ));
        }
        if action == "trim" {
            return Ok(Action::Trim { offset_bytes, length_bytes });
        }
        let Ok(length_bytes) = u32::try_from(length_bytes) else {
            return Err(Mistake::new(format!("I/O of {length_bytes} bytes"), "less than 4 GiB"));
        };
        Ok(match action {
            "read" => Action::Read { offset_bytes, length_bytes },
            _ => Action::Write { offset_bytes, length_bytes },
        })
    }
}

fn number_of(what: &str, word: Option<&str>) -> Result<u64, Mistake> {
    number(what, word.unwrap_or(""))
}

/// A log as records like those of other formats: of one process. The waits of version 2
/// add up to a clock that stands still during I/O.
pub(crate) struct Records<'a> {
    reader: IologReader<'a>,
    waited_us: u64,
}

impl<'a> Records<'a> {
    pub(crate) fn new(source: TraceInput<'a>, name: &str) -> Result<Records<'a>, TraceError> {
        Ok(Records { reader: IologReader::new(source, name)?, waited_us: 0 })
    }
}

impl Parser for Records<'_> {
    fn place(&self) -> TracePosition {
        TracePosition::Line(self.reader.lines.number())
    }

    fn next(&mut self, names: &mut Names) -> Result<Option<crate::record::Record>, TraceError> {
        while let Some(record) = self.reader.next_record()? {
            let (op, offset_bytes, length_bytes) = match record.action {
                Action::Wait { us } => {
                    self.waited_us = self.waited_us.saturating_add(us);
                    continue;
                }
                Action::Add | Action::Open | Action::Close => continue,
                Action::Read { offset_bytes, length_bytes } => {
                    (Op::Read, offset_bytes, u64::from(length_bytes))
                }
                Action::Write { offset_bytes, length_bytes } => {
                    (Op::Write, offset_bytes, u64::from(length_bytes))
                }
                Action::Trim { offset_bytes, length_bytes } => {
                    (Op::Discard, offset_bytes, length_bytes)
                }
                Action::Sync | Action::DataSync => (Op::Flush, 0, 0),
            };
            let file = &self.reader.log.files[record.file.0 as usize].name;
            return Ok(Some(crate::record::Record {
                time_ns: record.timestamp_us.unwrap_or(self.waited_us).saturating_mul(1000),
                event: RequestEvent::Queued,
                op,
                flags: Flags::PLAIN,
                device: names.device(file),
                process: Some(names.source("fio")),
                offset_bytes,
                length_bytes,
                response_ns: None,
            }));
        }
        Ok(None)
    }
}
