// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the disk is overwritten at random: in parts, of which one that is written somewhere
//! counts as a whole.
//!
//! What counts is the time in which the last one to two capacities were written at random, so a
//! part that is left alone is forgotten.

/// Parts at most.
const PARTS: usize = 4096;

/// The parts that were written at random of late.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    capacity_sectors: u64,
    /// A part has two to the power of this sectors.
    part_bits: u32,
    /// Sectors written at random in this period, which ends with a capacity of them.
    written_sectors: u64,
    this_period: Parts,
    last_period: Parts,
    /// Parts of either.
    parts: u64,
}

/// A set of parts, a bit for each.
#[derive(Clone, Debug)]
struct Parts(Box<[u64; PARTS / 64]>);

impl Parts {
    fn none() -> Self {
        Parts(Box::new([0; PARTS / 64]))
    }

    fn has(&self, part: usize) -> bool {
        self.0[part / 64] >> (part % 64) & 1 == 1
    }

    /// Adds a part; says whether it is new.
    fn add(&mut self, part: usize) -> bool {
        let is_new = !self.has(part);
        self.0[part / 64] |= 1 << (part % 64);
        is_new
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }
}

impl Extent {
    pub fn new(capacity_sectors: u64) -> Self {
        let last_sector = capacity_sectors.saturating_sub(1);
        let part_bits = (0..u64::BITS).find(|bits| last_sector >> bits < PARTS as u64);
        Extent {
            capacity_sectors,
            part_bits: part_bits.unwrap_or_default(),
            written_sectors: 0,
            this_period: Parts::none(),
            last_period: Parts::none(),
            parts: 0,
        }
    }

    /// Notes a random write of at least a sector; says whether the extent is another one now.
    pub fn written(&mut self, sector: u64, sectors: u64) -> bool {
        let before = self.parts;
        for part in sector >> self.part_bits..=(sector + sectors - 1) >> self.part_bits {
            let part = (part as usize).min(PARTS - 1);
            if self.this_period.add(part) && !self.last_period.has(part) {
                self.parts += 1;
            }
        }
        self.written_sectors += sectors;
        if self.written_sectors >= self.capacity_sectors {
            self.written_sectors = 0;
            self.last_period = std::mem::replace(&mut self.this_period, Parts::none());
            self.parts = self.last_period.count();
        }
        self.parts != before
    }

    /// How much it is.
    pub fn sectors(&self) -> u64 {
        (self.parts << self.part_bits).min(self.capacity_sectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_counts_as_a_whole_and_once() {
        // 2,500 parts of 4 sectors.
        let mut extent = Extent::new(10_000);
        for (sector, sectors, changes, extent_sectors) in [
            (0, 1, true, 4),
            (3, 1, false, 4),
            (3, 2, true, 8),
            (100, 12, true, 20),
            (99, 1, true, 24),
            (9_999, 1, true, 28),
        ] {
            assert_eq!(extent.written(sector, sectors), changes, "{sectors} from {sector}");
            assert_eq!(extent.sectors(), extent_sectors, "{sectors} from {sector}");
        }
        assert!(extent.written(0, 10_000));
        assert_eq!(extent.sectors(), 10_000);
    }

    #[test]
    fn what_is_left_alone_is_forgotten() {
        let mut extent = Extent::new(10_000);
        extent.written(0, 10_000);
        for write in 1..10_000 {
            assert!(!extent.written(500, 1), "write {write} of the second period");
        }
        assert!(extent.written(500, 1), "it ends");
        assert_eq!(extent.sectors(), 4);
    }
}
