// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where sequential writers left off, by which they are told from random ones.
//!
//! The ends of the writes of late lie in small sets, each end in the one that its hash says; in a
//! set the end noted last is in front, and drops the one that was noted first. So a write looks at
//! a few ends only, however many writers there are.

/// Sets; a power of two.
const SETS: usize = 32;
/// Ends in a set.
const ENDS: usize = 8;
/// No sector; what a set is filled with at the start.
const NOWHERE: u64 = u64::MAX;

/// The ends of the writes of late.
#[derive(Clone, Debug)]
pub(super) struct Streams(Box<[[u64; ENDS]; SETS]>);

impl Streams {
    pub fn new() -> Self {
        Streams(Box::new([[NOWHERE; ENDS]; SETS]))
    }

    /// Notes a write; says whether it goes on where another one has ended.
    pub fn goes_on(&mut self, sector: u64, end_sector: u64) -> bool {
        let set = self.set(sector);
        let known = set.iter().position(|end| *end == sector);
        if let Some(place) = known {
            set[place..].rotate_left(1);
            set[ENDS - 1] = NOWHERE;
        }
        let set = self.set(end_sector);
        set.rotate_right(1);
        set[0] = end_sector;
        known.is_some()
    }

    fn set(&mut self, sector: u64) -> &mut [u64; ENDS] {
        // Fibonacci hashing: neighbours and equal distances are spread alike.
        let hash = sector.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &mut self.0[(hash >> (u64::BITS - SETS.ilog2())) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_writers_are_known_however_many_there_are() {
        for writers in [1, 8, 9, 64] {
            let mut streams = Streams::new();
            let mut going_on = 0;
            for step in 0..100 {
                for writer in 0..writers {
                    let sector = writer * 100_000_000 + step * 8;
                    going_on += u64::from(streams.goes_on(sector, sector + 8));
                }
            }
            assert_eq!(going_on, writers * 99, "{writers} writers");
        }
    }

    #[test]
    fn a_sequential_writer_is_known_among_random_ones() {
        let mut streams = Streams::new();
        let mut going_on = 0;
        for step in 0..100 {
            going_on += u64::from(streams.goes_on(step * 8, step * 8 + 8));
            for random in 1..16 {
                let sector = (step * 16 + random) * 1_000_003 % 1_000_000_007;
                streams.goes_on(sector, sector + 8);
            }
        }
        assert_eq!(going_on, 99);
    }

    #[test]
    fn an_end_is_gone_on_from_once() {
        let mut streams = Streams::new();
        let writes = [(0, 8), (8, 16), (8, 16), (16, 24), (0, 8), (24, 32)];
        let going_on = writes.map(|(sector, end_sector)| streams.goes_on(sector, end_sector));
        assert_eq!(going_on, [false, true, false, true, false, true]);
    }
}
