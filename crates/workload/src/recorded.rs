// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace made ready for replay: checked, and packed into 32 bytes an I/O.
//!
//! A trace is read once, when the job file is; so a mistake in it is found before anything runs,
//! and processes that replay the same trace share it. fio's own logs are replayed as fio does
//! ([`iolog`]), everything else, and they too if the job says how, by [`recording`].

mod entries;
mod iolog;
mod recording;

#[cfg(test)]
mod tests;

use std::io::BufRead;

pub use entries::Entries;
pub(crate) use entries::EntryReader;

use crate::error::JobError;
use crate::job::ReplaySettings;

/// A trace, ready for replay.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The files or devices it touches.
    pub files: Vec<TraceFile>,
    /// Whether the files are block devices.
    pub is_of_devices: bool,
    /// Its processes, in order of their first I/O.
    pub processes: Vec<TraceProcess>,
    /// Whether it is known when requests completed. If not, a [`Due::Gap`] is the time since the
    /// previous submission, of which a part was I/O.
    pub knows_completions: bool,
    /// Whether it writes.
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

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// When it is issued.
    pub due: Due,
    /// What it does.
    pub kind: TraceKind,
    /// Whether it is metadata of a file system.
    pub metadata: bool,
    /// Which file, by position in [`Trace::files`].
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
    /// So many ns after the submission of the previous I/O that says so (fio's logs: every one in
    /// version 3, the ones after a wait in version 2).
    Delayed(u64),
    /// So many ns after the start of the process.
    At(u64),
    /// A while after the process could go on: after the I/O before it was issued, and the one that
    /// it waits for, if any, has completed.
    Gap {
        /// The while, ns.
        gap_ns: u64,
        /// How many entries back the one it waits for is; 0: it waits for none.
        waits_for: u32,
    },
}

/// What an I/O of a trace does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Reads the range.
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

impl Trace {
    /// Reads a trace, in any format and compression, to its end.
    ///
    /// `depth` is how many I/Os the job wants under way at once, for traces that don't say it.
    ///
    /// # Errors
    /// The trace has a mistake, has I/O that cannot be replayed and is not left out by `settings`,
    /// or has none at all.
    pub fn read(
        source: impl BufRead,
        name: &str,
        settings: &ReplaySettings,
        depth: u32,
    ) -> Result<Trace, JobError> {
        let (format, source) = trace::identify(source, name, settings.format)?;
        let is_iolog = matches!(format, trace::Format::Iolog2 | trace::Format::Iolog3);
        let trace = match settings.mode {
            None if is_iolog => iolog::read(source, name, settings)?,
            _ => {
                let memory = entries::MOST_IN_MEMORY;
                recording::read(source, name, format, settings, depth, memory)?
            }
        };
        if trace.processes.iter().all(|process| process.entries.is_empty()) {
            return Err(JobError::new(name, 0, "there is no I/O in this log", "at least one I/O"));
        }
        Ok(trace)
    }

    /// Bytes that a file has to have: the end of the I/O furthest into any file.
    pub fn longest_file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length_bytes).max().unwrap_or(0)
    }
}
