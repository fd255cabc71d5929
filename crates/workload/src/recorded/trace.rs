// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace, ready for replay.

use super::entries::Entries;

/// A trace, ready for replay.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The files or devices it touches.
    pub files: Vec<TraceFile>,
    /// Whether the files are block devices.
    pub is_of_devices: bool,
    /// Its processes, in order of their first I/O.
    pub processes: Vec<TraceProcess>,
    /// Whether it is known when requests completed. If not, a `Due::Gap` is the time since the
    /// previous submission, of which a part was I/O.
    pub knows_completions: bool,
    /// Whether any of its I/Os writes, so that a replay changes the target.
    pub writes: bool,
    /// Whether the trace itself says how much is under way at once. If not, the
    /// job does (`iodepth`).
    pub knows_depth: bool,
    /// What was left out or changed, for the user.
    pub remarks: Vec<String>,
}

/// A file of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// Its name in the trace; devices lie under `/dev/`.
    pub name: String,
    /// The end of the I/O furthest into it, bytes.
    pub length_bytes: u64,
}

/// A process of a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceProcess {
    /// What it was called; may be empty.
    pub name: String,
    /// Its number; none where something else stands for a process.
    pub pid: Option<u32>,
    /// How many of its I/Os read or write.
    pub reads_and_writes: u64,
    /// Its I/Os in order.
    pub entries: Entries,
    /// Entries at which it follows another process, in order.
    pub take_overs: Vec<TakeOver>,
}

/// A process goes on when another one has come so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakeOver {
    /// The entry that waits, by position in [`TraceProcess::entries`].
    pub entry: usize,
    /// The other process, by position in [`Trace::processes`].
    pub process: u32,
    /// How many I/Os it has completed by then.
    pub completed_ios: u64,
}

impl Trace {
    /// Bytes that a file has to have: the end of the I/O furthest into any file.
    pub fn longest_file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length_bytes).max().unwrap_or(0)
    }
}
