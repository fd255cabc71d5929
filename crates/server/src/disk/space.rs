// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where each export lies among the sectors of its disk, as the scheduler sees them.
//!
//! Exports never touch: requests of two of them are not merged.

use std::collections::BTreeMap;

/// The least sectors between two exports (1 MiB); each begins at a multiple of it.
const GAP_SECTORS: u64 = 2048;

/// The sectors of a disk, and which are taken.
#[derive(Debug)]
pub struct Space {
    capacity_sectors: u64,
    /// The first sector of each export, and the one after its last.
    taken: BTreeMap<u64, u64>,
}

impl Space {
    /// A disk without exports.
    pub fn new(capacity_sectors: u64) -> Space {
        Space { capacity_sectors, taken: BTreeMap::new() }
    }

    /// Takes the first place that is large enough; the answer is its first sector, or none if
    /// there is none.
    pub fn take(&mut self, sectors: u64) -> Option<u64> {
        let mut start = 0;
        for (&taken, &end) in &self.taken {
            if taken.saturating_sub(start) >= sectors.checked_add(GAP_SECTORS)? {
                break;
            }
            start = (end + GAP_SECTORS).next_multiple_of(GAP_SECTORS);
        }
        let end = start.checked_add(sectors).filter(|&end| end <= self.capacity_sectors)?;
        self.taken.insert(start, end);
        Some(start)
    }

    /// Gives a place back.
    pub fn free(&mut self, start: u64) {
        self.taken.remove(&start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_lie_apart_and_places_are_used_again() {
        let mut space = Space::new(100_000);
        assert_eq!(space.take(10_000), Some(0));
        assert_eq!(space.take(1), Some(12_288));
        assert_eq!(space.take(20_000), Some(16_384));
        space.free(0);
        assert_eq!(space.take(10_241), Some(38_912), "the hole has no room for it and the gap");
        assert_eq!(space.take(10_240), Some(0));
        assert_eq!(space.take(100_000), None);
        assert_eq!(space.take(u64::MAX), None);
    }
}
