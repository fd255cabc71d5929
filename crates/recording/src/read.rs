// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a recording: its records in order, up to the first that cannot be read.

use crate::{
    field::Body,
    format::{MAGIC, VERSION, VERSION_WITHOUT_POLICY},
    problem::Problem,
    record::Record,
};
use bfq::Time;
use core::fmt;

/// A record of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// Where it stands, in bytes from the beginning of the recording.
    pub offset: usize,
    /// When it was written: the time of the call that it belongs to.
    pub at: Time,
    /// The record that stands there: a call, an answer, a decision or another one.
    pub record: Record,
}

/// Bytes that are no recording, or not all of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where the record stands that cannot be read, in bytes from the beginning.
    pub offset: usize,
    /// Why it cannot be read.
    pub problem: Problem,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.problem)
    }
}

impl core::error::Error for ReadError {}

/// Whether these are the first bytes of a recording, if not of one that can be read.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Goes through the records of a recording in order. It ends behind the last one, or with an error.
#[derive(Clone, Debug)]
pub struct RecordingReader<'a> {
    bytes: &'a [u8],
    offset: usize,
    now_ns: u64,
    version: u8,
    failed: bool,
}

impl<'a> RecordingReader<'a> {
    /// Of a whole recording, or as much of it as there is.
    ///
    /// # Errors
    /// If these are the bytes of something else.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let failed = |problem| ReadError { offset: 0, problem };
        let rest = bytes.strip_prefix(&MAGIC).ok_or(failed(Problem::NoRecording))?;
        match rest.first() {
            None => Err(failed(Problem::Cut)),
            Some(&version @ (VERSION_WITHOUT_POLICY | VERSION)) => Ok(RecordingReader {
                bytes,
                offset: MAGIC.len() + 1,
                now_ns: 0,
                version,
                failed: false,
            }),
            Some(&version) => Err(failed(Problem::Version(version))),
        }
    }

    /// The next record, and where the one after it begins.
    fn read(&self) -> Result<(Timed, usize), Problem> {
        let rest = self.bytes.get(self.offset..).unwrap_or(&[]);
        let (&len, rest) = rest.split_first().ok_or(Problem::Cut)?;
        let bytes = rest.get(..usize::from(len)).ok_or(Problem::Cut)?;
        let mut body = Body::new(bytes, self.version);
        let at_ns = body.time_after(self.now_ns)?;
        body.now_ns = at_ns;
        let number = body.byte()?;
        let record = Record::read(number, &mut body)?;
        match body.left() {
            0 => {
                let timed = Timed { offset: self.offset, at: Time::from_ns(at_ns), record };
                Ok((timed, self.offset + 1 + usize::from(len)))
            }
            left => Err(Problem::TooLong(left)),
        }
    }
}

impl Iterator for RecordingReader<'_> {
    type Item = Result<Timed, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.offset == self.bytes.len() {
            return None;
        }
        Some(match self.read() {
            Ok((timed, next)) => {
                (self.offset, self.now_ns) = (next, timed.at.as_ns());
                Ok(timed)
            }
            Err(problem) => {
                self.failed = true;
                Err(ReadError { offset: self.offset, problem })
            }
        })
    }
}
