// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether each request of a queue makes the head of a disk seek.

use crate::units::{LastEnd, Sector, Sectors};

/// What is so near to the head is reached without a seek: 1 MiB, about a track.
pub(super) const NEAR: Sectors = Sectors::of_kib(1 << 10);
/// The number of requests of which it is remembered.
const REMEMBERED: u32 = 16;

/// The last requests of a queue: did each begin near behind the end of the one before?
#[derive(Debug)]
pub(super) struct Pattern {
    /// A bit for each, the last one lowest: it was not near behind the one before.
    jumps: u16,
    seen: u32,
    /// The end of the last one.
    end: LastEnd,
    /// How much came in one piece.
    in_one_piece: Sectors,
}

impl Pattern {
    pub const fn new() -> Self {
        Pattern { jumps: 0, seen: 0, end: LastEnd::NONE, in_one_piece: Sectors::NONE }
    }

    /// A request came: it jumps if it lies before the end of the last one or far behind it.
    pub fn came(&mut self, sector: Sector, sectors: Sectors) {
        let skips = self.end.get().filter(|&end| sector != end);
        let jumps = skips.is_some_and(|end| sector < end || end.distance(sector) > NEAR);
        let before = if skips.is_some() { Sectors::NONE } else { self.in_one_piece };
        self.in_one_piece = before + sectors;
        self.jumps = self.jumps << 1 | u16::from(jumps);
        self.seen = (self.seen + 1).min(REMEMBERED);
        self.end = LastEnd::of(sector + sectors);
    }

    /// How much came last in one piece: each request began where the one before ended when it came.
    /// So a piece ends with a request that grows while it waits. If it went on, programs that read
    /// large files when they start would be taken for streams.
    pub fn in_one_piece(&self) -> Sectors {
        self.in_one_piece
    }

    /// Fewer than half of the requests that are remembered jumped.
    pub fn is_sequential(&self) -> bool {
        2 * self.jumps.count_ones() < self.seen
    }

    /// More than half of the requests that are remembered jumped.
    pub fn is_random(&self) -> bool {
        2 * self.jumps.count_ones() > self.seen
    }
}
