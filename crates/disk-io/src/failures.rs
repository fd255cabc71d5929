// SPDX-License-Identifier: MIT OR Apache-2.0
//! Failed requests, told once for each kind and not once for each request.

use crate::engine::{Io, IoError, SubmitError};
use base::Op;
use std::fmt;

/// Requests that failed in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What they were to do.
    pub op: Op,
    /// Whether the target or the engine refused them, and with what error.
    pub reason: Reason,
    /// How many there were.
    pub count: u64,
    /// The first of them.
    pub first: Io,
}

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The target said so.
    Target(IoError),
    /// The engine did not take it.
    Refused(SubmitError),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Target(error) => error.fmt(f),
            Reason::Refused(error) => error.fmt(f),
        }
    }
}

impl Reason {
    /// The same reason, however the figures in it differ.
    fn same_kind(&self, other: &Reason) -> bool {
        match (self, other) {
            (Reason::Target(a), Reason::Target(b)) => a == b,
            (Reason::Refused(a), Reason::Refused(b)) => {
                std::mem::discriminant(a) == std::mem::discriminant(b)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { op, reason, count, first } = self;
        let (one, many) = match op {
            Op::Read => ("a read", "reads"),
            Op::Write => ("a write", "writes"),
            Op::Discard => ("a discard", "discards"),
            Op::Flush => ("a flush", "flushes"),
        };
        match count {
            1 => write!(f, "{one} failed")?,
            _ => write!(f, "{count} {many} failed")?,
        }
        if *op != Op::Flush {
            let Io { offset_bytes, length_bytes, .. } = first;
            let which = if *count == 1 { "" } else { "the first " };
            write!(f, " ({which}at byte {offset_bytes}, {length_bytes} bytes)")?;
        }
        write!(f, ": {reason}")
    }
}

/// The failures of a run, in the order in which each kind came first.
#[derive(Debug, Default)]
pub(crate) struct Failures(Vec<Failure>);

impl Failures {
    pub(crate) fn failed(&mut self, io: Io, error: IoError) {
        self.note(io, Reason::Target(error));
    }

    pub(crate) fn refused(&mut self, io: Io, error: SubmitError) {
        self.note(io, Reason::Refused(error));
    }

    pub(crate) fn into_list(self) -> Vec<Failure> {
        self.0
    }

    fn note(&mut self, io: Io, reason: Reason) {
        let known = self.0.iter_mut().find(|f| f.op == io.op && f.reason.same_kind(&reason));
        match known {
            Some(failure) => failure.count += 1,
            None => self.0.push(Failure { op: io.op, reason, count: 1, first: io }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(op: Op, offset_bytes: u64) -> Io {
        Io { op, offset_bytes, length_bytes: 4096 }
    }

    #[test]
    fn each_kind_of_failure_is_told_once() {
        let misaligned = |offset_bytes| SubmitError::Misaligned {
            offset_bytes,
            length_bytes: 4096,
            block_bytes: 4096,
        };
        let mut failures = Failures::default();
        failures.failed(io(Op::Write, 8192), IoError::NoSpace);
        failures.failed(io(Op::Read, 0), IoError::Medium);
        failures.failed(io(Op::Write, 0), IoError::NoSpace);
        failures.failed(io(Op::Flush, 0), IoError::NoSpace);
        failures.refused(io(Op::Read, 512), misaligned(512));
        failures.refused(io(Op::Read, 1024), misaligned(1024));
        let told: Vec<String> = failures.into_list().iter().map(Failure::to_string).collect();
        assert_eq!(
            told,
            [
                "2 writes failed (the first at byte 8192, 4096 bytes): no space left on the file \
                 system",
                "a read failed (at byte 0, 4096 bytes): the device failed to read or write the \
                 data (I/O error)",
                "a flush failed: no space left on the file system",
                "2 reads failed (the first at byte 512, 4096 bytes): offset 512 and length 4096 \
                 must be multiples of the target's block of 4096 bytes",
            ]
        );
    }
}
