// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a trace, and where.

use base::text::printable;
use std::fmt;

/// One mistake: where it stands, what it is, and what was expected instead.
///
/// Displayed as one line, `FILE:LINE: WHAT; expected EXPECTED`, or `FILE: at byte N: …` where a
/// format has no lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TraceError {
    /// The file, as the caller named it.
    pub file: String,
    /// Where in the file.
    pub place: TracePosition,
    /// What is wrong with the record, for people to read.
    pub what: String,
    /// What would have been right there.
    pub expected: String,
    /// Whether reading can go on behind it: one record is wrong, not the file.
    pub can_be_skipped: bool,
}

/// Where in a file a mistake stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracePosition {
    /// The file as a whole.
    File,
    /// A line, from 1.
    Line(u64),
    /// A byte, from 0; of what is compressed, after decompression.
    Byte(u64),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            TracePosition::File => write!(f, "{}: ", self.file)?,
            TracePosition::Line(line) => write!(f, "{}:{line}: ", self.file)?,
            TracePosition::Byte(byte) => write!(f, "{}: at byte {byte}: ", self.file)?,
        }
        write!(f, "{}; expected {}", self.what, self.expected)
    }
}

/// What is wrong with a record, for the reader to say where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) what: String,
    pub(crate) expected: String,
}

impl Mistake {
    pub(crate) fn new(what: impl Into<String>, expected: impl Into<String>) -> Mistake {
        // It quotes what is in the file, and may reach a terminal.
        let what = printable(&what.into());
        Mistake { what, expected: expected.into() }
    }

    pub(crate) fn at(self, file: &str, place: TracePosition) -> TraceError {
        let Mistake { what, expected } = self;
        TraceError { file: file.to_owned(), place, what, expected, can_be_skipped: true }
    }
}
