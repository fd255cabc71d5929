// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory as sectors: blocks that were never written take none and read as zeros.

use super::contract::Extent;
use std::collections::BTreeMap;
use std::ops::Range;

/// Memory is taken in pieces of this, in bytes.
const BLOCK_BYTES: u64 = 64 << 10;

/// Bytes of a disk, by their place.
#[derive(Debug, Default)]
pub(super) struct Memory {
    blocks: BTreeMap<u64, Box<[u8]>>,
}

impl Memory {
    /// Writes at a place.
    pub fn write(&mut self, at: u64, data: &[u8]) {
        for (block, within, part) in parts(at, data.len()) {
            let empty = || vec![0; BLOCK_BYTES as usize].into_boxed_slice();
            self.blocks.entry(block).or_insert_with(empty)[within].copy_from_slice(&data[part]);
        }
    }

    /// Makes a part read as zeros; whole blocks are given back.
    pub fn clear(&mut self, at: u64, length: u64) {
        let end = at.saturating_add(length);
        let within = at / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES);
        let blocks: Vec<u64> = self.blocks.range(within).map(|(&block, _)| block).collect();
        for block in blocks {
            let start = block * BLOCK_BYTES;
            let from = at.max(start) - start;
            let to = end.min(start + BLOCK_BYTES) - start;
            if (from, to) == (0, BLOCK_BYTES) {
                self.blocks.remove(&block);
            } else if let Some(bytes) = self.blocks.get_mut(&block) {
                bytes[from as usize..to as usize].fill(0);
            }
        }
    }

    /// Reads from a place.
    pub fn read(&self, at: u64, into: &mut [u8]) {
        for (block, within, part) in parts(at, into.len()) {
            match self.blocks.get(&block) {
                Some(bytes) => into[part].copy_from_slice(&bytes[within]),
                None => into[part].fill(0),
            }
        }
    }

    /// Which parts have memory, at most `most` extents.
    pub fn extents(&self, at: u64, length: u64, most: usize) -> Vec<Extent> {
        let end = at.saturating_add(length);
        let mut extents: Vec<Extent> = Vec::new();
        let mut place = at;
        while place < end {
            let block = place / BLOCK_BYTES;
            let is_hole = !self.blocks.contains_key(&block);
            let next = match is_hole {
                true => {
                    self.blocks.range(block..).next().map_or(end, |(next, _)| next * BLOCK_BYTES)
                }
                false => (block + 1) * BLOCK_BYTES,
            };
            let length_bytes = next.min(end) - place;
            let full = extents.len() == most;
            match extents.last_mut() {
                Some(last) if last.is_hole == is_hole => last.length_bytes += length_bytes,
                _ if full => break,
                _ => extents.push(Extent { length_bytes, is_hole }),
            }
            place = next.min(end);
        }
        extents
    }
}

/// A range cut at blocks: the block, the range in it, and the range of the whole.
fn parts(at: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let place = at + done as u64;
        let start = (place % BLOCK_BYTES) as usize;
        let bytes = (length - done).min(BLOCK_BYTES as usize - start);
        let part = (place / BLOCK_BYTES, start..start + bytes, done..done + bytes);
        done += bytes;
        (bytes > 0).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: u64 = BLOCK_BYTES;

    fn extents(memory: &Memory, at: u64, length: u64) -> Vec<(u64, bool)> {
        let all = memory.extents(at, length, 9);
        all.iter().map(|extent| (extent.length_bytes, extent.is_hole)).collect()
    }

    #[test]
    fn what_was_written_is_read_and_the_rest_is_zeros() {
        let mut memory = Memory::default();
        memory.write(B - 2, &[1, 2, 3, 4]);
        let mut read = [9; 8];
        memory.read(B - 4, &mut read);
        assert_eq!(read, [0, 0, 1, 2, 3, 4, 0, 0]);
        assert_eq!(memory.blocks.len(), 2);
        memory.read(100 * B, &mut read);
        assert_eq!(read, [0; 8]);
        assert_eq!(memory.blocks.len(), 2, "reading takes no memory");
    }

    #[test]
    fn clearing_gives_whole_blocks_back() {
        let mut memory = Memory::default();
        memory.write(0, &vec![7; 3 * B as usize]);
        memory.clear(B - 1, B + 2);
        assert_eq!(memory.blocks.keys().copied().collect::<Vec<_>>(), [0, 2]);
        let mut read = [9; 3];
        memory.read(B - 2, &mut read);
        assert_eq!(read, [7, 0, 0]);
        memory.read(2 * B, &mut read);
        assert_eq!(read, [0, 7, 7]);
    }

    #[test]
    fn extents_have_no_gaps_and_stop_at_the_most() {
        let mut memory = Memory::default();
        assert_eq!(extents(&memory, 5, 10 * B), [(10 * B, true)]);
        memory.write(2 * B, &[1]);
        memory.write(3 * B, &[1]);
        memory.write(5 * B, &[1]);
        let all = [(2 * B, true), (2 * B, false), (B, true), (B, false), (B, true)];
        assert_eq!(extents(&memory, 0, 7 * B), all);
        assert_eq!(extents(&memory, 2 * B + 1, 10), [(10, false)]);
        let some = memory.extents(0, 7 * B, 2);
        assert_eq!(some.iter().map(|extent| extent.length_bytes).sum::<u64>(), 4 * B);
    }
}
