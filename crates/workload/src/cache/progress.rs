// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the cache tells its host: what an operation does now, and who can go on.

/// An operation under way: an I/O of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub(super) u32);

/// A transfer between cache and device; the number is used again after it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferId(pub u32);

/// What a transfer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferKind {
    /// Pages are read from the target into the cache.
    Read,
    /// Dirty pages are written.
    Write,
    /// The device makes durable what was written.
    Flush,
}

/// A transfer between cache and device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Names it in `PageCache::ended`.
    pub id: TransferId,
    /// Whether it reads pages, writes them or flushes the device.
    pub kind: TransferKind,
    /// Where on the target, bytes, a multiple of 512; 0 for a flush.
    pub offset_bytes: u64,
    /// How much, bytes, a multiple of 512; 0 for a flush.
    pub length_bytes: u64,
    /// Whether a process waits for it: reads and the writes of a sync, not those of the flusher.
    pub sync: bool,
    /// Whether it is part of a window of read-ahead, including the pages of it that are wanted now.
    pub read_ahead: bool,
}

/// What an operation, or the flusher, does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It submits this, and is to be asked again.
    Transfer(Transfer),
    /// It does nothing until then.
    Sleep {
        /// When to ask again, ns.
        until_ns: u64,
    },
    /// It waits: ask again when `PageCache::take_woken` says so.
    Wait,
    /// It has ended, with an errno if it failed. Not said of the flusher.
    Done(Result<(), i32>),
}

/// Who can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// An operation of this process.
    Process(u32, OperationId),
    /// The flusher is woken.
    Flusher,
}
