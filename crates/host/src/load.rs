// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a disk is doing: its counters, and the load between two readings of them.

use super::disk::Disk;
use super::error::HostError;
use super::files::read_line;
use base::text::decimal_size;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// The counters of a disk, as the kernel's Documentation/block/stat.rst tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCounters {
    /// Number of reads completed.
    pub reads: u64,
    /// Number of bytes read.
    pub read_bytes: u64,
    /// Number of writes completed.
    pub writes: u64,
    /// Number of bytes written.
    pub written_bytes: u64,
    /// Time in which there was any I/O, in ms.
    pub busy_ms: u64,
}

impl DiskCounters {
    /// Reads those of a disk, its companions not counted.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn of(disk: &Disk) -> Result<Self, HostError> {
        DiskCounters::read(&disk.queue.with_file_name("stat"))
    }

    fn read(path: &Path) -> Result<Self, HostError> {
        let text = read_line(path)?;
        let fields: Vec<u64> = text.split_whitespace().flat_map(str::parse).collect();
        let &[reads, _, read, _, writes, _, written, _, _, busy_ms, ..] = &fields[..] else {
            let path = path.to_owned();
            let expected = "the counters of a disk";
            return Err(HostError::Unexpected { path, found: text, expected });
        };
        let (read_bytes, written_bytes) = (read * 512, written * 512);
        Ok(DiskCounters { reads, read_bytes, writes, written_bytes, busy_ms })
    }

    /// The load from these to later ones. Counters that went back (a disk that was replaced)
    /// count as none.
    pub fn load_until(&self, later: &DiskCounters, elapsed: Duration) -> Load {
        let seconds = elapsed.as_secs_f64().max(1e-9);
        let each_s = |from: u64, to: u64| to.saturating_sub(from) as f64 / seconds;
        let busy = each_s(self.busy_ms, later.busy_ms) / 1000.0;
        let moved = |all: &DiskCounters| all.read_bytes + all.written_bytes;
        Load {
            busy_percent: (busy * 100.0).min(100.0),
            ios_per_s: each_s(self.reads + self.writes, later.reads + later.writes),
            bytes_per_s: each_s(moved(self), moved(later)),
        }
    }
}

/// What a disk did for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Part of the time in which there was any I/O.
    pub busy_percent: f64,
    /// I/O operations in a second.
    pub ios_per_s: f64,
    /// Bytes in a second, both ways.
    pub bytes_per_s: f64,
}

impl Load {
    /// More than this and measurements are not of what they seem to be.
    const QUIET_PERCENT: f64 = 2.0;

    /// Whether it is too little to disturb a measurement.
    pub fn is_quiet(&self) -> bool {
        self.busy_percent <= Self::QUIET_PERCENT
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Load { busy_percent, ios_per_s, bytes_per_s } = *self;
        let bytes = decimal_size(bytes_per_s as u64);
        write!(f, "busy {busy_percent:.0} % of the time, {ios_per_s:.0} I/Os and {bytes} a second")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_the_difference_of_two_readings() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("stat");
            std::fs::write(&path, text).unwrap();
            DiskCounters::read(&path)
        };
        let before = read(" 100 0 2000 9 50 0 400 9 0 1000 99 0 0 0 0 0 0\n").unwrap();
        let after = read(" 120 0 2200 9 60 0 500 9 3 1500 99 0 0 0 0 0 0\n").unwrap();
        let load = before.load_until(&after, Duration::from_secs(2));
        assert_eq!(load, Load { busy_percent: 25.0, ios_per_s: 15.0, bytes_per_s: 76_800.0 });
        assert!(!load.is_quiet());
        assert_eq!(load.to_string(), "busy 25 % of the time, 15 I/Os and 76.8 kB a second");
        assert!(after.load_until(&before, Duration::from_secs(2)).is_quiet());
        let error = read("1 2 3\n").unwrap_err().to_string();
        assert!(error.contains("stat: `1 2 3`: expected the counters of a disk"), "{error}");
    }
}
