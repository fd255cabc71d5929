// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether each request of a queue makes the head of a disk move.

/// Of so many requests it is remembered.
const REMEMBERED: u32 = 16;

/// The last requests of a queue: did each begin where the one before it ended?
#[derive(Debug)]
pub(super) struct Pattern {
    /// A bit for each, the last one lowest: it did not.
    jumps: u16,
    seen: u32,
    end: u64,
    /// Sectors that came without a jump.
    in_one_piece: u64,
}

impl Pattern {
    pub const fn new() -> Self {
        Pattern { jumps: 0, seen: 0, end: 0, in_one_piece: 0 }
    }

    /// A request came.
    pub fn came(&mut self, sector: u64, end: u64) {
        let jumps = self.seen > 0 && sector != self.end;
        let before = if jumps { 0 } else { self.in_one_piece };
        self.in_one_piece = before + end.saturating_sub(sector);
        self.jumps = self.jumps << 1 | u16::from(jumps);
        self.seen = (self.seen + 1).min(REMEMBERED);
        self.end = end;
    }

    /// How much came last in one piece.
    pub fn sectors_in_one_piece(&self) -> u64 {
        self.in_one_piece
    }

    /// Most requests jump.
    pub fn is_random(&self) -> bool {
        2 * self.jumps.count_ones() > self.seen
    }
}
