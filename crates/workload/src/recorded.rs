// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace made ready for replay: checked, and packed into 32 bytes an I/O.
//!
//! A trace is read once, when the job file is; so a mistake in it is found before anything runs,
//! and processes that replay the same trace share it. fio's own logs are replayed as fio does
//! ([`iolog`]), everything else, and they too if the job says how, by [`recording`].

mod entries;
mod entry;
mod iolog;
mod recording;
mod scratch_file;
mod settings;
mod trace;

#[cfg(test)]
mod tests;

use std::io::BufRead;

pub use entries::Entries;
pub(crate) use entries::EntryReader;
pub use entry::{Due, TraceEntry, TraceKind};
pub use recording::remarks as remarks_on_replay;
pub use settings::{ReplayMode, ReplaySettings};
pub use trace::{TakeOver, Trace, TraceFile, TraceProcess};

use crate::error::JobError;

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
        let (format, source) = ::trace::identify(source, name, settings.format)?;
        let is_iolog = matches!(format, ::trace::Format::Iolog2 | ::trace::Format::Iolog3);
        let trace = match settings.mode {
            None if is_iolog => iolog::read(source, name, settings)?,
            _ => {
                let memory = entries::MOST_IN_MEMORY;
                recording::read(source, name, format, settings, depth, memory)?
            }
        };
        if trace.processes.iter().all(|process| process.entries.is_empty()) {
            let what = match trace.remarks.as_slice() {
                [] => "there is no I/O in this log".to_owned(),
                remarks => format!("nothing of this log can be replayed ({})", remarks.join("; ")),
            };
            return Err(JobError::new(name, 0, what, "at least one I/O"));
        }
        Ok(trace)
    }
}
