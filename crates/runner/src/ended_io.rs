// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of an I/O, as the block layer or the page cache tells it to the process.

use crate::token::token_parts;
use base::{Op, SECTOR_BYTES};
use blk::{Done, IoError};
use report::{Direction, Sample};
use workload::{IoKind, Ticket};

/// An I/O that has ended, as its process learns of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedIo {
    pub(crate) ticket: Ticket,
    pub(crate) kind: IoKind,
    /// Success, or an errno.
    pub(crate) result: Result<(), i32>,
    /// What is recorded of it. The direction in it means nothing, as it follows from the kind.
    pub(crate) sample: Sample,
}

impl EndedIo {
    /// The I/O that is a bio, and was created as it was submitted.
    #[inline(always)]
    pub(crate) fn of_bio(done: &Done) -> EndedIo {
        let (_, ticket) = token_parts(done.token);
        let kind = match done.op {
            Op::Read => IoKind::Read,
            Op::Write => IoKind::Write,
            Op::Discard => IoKind::Trim,
            // An fdatasync ends as an fsync does.
            Op::Flush => IoKind::Fsync,
        };
        let sample = Sample {
            direction: Direction::Read,
            bytes: u64::from(done.sectors) * SECTOR_BYTES,
            created_ns: done.submitted_ns,
            accepted_ns: done.queued_ns,
        };
        EndedIo {
            ticket: Ticket(ticket),
            kind,
            result: done.result.map_err(IoError::errno),
            sample,
        }
    }
}
