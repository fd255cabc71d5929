// SPDX-License-Identifier: MIT OR Apache-2.0
//! An I/O of a trace.

use std::num::NonZeroU32;

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// When it is issued.
    pub due: Due,
    /// Whether it reads, writes or does something else.
    pub kind: TraceKind,
    /// Whether it is metadata of a file system.
    pub metadata: bool,
    /// Which file, by position in `Trace::files`.
    pub file: u16,
    /// How much, bytes; 0 for syncs.
    pub length_bytes: u32,
    /// Where in the file, bytes; 0 for syncs.
    pub offset_bytes: u64,
}

/// When an I/O of a trace is issued; never before those that come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At once (fio's logs of version 2, between waits).
    AtOnce,
    /// This time (ns) after the submission of the previous I/O of that kind (fio's logs: every one
    /// in version 3, the ones after a wait in version 2).
    Delayed(u64),
    /// This time (ns) after the start of the process.
    At(u64),
    /// A while after the process could go on: after the I/O before it was issued, and the one that
    /// it waits for, if any, has completed.
    Gap {
        /// How long the process waits until then, ns.
        gap_ns: u64,
        /// How many entries back the one it waits for is, if it waits for one.
        waits_for: Option<NonZeroU32>,
    },
}

/// What an I/O of a trace does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Reads the range because a process wants it.
    Read,
    /// Reads ahead of what was asked for.
    ReadAhead,
    /// Writes, and a process waits for it.
    Write,
    /// Writes what was written to memory before; no process waits.
    WriteBack,
    /// Calls fsync(2) on the file.
    Sync,
    /// Calls fdatasync(2) on the file.
    DataSync,
}
