// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a client asks of an export, and what it is answered.

use crate::buffers::Buffer;
use blk::{IoError, ProcessId};

/// A request of a client to an export, with its data if it writes.
#[derive(Debug)]
pub struct DiskRequest {
    /// The client's own name for it; comes back in the answer.
    pub cookie: u64,
    /// Whether it reads, writes, discards or does something else.
    pub operation: Operation,
    /// Where it begins in the export, in bytes.
    pub offset_bytes: u64,
    /// Its length, in bytes; 0 for a flush.
    pub length_bytes: u64,
    /// It is answered when what it changed is durable (FUA).
    pub durable: bool,
}

/// What a request asks of the disk.
#[derive(Debug)]
pub enum Operation {
    /// The data are wanted.
    Read,
    /// Write these data, which are as long as the request.
    Write(Buffer),
    /// Make it read as zeros.
    Zero {
        /// The space may be given back. Where it cannot be, zeros are written one by one.
        may_punch: bool,
        /// Refuse rather than write zeros one by one.
        only_fast: bool,
    },
    /// The data are not needed any more.
    Trim,
    /// Make durable what was answered before.
    Flush,
}

impl Operation {
    /// Whether it changes what is there.
    pub fn changes(&self) -> bool {
        !matches!(self, Operation::Read | Operation::Flush)
    }
}

/// A piece of the data of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// These bytes are written.
    Data(&'a [u8]),
    /// Zeros, by their number.
    Zeros(usize),
}

/// Why a request was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The disk reported an error for the request.
    #[error(transparent)]
    Disk(#[from] IoError),
    /// It reaches beyond the end of the export.
    #[error("beyond the end of the export")]
    BeyondEnd,
    /// Its offset or length is not a multiple of the smallest block, or it has no bytes.
    #[error("not whole blocks")]
    NotWholeBlocks,
    /// The export cannot be written.
    #[error("the export is read-only")]
    ReadOnly,
    /// Zeros would have to be written one by one.
    #[error("zeros cannot be written fast here")]
    NotFast,
}

/// What a client is answered.
#[derive(Debug)]
pub struct Answer {
    /// Whose request it was.
    pub client: ProcessId,
    /// The same as [`DiskRequest::cookie`].
    pub cookie: u64,
    /// The data of a read that went well.
    pub result: Result<Option<Buffer>, Failure>,
    /// What the tenant holds until the answer has been sent.
    pub charge: Charge,
}

/// A request that a tenant holds, and its memory; given back by
/// [`DiskState::release`](super::DiskState::release).
#[derive(Debug)]
#[must_use]
pub struct Charge {
    pub(super) tenant: usize,
    pub(super) bytes: u64,
}
