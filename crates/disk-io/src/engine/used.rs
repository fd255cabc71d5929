// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which slots have memory that was written to, and when: what was not used lately can be given
//! back to the system.

/// When the memory of a slot was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Never since it was made, so that it takes no memory of the system's.
    Never,
    /// Before the last look at it.
    Before,
    /// Since the last look at it.
    Lately,
}

/// The use of all slots of an engine.
#[derive(Debug)]
pub(super) struct Used {
    slots: Vec<Use>,
    count: usize,
}

impl Used {
    pub(super) fn new(slots: usize) -> Used {
        Used { slots: vec![Use::Never; slots], count: 0 }
    }

    /// The memory of a slot is written to.
    pub(super) fn uses(&mut self, slot: u32) {
        let there = &mut self.slots[slot as usize];
        self.count += usize::from(*there == Use::Never);
        *there = Use::Lately;
    }

    /// How many slots take memory.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Those of these idle slots whose memory is to be made anew: not used since the last look, at
    /// most so many, and none where no more than `kept` take memory.
    pub(super) fn look(&mut self, idle: &[u32], kept: usize, most: usize) -> Vec<u32> {
        let stale = idle.iter().filter(|&&slot| self.slots[slot as usize] == Use::Before);
        let stale: Vec<u32> =
            stale.take(most.min(self.count.saturating_sub(kept))).copied().collect();
        for &slot in &stale {
            self.slots[slot as usize] = Use::Never;
        }
        self.count -= stale.len();
        for there in self.slots.iter_mut().filter(|there| **there == Use::Lately) {
            *there = Use::Before;
        }
        stale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stale_goes_a_few_at_a_time_and_some_stay() {
        let mut used = Used::new(8);
        (0..8).for_each(|slot| used.uses(slot));
        let idle: Vec<u32> = (0..8).collect();
        assert_eq!(used.look(&idle, 2, 9), [0; 0], "they were used lately");
        assert_eq!(used.look(&idle[1..], 2, 3), [1, 2, 3], "three at a time, none in use");
        used.uses(4);
        assert_eq!((used.count(), used.look(&idle, 2, 9)), (5, vec![0, 5, 6]));
        assert_eq!((used.count(), used.look(&idle, 2, 9)), (2, vec![]), "these are kept");
        assert_eq!(used.look(&idle, 0, 9), [4, 7]);
        assert_eq!(used.count(), 0);
    }
}
