// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bios on their way: an arena of fixed slots, chained to the requests that carry them.

use crate::bio::{Bio, Done, IoError, Journey};

/// Names a slot of [`Bios`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BioSlot(u32);

impl BioSlot {
    pub const NONE: BioSlot = BioSlot(u32::MAX);

    pub fn some(self) -> Option<BioSlot> {
        (self != BioSlot::NONE).then_some(self)
    }
}

/// A bio, or a part of one that was too large for a single request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BioState {
    /// What was submitted; of a part, its share of the sectors.
    pub bio: Bio,
    pub submitted_ns: u64,
    pub queued_ns: u64,
    /// It is among the bios of its process; parts are not.
    pub counted: bool,
    /// The next bio of the same request in sector order; of a free slot, the next free one.
    pub next: BioSlot,
    /// The bio this is a part of.
    pub whole: BioSlot,
    /// Of a split bio: how many parts have not ended, and one more while parts are still to come.
    pub parts: u32,
    /// Of a split bio: the first error of its parts.
    pub result: Result<(), IoError>,
}

impl BioState {
    pub fn new(bio: Bio, now_ns: u64) -> BioState {
        BioState {
            bio,
            submitted_ns: now_ns,
            queued_ns: now_ns,
            counted: false,
            next: BioSlot::NONE,
            whole: BioSlot::NONE,
            parts: 0,
            result: Ok(()),
        }
    }

    /// The end of this bio.
    pub fn done(&self, result: Result<(), IoError>, dispatched_ns: u64, now_ns: u64) -> Done {
        Done {
            token: self.bio.token,
            process: self.bio.process,
            op: self.bio.op,
            sector: self.bio.sector,
            sectors: self.bio.sectors,
            result,
            submitted_ns: self.submitted_ns,
            queued_ns: self.queued_ns,
            dispatched_ns,
            completed_ns: now_ns,
        }
    }
}

/// The arena. It grows to the greatest number of bios ever on their way, then allocates no more.
#[derive(Debug)]
pub(crate) struct Bios {
    slots: Vec<BioState>,
    free: BioSlot,
    in_use: u32,
}

impl Bios {
    pub fn new() -> Bios {
        Bios { slots: Vec::new(), free: BioSlot::NONE, in_use: 0 }
    }

    pub fn in_use(&self) -> u32 {
        self.in_use
    }

    #[inline]
    pub fn add(&mut self, bio: BioState) -> BioSlot {
        self.in_use += 1;
        match self.free.some() {
            Some(slot) => {
                self.free = self[slot].next;
                self[slot] = bio;
                slot
            }
            None => {
                self.slots.push(bio);
                BioSlot(self.slots.len() as u32 - 1)
            }
        }
    }

    /// Gives a slot back. What it held can be read until the slot is given out again.
    #[inline]
    pub fn remove(&mut self, slot: BioSlot) -> &BioState {
        self.in_use -= 1;
        let state = &mut self.slots[slot.0 as usize];
        state.next = self.free;
        self.free = slot;
        state
    }

    /// How a bio, or a part of one, came where it is.
    pub fn journey(&self, state: &BioState) -> Journey {
        let whole = state.whole.some().map_or(state, |whole| &self[whole]);
        Journey {
            bio: whole.bio,
            submitted_ns: whole.submitted_ns,
            queued_ns: state.queued_ns,
            last: whole.parts <= 1,
        }
    }

    /// All that are on their way, in no particular order.
    pub fn iter_in_use(&self) -> impl Iterator<Item = &BioState> {
        let mut free = vec![false; self.slots.len()];
        let mut next = self.free.some();
        while let Some(slot) = next {
            free[slot.0 as usize] = true;
            next = self[slot].next.some();
        }
        self.slots.iter().zip(free).filter(|(_, free)| !free).map(|(state, _)| state)
    }

    /// The chain that begins at `first`.
    pub fn chain(&self, first: BioSlot) -> impl Iterator<Item = (BioSlot, &BioState)> {
        std::iter::successors(first.some(), |&slot| self[slot].next.some())
            .map(|slot| (slot, &self[slot]))
    }
}

impl std::ops::Index<BioSlot> for Bios {
    type Output = BioState;

    fn index(&self, slot: BioSlot) -> &BioState {
        &self.slots[slot.0 as usize]
    }
}

impl std::ops::IndexMut<BioSlot> for Bios {
    fn index_mut(&mut self, slot: BioSlot) -> &mut BioState {
        &mut self.slots[slot.0 as usize]
    }
}
