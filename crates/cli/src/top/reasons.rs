// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why: the decisions of the schedulers of this project's module, for each interval.
//!
//! A recording of its own is begun for each interval, so that its beginning says who is there. One
//! reader at a time may have it: while `bfq explain --kernel` does, there are no reasons.

use explain::{Activity, RecordedRun};
use host::{Decisions, DecisionsError, Progress};
use live::DiskFigures;
use std::path::{Path, PathBuf};

/// The most that is read of an interval; what comes then is not looked at. While sense is made of
/// it, the kernel's events have to wait in its buffers.
const MOST_BYTES: usize = 1 << 20;

/// Programs of which it is told why they waited, at most.
const MOST_PROGRAMS: usize = 8;

/// The decisions of all disks that are watched.
#[derive(Debug)]
pub struct Reasons {
    sys: PathBuf,
    streams: Vec<Stream>,
}

/// The decisions of a disk since an interval began.
#[derive(Debug)]
struct Stream {
    disk: String,
    /// Or why there are none.
    opened: Result<Decisions, DecisionsError>,
    bytes: Vec<u8>,
}

impl Stream {
    fn begin(sys: &Path, disk: &str) -> Self {
        let opened = Decisions::open(sys, disk);
        Stream { disk: disk.to_owned(), opened, bytes: Vec::new() }
    }

    fn read(&mut self) -> Result<(), DecisionsError> {
        let Ok(decisions) = &mut self.opened else { return Ok(()) };
        while self.bytes.len() < MOST_BYTES
            && decisions.read_some(&mut self.bytes)? == Progress::Read
        {}
        Ok(())
    }

    /// What was decided, or why that is not known.
    fn end(self) -> Result<Activity, String> {
        self.opened.map_err(|error| error.to_string())?;
        let run = RecordedRun::read(self.bytes);
        let run = run.map_err(|error| format!("{}: {error}", self.disk))?;
        Ok(run.activity(MOST_PROGRAMS, env!("CARGO_PKG_VERSION")))
    }
}

impl Reasons {
    /// Begins to look at disks; `sys` is where sysfs is mounted.
    pub fn of<'a>(sys: &Path, disks: impl Iterator<Item = &'a str>) -> Self {
        let streams = disks.map(|disk| Stream::begin(sys, disk)).collect();
        Reasons { sys: sys.to_owned(), streams }
    }

    /// Takes what was decided up to now.
    pub fn poll(&mut self) {
        for stream in &mut self.streams {
            if let Err(error) = stream.read() {
                stream.opened = Err(error);
            }
        }
    }

    /// Says of a disk what was decided in an interval, which ends.
    pub fn add_to(&mut self, disk: &mut DiskFigures) {
        let Some(place) = self.streams.iter().position(|stream| stream.disk == disk.name) else {
            return;
        };
        // Closed before it is opened again: it has one reader at a time.
        match self.streams.swap_remove(place).end() {
            Ok(activity) => disk.activity = Some(activity),
            Err(why) => disk.no_reasons = Some(why),
        }
        self.streams.push(Stream::begin(&self.sys, &disk.name));
    }
}

#[cfg(test)]
#[path = "reasons_tests.rs"]
mod tests;
