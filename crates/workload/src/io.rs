// SPDX-License-Identifier: MIT OR Apache-2.0
//! An I/O of a process.

/// The number of an I/O within its process: from 0 to 2³¹ - 1, and then from 0 again. No process
/// has so many I/Os in flight, so it is unique among these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u32);

impl Ticket {
    /// The bits of a number: bit 31 marks what is no I/O of a process (`runner::token_parts`).
    const MASK: u32 = (1 << 31) - 1;

    /// The number of the next I/O.
    pub(crate) fn next(self) -> Ticket {
        Ticket(self.0.wrapping_add(1) & Ticket::MASK)
    }

    /// How many I/Os after `first` it is.
    pub(crate) fn since(self, first: Ticket) -> u32 {
        self.0.wrapping_sub(first.0) & Ticket::MASK
    }
}

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoKind {
    /// Reads the region into memory.
    Read,
    /// Writes memory to the region.
    Write,
    /// Lets the target forget what is there.
    Trim,
    /// Makes everything written durable: fsync(2).
    Fsync,
    /// Makes all data written durable: fdatasync(2).
    Fdatasync,
}

/// An I/O of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Names it in `Issuer::completed`.
    pub ticket: Ticket,
    /// Whether it reads, writes, trims or syncs.
    pub kind: IoKind,
    /// Where on the target, bytes; 0 for syncs.
    pub offset_bytes: u64,
    /// How much, bytes; 0 for syncs.
    pub length_bytes: u32,
    /// Whether a process waits for it; true unless a trace says otherwise.
    pub sync: bool,
    /// Whether it reads ahead of what was asked for; false unless a trace says otherwise.
    pub read_ahead: bool,
    /// Whether it is metadata of a file system; false unless a trace says otherwise.
    pub metadata: bool,
}

impl Io {
    /// An I/O that a process waits for, as it does for all unless a trace says otherwise.
    pub fn new(ticket: Ticket, kind: IoKind, offset_bytes: u64, length_bytes: u32) -> Io {
        let (sync, read_ahead, metadata) = (true, false, false);
        Io { ticket, kind, offset_bytes, length_bytes, sync, read_ahead, metadata }
    }
}
