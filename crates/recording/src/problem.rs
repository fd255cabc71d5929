// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with the bytes of a recording.

use crate::format::{VERSION, VERSION_WITHOUT_POLICY};
use core::fmt;

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The bytes begin otherwise.
    NoRecording,
    /// The recording is of another version.
    Version(u8),
    /// The bytes end within a record, as if they were cut there.
    Cut,
    /// No record has this number.
    UnknownRecord(u8),
    /// The record ends within one of its fields.
    TooShort,
    /// The bytes that the record has beyond its fields.
    TooLong(usize),
    /// A field has a value that it cannot have.
    Value(&'static str),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoRecording => f.write_str("this is no recording; one begins with `bfqrec`"),
            Problem::Version(version) => {
                write!(
                    f,
                    "a recording of version {version}; expected version {VERSION_WITHOUT_POLICY} \
                     or {VERSION}"
                )
            }
            Problem::Cut => f.write_str("the recording ends within a record"),
            Problem::UnknownRecord(number) => write!(f, "no kind of record has number {number}"),
            Problem::TooShort => f.write_str("the record is too short for its fields"),
            Problem::TooLong(left) => write!(f, "{left} bytes too many in a record"),
            Problem::Value(what) => f.write_str(what),
        }
    }
}
