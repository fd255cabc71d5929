// SPDX-License-Identifier: MIT OR Apache-2.0
//! Is a queue's I/O scattered? One bit of history for each inserted request (spec 2.8).

use crate::units::{Sector, Sectors};

/// Farther than this from the last position is a seek.
const SEEK_DISTANCE: Sectors = Sectors::of(800);
/// Without moving parts only requests smaller than this count as seeks.
const SMALL_REQUEST: Sectors = Sectors::of(64);
/// More bits than this make a queue seeky.
const SEEKY_BITS: u32 = 19;

/// Whether a request at `sector` is a seek from `position`; from nowhere, none is.
#[inline]
pub fn is_seek(
    position: Option<Sector>,
    sector: Sector,
    sectors: Sectors,
    rotational: bool,
) -> bool {
    // Both are looked at in any case: that costs less than a branch.
    position.is_some_and(|position| {
        (sector.distance(position) > SEEK_DISTANCE) & (rotational | (sectors < SMALL_REQUEST))
    })
}

/// The last 32 requests of a queue, newest in the lowest bit; set = a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeekHistory {
    bits: u32,
    /// How many are set.
    seeks: u32,
}

impl SeekHistory {
    /// The history of a new queue: one seek, to wherever it starts.
    pub const fn new() -> Self {
        SeekHistory { bits: 1, seeks: 1 }
    }

    /// Adds a request to the last 32; `seek` says whether it was one.
    pub fn add(&mut self, seek: bool) {
        let forgotten = self.bits >> (u32::BITS - 1);
        self.bits = self.bits << 1 | u32::from(seek);
        self.seeks = self.seeks + u32::from(seek) - forgotten;
        debug_assert_eq!(self.seeks, self.bits.count_ones(), "each set bit is counted");
    }

    /// Most requests were seeks.
    pub fn is_seeky(self) -> bool {
        self.seeks > SEEKY_BITS
    }

    /// All of the last 32 requests were seeks.
    pub fn is_totally_seeky(self) -> bool {
        self.seeks == u32::BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_a_seek() {
        for (position, sector, sectors, rotational, expected) in [
            (None, 1_000_000, 8, true, false),
            (Some(0), 1_000_000, 8, true, true),
            (Some(1000), 1800, 8, true, false),
            (Some(1000), 1801, 8, true, true),
            (Some(5000), 4199, 8, true, true),
            (Some(1000), 1_000_000, 64, false, false),
            (Some(1000), 1_000_000, 63, false, true),
        ] {
            let (from, to) = (position.map(Sector::at), Sector::at(sector));
            let seek = is_seek(from, to, Sectors::of(sectors), rotational);
            assert_eq!(seek, expected, "{position:?} to {sector}");
        }
    }

    #[test]
    fn twenty_of_thirty_two_are_seeky() {
        let mut history = SeekHistory::new();
        (0..18).for_each(|_| history.add(true));
        assert!(!history.is_seeky());
        history.add(true);
        assert!(history.is_seeky() && !history.is_totally_seeky());
        (0..13).for_each(|_| history.add(true));
        assert!(history.is_totally_seeky());
        (0..13).for_each(|_| history.add(false));
        assert!(!history.is_seeky());
    }
}
