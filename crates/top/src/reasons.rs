// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why: the decisions of the schedulers of this project's module, for each interval.
//!
//! A recording of its own is begun for each interval, so that its beginning says who is there. It
//! ends when there is enough of it: of a fast disk that is long before the interval does, and what
//! is not read need not be written. One reader at a time may have it: while `bfq explain --kernel`
//! does, there are no reasons.

use explain::{Activity, RecordedRun};
use host::{Decisions, DecisionsError, Progress};
use live::Snapshot;
use std::path::{Path, PathBuf};

/// The most that is read of an interval; what comes then is not looked at.
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
    /// Open until enough was read, or why there are none.
    opened: Result<Option<Decisions>, DecisionsError>,
    bytes: Vec<u8>,
}

/// What was decided at a disk in an interval that is over: bytes, of which sense is not made yet.
#[derive(Debug)]
pub struct Interval {
    disk: String,
    read: Result<Vec<u8>, DecisionsError>,
}

/// What was decided at a disk, or why that is not known.
#[derive(Debug)]
pub struct Told {
    disk: String,
    activity: Result<Activity, String>,
}

impl Stream {
    fn begin(sys: &Path, disk: &str) -> Self {
        let opened = Decisions::open(sys, disk).map(Some);
        Stream { disk: disk.to_owned(), opened, bytes: Vec::new() }
    }

    fn read(&mut self) -> Result<(), DecisionsError> {
        let Ok(Some(decisions)) = &mut self.opened else { return Ok(()) };
        while self.bytes.len() < MOST_BYTES {
            if decisions.read_some(&mut self.bytes)? != Progress::Read {
                return Ok(());
            }
        }
        self.opened = Ok(None);
        Ok(())
    }

    fn end(self) -> Interval {
        let Stream { disk, opened, bytes } = self;
        Interval { disk, read: opened.map(|_closed| bytes) }
    }
}

impl Interval {
    /// Makes sense of it, which may take a good part of a second.
    pub fn tell(self) -> Told {
        let Interval { disk, read } = self;
        let run = read
            .map_err(|error| error.to_string())
            .and_then(|bytes| RecordedRun::read(bytes).map_err(|error| format!("{disk}: {error}")));
        let activity = run.map(|run| run.activity(MOST_PROGRAMS, env!("CARGO_PKG_VERSION")));
        Told { disk, activity }
    }
}

impl Told {
    /// Adds it to what is told of the disk.
    pub fn add_to(self, snapshot: &mut Snapshot) {
        let mut disks = snapshot.disks.iter_mut();
        let Some(disk) = disks.find(|disk| disk.name == self.disk) else { return };
        match self.activity {
            Ok(activity) => disk.activity = Some(activity),
            Err(why) => disk.no_reasons = Some(why),
        }
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

    /// Ends an interval, and begins the next.
    pub fn end_interval(&mut self) -> Vec<Interval> {
        // Closed before it is opened again: it has one reader at a time.
        let ended: Vec<_> = self.streams.drain(..).map(Stream::end).collect();
        let disks = ended.iter().map(|interval| interval.disk.as_str());
        self.streams = disks.map(|disk| Stream::begin(&self.sys, disk)).collect();
        ended
    }
}

#[cfg(test)]
#[path = "reasons_tests.rs"]
mod tests;
