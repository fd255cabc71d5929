// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens, as a trace in blkparse's format.

use crate::error::TopError;
use base::SECTOR_BYTES;
use live::{BlockEvent, BlockEventKind, DeviceId, Owner};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use trace::{Format, Names, Record, Writer};

/// A trace that is being written.
pub struct Recording {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    names: Names,
    records: u64,
    lost_events: u64,
}

/// A trace that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The file that has it.
    pub path: PathBuf,
    /// The number of events that it has.
    pub records: u64,
    /// The number of events that it lacks, as the kernel had no room for them.
    pub lost_events: u64,
}

impl Recording {
    /// Begins a trace.
    ///
    /// # Errors
    /// [`TopError::Recording`] if the file cannot be made.
    pub fn begin(path: &Path) -> Result<Self, TopError> {
        let file = File::create(path).map_err(|source| unwritable(path, source))?;
        let writer = Writer::new(BufWriter::new(file), Format::Blkparse, Format::Blktrace);
        let writer = writer.expect("it is a format that is written");
        let (names, path) = (Names::default(), path.to_owned());
        Ok(Recording { path, writer, names, records: 0, lost_events: 0 })
    }

    /// Adds an event at a disk. What is issued is left out: whoever runs then has nothing to do
    /// with it, and a replay issues by itself.
    ///
    /// # Errors
    /// [`TopError::Recording`] if the file cannot be written.
    pub fn add(
        &mut self,
        event: &BlockEvent,
        disk: DeviceId,
        who: Option<&Owner>,
    ) -> Result<(), TopError> {
        let kind = match event.kind {
            BlockEventKind::Queued => trace::RequestEvent::Queued,
            BlockEventKind::Completed => trace::RequestEvent::Completed,
            BlockEventKind::Issued | BlockEventKind::Requeued => return Ok(()),
        };
        let record = Record {
            time_ns: event.time_ns,
            event: kind,
            op: event.op,
            flags: event.flags,
            device: self.names.device(&format!("{},{}", disk.major(), disk.minor())),
            process: who.map(|who| self.names.process(who.process, &who.name)),
            offset_bytes: if event.sectors == 0 { 0 } else { event.sector * SECTOR_BYTES },
            length_bytes: u64::from(event.sectors) * SECTOR_BYTES,
            response_ns: None,
        };
        self.records += 1;
        let written = self.writer.write(&record, &self.names);
        written.map_err(|source| unwritable(&self.path, source))
    }

    /// The number of events for which the kernel had no room.
    pub fn lost(&mut self, events: u64) {
        self.lost_events = self.lost_events.saturating_add(events);
    }

    /// Ends the trace, and says whether it is whole.
    ///
    /// # Errors
    /// [`TopError::Recording`] if the file cannot be written.
    pub fn end(self) -> Result<Recorded, TopError> {
        let Recording { path, writer, names, records, lost_events } = self;
        match writer.finish(&names) {
            Ok(_) => Ok(Recorded { path, records, lost_events }),
            Err(source) => Err(TopError::Recording { path, source }),
        }
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Recorded {
    /// That the trace lacks events or has none, if so, for people.
    pub fn complaint(&self) -> Option<String> {
        let path = self.path.display();
        match (self.lost_events, self.records) {
            (0, 0) => Some(format!("{path}: nothing was recorded, as there was no I/O")),
            (0, _) => None,
            (lost, _) => Some(format!(
                "{path}: {lost} events were lost, so I/O of that time is missing in it"
            )),
        }
    }
}

fn unwritable(path: &Path, source: io::Error) -> TopError {
    TopError::Recording { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_lacks_events_is_told() {
        let of = |records, lost_events| {
            Recorded { path: PathBuf::from("x.trace"), records, lost_events }.complaint()
        };
        let told = of(3, 7).unwrap();
        assert!(told.starts_with("x.trace: 7 events were lost"), "{told}");
        assert_eq!(of(3, 0), None);
        let told = of(0, 0).unwrap();
        assert!(told.starts_with("x.trace: nothing was recorded"), "{told}");
    }

    #[test]
    fn an_empty_trace_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let recorded = Recording::begin(&folder.path().join("x.trace")).unwrap().end().unwrap();
        assert!(recorded.complaint().is_some());
    }
}
