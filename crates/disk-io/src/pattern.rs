// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written: pseudo-random bytes that depend on nothing but their place in the file.
//!
//! Not zeros, for file systems and drives treat zeros, and data that compress, in a special way;
//! and a function of the place, so that any reader can tell whether a byte is where it belongs.

use crate::buffer::Buffer;
use base::random::Random;
use std::sync::OnceLock;

/// The bytes after which the pattern repeats, more than file systems compress at a time.
pub const PATTERN_PERIOD_BYTES: u64 = 1 << 20;

/// The byte that belongs at `offset_bytes` of a file that was filled or written.
pub fn pattern_at(offset_bytes: u64) -> u8 {
    let within = offset_bytes % PATTERN_PERIOD_BYTES;
    WORDS.nth(within / 8).to_le_bytes()[(within % 8) as usize]
}

/// The words of the pattern are one stream of random numbers.
const WORDS: Random = Random::new(0);

/// One period and the longest request, in one aligned piece: any write is a slice of it, so that
/// writing costs no copying and all requests share the memory. It is made when it is used first:
/// who writes nothing but data of its own needs none.
#[derive(Debug)]
pub(crate) struct Pattern {
    longest_bytes: usize,
    memory: OnceLock<Buffer>,
}

impl Pattern {
    pub(crate) fn new(longest_bytes: usize) -> Pattern {
        Pattern { longest_bytes, memory: OnceLock::new() }
    }

    /// Makes it, unless that was done.
    pub(crate) fn make(&self) -> &[u8] {
        self.memory.get_or_init(|| Pattern::made(self.longest_bytes))
    }

    #[cfg(test)]
    pub(crate) fn is_made(&self) -> bool {
        self.memory.get().is_some()
    }

    fn made(longest_bytes: usize) -> Buffer {
        static PERIOD: OnceLock<Vec<u8>> = OnceLock::new();
        let period = PERIOD.get_or_init(|| {
            (0..PATTERN_PERIOD_BYTES / 8).flat_map(|i| WORDS.nth(i).to_le_bytes()).collect()
        });
        let mut memory = Buffer::zeroed(period.len() + longest_bytes);
        for piece in memory.chunks_mut(period.len()) {
            piece.copy_from_slice(&period[..piece.len()]);
        }
        memory
    }

    /// The bytes that belong at `offset_bytes`; their address is as aligned as the offset is.
    pub(crate) fn at(&self, offset_bytes: u64, length_bytes: usize) -> &[u8] {
        let start = (offset_bytes % PATTERN_PERIOD_BYTES) as usize;
        &self.make()[start..start + length_bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_holds_what_belongs_at_its_place_in_the_file() {
        let pattern = Pattern::new(3 << 20);
        for (offset_bytes, length_bytes) in
            [(0, 16), (512, 4096), (PATTERN_PERIOD_BYTES - 512, 3 << 20), (7 << 30, 100)]
        {
            let slice = pattern.at(offset_bytes, length_bytes);
            assert_eq!(slice.len(), length_bytes);
            for (i, &byte) in slice.iter().enumerate().step_by(61) {
                assert_eq!(byte, pattern_at(offset_bytes + i as u64));
            }
        }
    }

    #[test]
    fn slices_are_as_aligned_as_their_offsets() {
        let pattern = Pattern::new(4096);
        assert_eq!(pattern.at(512 * 7, 512).as_ptr() as usize % 512, 0);
        assert_eq!(pattern.at(4096 * 1001, 512).as_ptr() as usize % 4096, 0);
    }

    #[test]
    fn every_value_of_a_byte_is_about_as_frequent() {
        let mut counts = [0u32; 256];
        (0..PATTERN_PERIOD_BYTES).for_each(|at| counts[usize::from(pattern_at(at))] += 1);
        assert!(counts.iter().all(|&n| (3700..4500).contains(&n)), "{counts:?}");
    }
}
