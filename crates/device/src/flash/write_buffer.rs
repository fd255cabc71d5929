// SPDX-License-Identifier: MIT OR Apache-2.0
//! The write cache in memory: room, the unit being gathered, and which blocks are in it.

/// Sectors of a block, the grain in which the cache knows what it holds.
const BLOCK_SECTORS: u64 = 8;
/// Blocks that it remembers; a power of two.
const BLOCKS: usize = 4096;

/// Data that the host believes written and the flash doesn't have.
#[derive(Clone, Debug)]
pub(super) struct WriteBuffer {
    capacity_sectors: u64,
    used_sectors: u64,
    /// Sectors of the unit that isn't full yet.
    open_sectors: u64,
    /// Number of that unit; those before it are full.
    open_unit: u64,
    /// Units programmed. They end nearly in order, so a block of unit n is taken to have left the
    /// cache once n units have ended.
    ended_units: u64,
    /// For each of the blocks written last: the block and its unit, found by the low bits.
    blocks: Vec<(u64, u64)>,
}

impl WriteBuffer {
    pub fn new(capacity_sectors: u64) -> Self {
        WriteBuffer {
            capacity_sectors,
            used_sectors: 0,
            open_sectors: 0,
            open_unit: 0,
            ended_units: 0,
            blocks: vec![(u64::MAX, 0); BLOCKS],
        }
    }

    /// Whether there is room for a write. One longer than the whole cache has to have it alone.
    pub fn has_room(&self, sectors: u64) -> bool {
        self.used_sectors == 0 || self.used_sectors + sectors <= self.capacity_sectors
    }

    /// Takes a write in.
    pub fn add(&mut self, sector: u64, sectors: u64) {
        self.used_sectors += sectors;
        self.open_sectors += sectors;
        for block in sector / BLOCK_SECTORS..(sector + sectors).div_ceil(BLOCK_SECTORS) {
            self.blocks[block as usize % BLOCKS] = (block, self.open_unit);
        }
    }

    /// Takes a full unit out of what was gathered, for programming; returns its number.
    pub fn take_full_unit(&mut self, unit_sectors: u64) -> Option<u64> {
        self.open_sectors = self.open_sectors.checked_sub(unit_sectors)?;
        self.open_unit += 1;
        Some(self.open_unit - 1)
    }

    /// Takes what was gathered though it isn't a full unit; returns number and sectors.
    pub fn take_open_unit(&mut self) -> Option<(u64, u64)> {
        let sectors = std::mem::take(&mut self.open_sectors);
        (sectors > 0).then(|| {
            self.open_unit += 1;
            (self.open_unit - 1, sectors)
        })
    }

    /// The number that the next unit will have.
    pub fn next_unit(&self) -> u64 {
        self.open_unit
    }

    /// Frees the room of a unit that was programmed.
    pub fn programmed(&mut self, sectors: u64) {
        debug_assert!(sectors <= self.used_sectors);
        self.used_sectors -= sectors;
        self.ended_units += 1;
    }

    /// Whether all of the sectors are in it.
    pub fn has(&self, sector: u64, sectors: u64) -> bool {
        self.used_sectors > 0
            && (sector / BLOCK_SECTORS..(sector + sectors).div_ceil(BLOCK_SECTORS)).all(|block| {
                let (known, unit) = self.blocks[block as usize % BLOCKS];
                known == block && unit >= self.ended_units
            })
    }
}
