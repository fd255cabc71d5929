// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes over time, in a bounded number of slots: what throughput is drawn from.

/// The most slots of a series.
const SLOTS: usize = 256;
/// Slots begin with a width of 2^20 ns, about a millisecond.
const FIRST_SHIFT: u32 = 20;

/// Bytes in slots of equal width, a power of two of nanoseconds, from time 0 on. When time outgrows
/// the slots, each two become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByteSeries {
    shift: u32,
    bytes: Vec<u64>,
}

impl ByteSeries {
    /// No slot yet. Nothing is allocated afterwards.
    pub(crate) fn new() -> Self {
        Self { shift: FIRST_SHIFT, bytes: Vec::with_capacity(SLOTS) }
    }

    /// Counts bytes that arrived at a time.
    #[inline]
    pub(crate) fn add(&mut self, now_ns: u64, bytes: u64) {
        while now_ns >> self.shift >= SLOTS as u64 {
            self.widen();
        }
        let slot = (now_ns >> self.shift) as usize;
        match self.bytes.get_mut(slot) {
            Some(sum) => *sum += bytes,
            None => self.begin(slot, bytes),
        }
    }

    /// Counts the first bytes of a slot.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, slot: usize, bytes: u64) {
        self.bytes.resize(slot, 0);
        self.bytes.push(bytes);
    }

    /// Counts all that `other` has counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        self.widen_to(other.shift);
        other.widen_to(self.shift);
        if self.bytes.len() < other.bytes.len() {
            self.bytes.resize(other.bytes.len(), 0);
        }
        for (mine, theirs) in self.bytes.iter_mut().zip(&other.bytes) {
            *mine += theirs;
        }
    }

    /// Makes the slots as wide as 2^`shift` ns, if they are narrower.
    pub(crate) fn widen_to(&mut self, shift: u32) {
        while self.shift < shift {
            self.widen();
        }
    }

    /// The width of a slot, as a power of two of nanoseconds.
    pub(crate) fn shift(&self) -> u32 {
        self.shift
    }

    /// The bytes of each slot.
    pub(crate) fn into_bytes(self) -> Vec<u64> {
        self.bytes
    }

    #[cold]
    #[inline(never)]
    fn widen(&mut self) {
        self.shift += 1;
        for slot in 0..self.bytes.len().div_ceil(2) {
            self.bytes[slot] = self.bytes[2 * slot..].iter().take(2).sum();
        }
        self.bytes.truncate(self.bytes.len().div_ceil(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT_NS: u64 = 1 << FIRST_SHIFT;

    fn of(samples: &[(u64, u64)]) -> ByteSeries {
        let mut series = ByteSeries::new();
        samples.iter().for_each(|&(slot, bytes)| series.add(slot * SLOT_NS, bytes));
        series
    }

    #[test]
    fn slots_double_when_time_outgrows_them_and_no_byte_is_lost() {
        let mut series = of(&[(0, 1), (1, 2), (2, 4), (255, 8)]);
        assert_eq!((series.shift(), series.bytes.len()), (FIRST_SHIFT, 256));
        series.add(256 * SLOT_NS, 16);
        assert_eq!(series.shift(), FIRST_SHIFT + 1);
        assert_eq!((series.bytes[0], series.bytes[1]), (3, 4));
        assert_eq!((series.bytes[127], series.bytes[128], series.bytes.len()), (8, 16, 129));
        series.add(3_600_000_000_000, 32);
        assert!(series.bytes.len() <= SLOTS);
        assert_eq!(series.into_bytes().iter().sum::<u64>(), 63);
    }

    #[test]
    fn series_of_different_widths_add_up() {
        let mut long = of(&[(0, 1), (300, 2)]);
        long.merge(&of(&[(0, 4), (1, 8), (2, 16)]));
        assert_eq!((long.bytes[0], long.bytes[1], long.bytes[150]), (13, 16, 2));
        let mut short = of(&[(1, 8)]);
        short.merge(&of(&[(300, 2)]));
        assert_eq!((short.shift(), short.bytes[0], short.bytes[150]), (FIRST_SHIFT + 1, 8, 2));
    }
}
