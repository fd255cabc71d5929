// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--record`: what happens, as a trace in blkparse's format.

use crate::failure::Failure;
use crate::note::note;
use crate::streams::unwritable;
use base::SECTOR_BYTES;
use live::{DeviceId, Event, Kind, Owner};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use trace::{Format, Names, Record, Writer};

/// A trace that is being written.
pub struct Recording {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    names: Names,
    lost_events: u64,
}

impl Recording {
    /// Begins a trace.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn begin(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| unwritable(&named(path), error))?;
        let writer = Writer::new(BufWriter::new(file), Format::Blkparse, Format::Blktrace);
        let writer = writer.expect("it is a format that is written");
        Ok(Recording { path: path.to_owned(), writer, names: Names::default(), lost_events: 0 })
    }

    /// Adds an event at a disk. What is issued is left out: whoever runs then has nothing to do
    /// with it, and a replay issues by itself.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(
        &mut self,
        event: &Event,
        disk: DeviceId,
        who: Option<&Owner>,
    ) -> Result<(), Failure> {
        let kind = match event.kind {
            Kind::Queued => trace::Event::Queued,
            Kind::Completed => trace::Event::Completed,
            Kind::Issued | Kind::Requeued => return Ok(()),
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
        let written = self.writer.write(&record, &self.names);
        written.map_err(|error| unwritable(&named(&self.path), error))
    }

    /// The number of events for which the kernel had no room.
    pub fn lost(&mut self, events: u64) {
        self.lost_events = self.lost_events.saturating_add(events);
    }

    /// Ends the trace, and says if it is not whole.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(self) -> Result<(), Failure> {
        let written = self.writer.finish(&self.names);
        written.map(drop).map_err(|error| unwritable(&named(&self.path), error))?;
        if let Some(text) = incomplete(&self.path, self.lost_events) {
            note(&text);
        }
        Ok(())
    }
}

/// That a trace lacks events, if it does.
fn incomplete(path: &Path, lost_events: u64) -> Option<String> {
    let path = named(path);
    (lost_events > 0).then(|| {
        format!("{path}: {lost_events} events were lost, so I/O of that time is missing in it")
    })
}

fn named(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_lacks_events_is_told() {
        let told = incomplete(Path::new("x.trace"), 7).unwrap();
        assert!(told.starts_with("x.trace: 7 events were lost"), "{told}");
        assert_eq!(incomplete(Path::new("x.trace"), 0), None);
    }
}
