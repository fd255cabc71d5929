//! An I/O log made ready for replay: checked, and packed into 32 bytes an I/O.
//!
//! The log is read line by line once, when the job file is; so a mistake in it is found before
//! anything runs, and processes that replay the same log share it.

use std::io::BufRead;

use crate::error::JobError;
use crate::iolog::{Action, Reader};
use crate::job::ReplaySettings;

/// Waits shorter than this are left out, µs, as fio's documentation says.
const LEAST_WAIT_US: u64 = 100;

/// An I/O log, ready for replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The files it touches.
    pub files: Vec<TraceFile>,
    /// Its I/Os in order.
    pub entries: Vec<TraceEntry>,
}

/// A file of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// Its name in the log.
    pub name: String,
    /// The end of the I/O furthest into it, bytes.
    pub length_bytes: u64,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// Time to let pass before it, µs: since the submission of the previous I/O (version 3), or
    /// since the end of the previous wait (version 2). None: it follows at once.
    pub delay_us: Option<u64>,
    /// What it does.
    pub kind: TraceKind,
    /// Which file, by position in [`Trace::files`].
    pub file: u16,
    /// How much, bytes; 0 for syncs.
    pub length_bytes: u32,
    /// Where in the file, bytes; 0 for syncs.
    pub offset_bytes: u64,
}

/// What an I/O of a trace does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// fsync(2)
    Sync,
    /// fdatasync(2)
    DataSync,
}

impl Trace {
    /// Reads a log to its end.
    ///
    /// # Errors
    /// The log has a mistake (see [`Reader`]), has a trim that `settings` does not leave out, has
    /// I/O that does not consist of whole sectors, or has no I/O at all.
    pub fn read(
        source: impl BufRead,
        name: &str,
        settings: &ReplaySettings,
    ) -> Result<Trace, JobError> {
        let mut reader = Reader::new(source, name)?;
        let mut builder = Builder::default();
        for record in reader.by_ref() {
            let record = record?;
            builder.time(record.timestamp_us, record.action);
            let Some((kind, offset_bytes, length_bytes)) =
                io(record.action, settings).map_err(|expected| {
                    JobError::new(name, record.line, "trim is not supported", expected)
                })?
            else {
                continue;
            };
            let Ok(file) = u16::try_from(record.file.0) else {
                return Err(JobError::new(name, record.line, "too many files", "at most 65536"));
            };
            if offset_bytes % 512 != 0 || length_bytes % 512 != 0 {
                let what = format!("I/O of {length_bytes} bytes at {offset_bytes}");
                return Err(JobError::new(name, record.line, what, "multiples of 512 bytes"));
            }
            builder.push(kind, file, offset_bytes, length_bytes);
        }
        if builder.entries.is_empty() {
            return Err(JobError::new(name, 0, "there is no I/O in this log", "at least one I/O"));
        }
        builder.ends.resize(reader.files().count(), 0);
        let files = reader
            .files()
            .zip(&builder.ends)
            .map(|(name, &length_bytes)| TraceFile { name: name.to_string(), length_bytes })
            .collect();
        Ok(Trace { files, entries: builder.entries })
    }

    /// Bytes that a file has to have: the end of the I/O furthest into any file.
    pub fn longest_file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length_bytes).max().unwrap_or(0)
    }
}

/// The I/O of an action, if it is one that is to be replayed.
fn io(
    action: Action,
    settings: &ReplaySettings,
) -> Result<Option<(TraceKind, u64, u32)>, &'static str> {
    Ok(match action {
        Action::Read { offset_bytes, length_bytes } if !settings.skip_reads => {
            Some((TraceKind::Read, offset_bytes, length_bytes))
        }
        Action::Write { offset_bytes, length_bytes } if !settings.skip_writes => {
            Some((TraceKind::Write, offset_bytes, length_bytes))
        }
        Action::Sync if !settings.skip_syncs => Some((TraceKind::Sync, 0, 0)),
        Action::DataSync if !settings.skip_syncs => Some((TraceKind::DataSync, 0, 0)),
        Action::Trim { .. } if !settings.skip_trims => {
            return Err("read, write, sync or datasync (or replay_skip=trim in the job file)");
        }
        _ => None,
    })
}

#[derive(Default)]
struct Builder {
    entries: Vec<TraceEntry>,
    /// The end of the I/O furthest into each file, bytes.
    ends: Vec<u64>,
    previous_us: u64,
    delay_us: Option<u64>,
}

impl Builder {
    /// Takes note of the time that an action brings with it.
    fn time(&mut self, timestamp_us: Option<u64>, action: Action) {
        if let Some(at_us) = timestamp_us {
            // Only I/O counts: that a file is opened takes no time here.
            self.delay_us = Some(at_us.saturating_sub(self.previous_us));
        } else if let Action::Wait { us } = action
            && us >= LEAST_WAIT_US
        {
            self.delay_us = Some(self.delay_us.unwrap_or(0).saturating_add(us));
        }
    }

    fn push(&mut self, kind: TraceKind, file: u16, offset_bytes: u64, length_bytes: u32) {
        let delay_us = self.delay_us.take();
        self.previous_us = self.previous_us.saturating_add(delay_us.unwrap_or(0));
        let end = &mut self.ends;
        if end.len() <= usize::from(file) {
            end.resize(usize::from(file) + 1, 0);
        }
        let end = &mut end[usize::from(file)];
        *end = (*end).max(offset_bytes + u64::from(length_bytes));
        self.entries.push(TraceEntry { delay_us, kind, file, length_bytes, offset_bytes });
    }
}
