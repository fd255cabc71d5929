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
    /// Of a split bio: the first error of its parts; of one that has ended, how.
    pub result: Result<(), IoError>,
    /// Of one that has ended: when its request was handed to the device, and when it ended.
    pub dispatched_ns: u64,
    pub completed_ns: u64,
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
            dispatched_ns: 0,
            completed_ns: 0,
        }
    }

    /// The end of this bio.
    fn done(&self) -> Done {
        Done {
            token: self.bio.token,
            process: self.bio.process,
            op: self.bio.op,
            sector: self.bio.sector,
            sectors: self.bio.sectors,
            result: self.result,
            submitted_ns: self.submitted_ns,
            queued_ns: self.queued_ns,
            dispatched_ns: self.dispatched_ns,
            completed_ns: self.completed_ns,
        }
    }
}

/// The arena. It grows to the greatest number of bios ever on their way, then allocates no more.
#[derive(Debug)]
pub(crate) struct Bios {
    slots: Vec<BioState>,
    free: BioSlot,
    in_use: u32,
    /// The bios whose ends were not taken yet, in the order of their ends: a chain.
    first_ended: BioSlot,
    last_ended: BioSlot,
}

impl Bios {
    pub fn new() -> Bios {
        Bios {
            slots: Vec::new(),
            free: BioSlot::NONE,
            in_use: 0,
            first_ended: BioSlot::NONE,
            last_ended: BioSlot::NONE,
        }
    }

    /// How many are on their way.
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

    /// A part has ended; its whole is told of that.
    pub fn remove(&mut self, slot: BioSlot) {
        self.in_use -= 1;
        self.give_back(slot);
    }

    /// A bio has ended, well or not; [`take_ended`](Bios::take_ended) tells so.
    #[inline]
    pub fn end(
        &mut self,
        slot: BioSlot,
        result: Result<(), IoError>,
        dispatched_ns: u64,
        now_ns: u64,
    ) {
        self.in_use -= 1;
        let state = &mut self[slot];
        state.result = result;
        (state.dispatched_ns, state.completed_ns) = (dispatched_ns, now_ns);
        state.next = BioSlot::NONE;
        match self.first_ended.some() {
            Some(_) => {
                let last = self.last_ended;
                self[last].next = slot;
            }
            None => self.first_ended = slot,
        }
        self.last_ended = slot;
    }

    /// Whether any has ended that was not taken.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.first_ended != BioSlot::NONE
    }

    /// The next end, in the order of the ends.
    #[inline]
    pub fn take_ended(&mut self) -> Option<Done> {
        let slot = self.first_ended.some()?;
        let state = &self[slot];
        let (done, next) = (state.done(), state.next);
        self.first_ended = next;
        self.give_back(slot);
        Some(done)
    }

    #[inline]
    fn give_back(&mut self, slot: BioSlot) {
        let free = std::mem::replace(&mut self.free, slot);
        self[slot].next = free;
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
        let mut in_use = vec![true; self.slots.len()];
        for (slot, _) in self.chain(self.free).chain(self.chain(self.first_ended)) {
            in_use[slot.0 as usize] = false;
        }
        self.slots.iter().zip(in_use).filter(|(_, in_use)| *in_use).map(|(state, _)| state)
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
