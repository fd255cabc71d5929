// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process, a group or a disk used in an interval.

use base::Op;
use hdrhistogram::Histogram;

/// Times are kept to this many digits, between these bounds.
const DIGITS: u8 = 2;
const SHORTEST_NS: u64 = 500;
const LONGEST_NS: u64 = 1_000_000_000_000;

/// How long I/O took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// Made when the first comes: most of the many processes do nothing.
    histogram: Option<Box<Histogram<u32>>>,
    worst_ns: u64,
}

impl Times {
    pub fn add(&mut self, ns: u64) {
        let new = || {
            let made = Histogram::new_with_bounds(SHORTEST_NS, LONGEST_NS, DIGITS);
            Box::new(made.expect("the bounds and digits are right"))
        };
        self.histogram.get_or_insert_with(new).saturating_record(ns.clamp(1, LONGEST_NS));
        self.worst_ns = self.worst_ns.max(ns);
    }

    pub fn add_all(&mut self, other: &Times) {
        match (&mut self.histogram, &other.histogram) {
            (Some(mine), Some(theirs)) => mine.add(&**theirs).expect("the bounds are the same"),
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            (_, None) => {}
        }
        self.worst_ns = self.worst_ns.max(other.worst_ns);
    }

    pub fn worst_ns(&self) -> u64 {
        self.worst_ns
    }

    /// The time within which a part of the I/O was.
    pub fn quantile_ns(&self, part: f64) -> u64 {
        let found = self.histogram.as_ref().map_or(0, |all| all.value_at_quantile(part));
        found.min(self.worst_ns)
    }
}

/// What a process, group or disk used in an interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Bytes that were read, written and discarded.
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub discarded_bytes: u64,
    /// I/Os that have ended, flushes included.
    pub ios: u64,
    /// Its part of the time in which the device had something to do, ns.
    pub device_ns: f64,
    /// The time that each of its I/Os was under way, added up, ns.
    pub under_way_ns: f64,
    /// From when I/O was queued until the device was given it.
    pub waiting: Times,
    /// From then until the device had done it.
    pub in_device: Times,
    /// Both of them together.
    pub whole: Times,
}

impl Usage {
    /// Counts bytes that the device has moved.
    pub fn moved(&mut self, op: Op, bytes: u64) {
        match op {
            Op::Read => self.read_bytes += bytes,
            Op::Write => self.written_bytes += bytes,
            Op::Discard => self.discarded_bytes += bytes,
            Op::Flush => {}
        }
    }

    /// Bytes that the disk read or wrote.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }

    /// Adds what another used.
    pub fn add_all(&mut self, other: &Usage) {
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
        self.discarded_bytes += other.discarded_bytes;
        self.ios += other.ios;
        self.device_ns += other.device_ns;
        self.under_way_ns += other.under_way_ns;
        self.waiting.add_all(&other.waiting);
        self.in_device.add_all(&other.in_device);
        self.whole.add_all(&other.whole);
    }
}
