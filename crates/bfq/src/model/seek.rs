// SPDX-License-Identifier: MIT OR Apache-2.0
//! Is a queue's I/O scattered? One bit of history for each inserted request (spec 2.8).

/// Farther than this from the last position is a seek.
const SEEK_DISTANCE_SECTORS: u64 = 800;
/// Without moving parts only requests smaller than this count as seeks.
const SMALL_REQUEST_SECTORS: u32 = 64;
/// More bits than this make a queue seeky.
const SEEKY_BITS: u32 = 19;

/// Whether a request at `sector` is a seek from `position` (0 = unknown, never a seek).
#[inline]
pub fn is_seek(position: u64, sector: u64, sectors: u32, rotational: bool) -> bool {
    position != 0
        && sector.abs_diff(position) > SEEK_DISTANCE_SECTORS
        && (rotational || sectors < SMALL_REQUEST_SECTORS)
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

    /// Adds a request.
    pub fn add(&mut self, seek: bool) {
        let forgotten = self.bits >> (u32::BITS - 1);
        self.bits = self.bits << 1 | u32::from(seek);
        self.seeks = self.seeks + u32::from(seek) - forgotten;
    }

    /// Most requests were seeks.
    pub fn is_seeky(self) -> bool {
        self.seeks > SEEKY_BITS
    }

    /// Nothing but seeks.
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
            (0, 1_000_000, 8, true, false),
            (1000, 1800, 8, true, false),
            (1000, 1801, 8, true, true),
            (5000, 4199, 8, true, true),
            (1000, 1_000_000, 64, false, false),
            (1000, 1_000_000, 63, false, true),
        ] {
            assert_eq!(is_seek(position, sector, sectors, rotational), expected, "{position}");
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
