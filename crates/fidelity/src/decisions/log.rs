// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decision logs: `t_ns,event,queue,…`, one line an event or decision.

use base::Operation;
use std::{
    fs::File,
    io::{BufRead, Read},
    path::{Path, PathBuf},
};

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Its number, from 1.
    pub number: usize,
    /// Time since the kernel started.
    pub t_ns: u64,
    /// The event or decision.
    pub event: String,
    /// The queue (or process, see the logs' description).
    pub queue: String,
    /// The further fields of the line.
    pub fields: Vec<String>,
}

impl LogLine {
    /// The line without its time, as it stands in the log.
    pub fn text(&self) -> String {
        let mut text = format!("{},{}", self.event, self.queue);
        for field in &self.fields {
            text.push(',');
            text.push_str(field);
        }
        text
    }

    /// What the request of such a line does: its operation, whether a process waits for it, its
    /// first sector and how many there are. None if the line has no request.
    pub fn request(&self) -> Option<(Operation, bool, u64, u32)> {
        let [operation, sector, sectors] = self.fields.as_slice() else { return None };
        let (operation, sync) = match operation.as_str() {
            // Reads are sync to the scheduler, whether a process waits for them or not.
            "RS" | "R" => (Operation::Read, true),
            "WS" => (Operation::Write, true),
            "W" => (Operation::Write, false),
            _ => return None,
        };
        Some((operation, sync, sector.parse().ok()?, sectors.parse().ok()?))
    }

    /// Whether this is something the host did (and not a decision).
    pub fn is_event(&self) -> bool {
        matches!(
            self.event.as_str(),
            "allocate" | "insert" | "dispatch_attempt" | "complete" | "exit" | "issue"
        ) || self.is_change()
    }

    /// Whether the host changed something in mid-run, or did what only traces show.
    pub(crate) fn is_change(&self) -> bool {
        matches!(
            self.event.as_str(),
            "ask" | "tunable" | "weight" | "moved" | "offline" | "requeue" | "insert_at_head"
        )
    }
}

/// A log that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The error that the system gave.
        source: std::io::Error,
    },
    /// There is nothing in the file.
    #[error("{path}: the file is empty; expected a recording, or a log of decisions")]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
    /// A line is malformed.
    #[error("{path}:{line}: expected `t_ns,event,queue,…`, found `{found}`")]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The line as it stands in the file.
        found: String,
    },
    /// A line of a trace is not understood.
    #[error("{path}:{line}: neither a step of a request nor a message that is known: `{found}`")]
    UnknownMessage {
        /// Path of the file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The line as it stands in the file.
        found: String,
    },
}

/// Reads a file; one whose name ends in `.gz` is decompressed.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, LogError> {
    let failed = |source| LogError::Read { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let read = if path.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::GzDecoder::new(file).read_to_end(&mut bytes)
    } else {
        file.read_to_end(&mut bytes)
    };
    read.map_err(failed)?;
    Ok(bytes)
}

/// Reads a log; one whose name ends in `.gz` is decompressed.
///
/// # Errors
/// [`LogError`].
pub fn read_log(path: &Path) -> Result<Vec<LogLine>, LogError> {
    lines(path, &read_file(path)?)
}

/// The lines of the log with this content.
pub(crate) fn lines(path: &Path, bytes: &[u8]) -> Result<Vec<LogLine>, LogError> {
    let failed = |source| LogError::Read { path: path.to_owned(), source };
    let mut lines = Vec::new();
    for (at, text) in bytes.lines().enumerate() {
        let text = text.map_err(failed)?;
        let number = at + 1;
        if number == 1 && text.starts_with("t_ns") || text.is_empty() {
            continue;
        }
        let line = parse(number, &text);
        lines.push(line.ok_or_else(|| LogError::Malformed {
            path: path.to_owned(),
            line: number,
            found: text.clone(),
        })?);
    }
    Ok(lines)
}

/// How −1 looks when it is printed unsigned.
const UNNUMBERED: &str = "18446744073709551615";

/// The name of a queue that is called by the number of its process. One without a process prints as
/// −1; it is a shared one.
pub(crate) fn queue_name(number: &str) -> String {
    let unnumbered = number == "-1" || number == UNNUMBERED;
    if unnumbered { "shared" } else { number }.to_owned()
}

fn parse(number: usize, text: &str) -> Option<LogLine> {
    let mut fields = text.split(',').map(str::to_owned);
    let t_ns = fields.next()?.parse().ok()?;
    let event = fields.next()?;
    let queue = fields.next()?;
    let name = |field: String| queue_name(&field);
    Some(LogLine { number, t_ns, event, queue: name(queue), fields: fields.map(name).collect() })
}
