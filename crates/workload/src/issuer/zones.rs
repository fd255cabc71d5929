// SPDX-License-Identifier: MIT OR Apache-2.0
//! A region gone through zone by zone (`zonemode=strided`).
//!
//! As under fio: a zone is `zonerange` long, and left when `zonesize` bytes have been moved in it,
//! which may be less than it holds, or more. `zoneskip` lies between two zones; behind the end of
//! the region comes its first zone again.

use crate::job::Strides;

/// Where in a region a process is at work.
#[derive(Debug)]
pub(super) struct Zones {
    strides: Strides,
    /// Where the zone begins.
    start_bytes: u64,
    /// What was moved in it.
    moved_bytes: u64,
}

/// What comes before the next I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZoneEntry {
    /// The zone goes on.
    GoOn,
    /// Another zone begins, or the same one anew.
    Begin,
}

impl Zones {
    pub(super) fn new(strides: Strides) -> Zones {
        Zones { strides, start_bytes: 0, moved_bytes: 0 }
    }

    /// The next I/O is to be placed, in a region of this length; what is shorter than `min_bytes`
    /// at its end is no zone.
    pub(super) fn enter(&mut self, length_bytes: u64, min_bytes: u64) -> ZoneEntry {
        let Strides { size_bytes, range_bytes, skip_bytes } = self.strides;
        if self.moved_bytes >= size_bytes {
            self.moved_bytes = 0;
            let step_bytes = range_bytes.saturating_add(skip_bytes);
            self.start_bytes = self.start_bytes.saturating_add(step_bytes);
            if self.start_bytes.saturating_add(min_bytes) > length_bytes {
                self.start_bytes = 0;
            }
            return ZoneEntry::Begin;
        }
        match self.moved_bytes > 0 && self.moved_bytes.is_multiple_of(range_bytes) {
            true => ZoneEntry::Begin,
            false => ZoneEntry::GoOn,
        }
    }

    /// Whether the next I/O is in the same zone as the last.
    pub(super) fn goes_on(&self) -> bool {
        self.moved_bytes < self.strides.size_bytes
            && !self.moved_bytes.is_multiple_of(self.strides.range_bytes)
    }

    /// An I/O of that length was placed.
    pub(super) fn moved(&mut self, bytes: u32) {
        self.moved_bytes += u64::from(bytes);
    }

    /// Where the zone begins in the region, and how long it is there.
    pub(super) fn window(&self, length_bytes: u64) -> (u64, u64) {
        let left_bytes = length_bytes.saturating_sub(self.start_bytes);
        (self.start_bytes, left_bytes.min(self.strides.range_bytes))
    }

    /// The region is begun again.
    pub(super) fn restart(&mut self) {
        *self = Zones::new(self.strides);
    }
}
