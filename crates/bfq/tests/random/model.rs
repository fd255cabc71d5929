// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a host knows of its requests, and what it therefore expects of the scheduler: each piece of
//! I/O ends exactly once, and nothing is handed out that does not wait.

use bfq::{NewRequest, RequestId};
use std::collections::VecDeque;

/// Where a request is, as far as the host knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Free,
    /// In a queue of the scheduler.
    Waiting,
    /// In the scheduler, to be served first.
    Direct,
    /// With the host or the device.
    Dispatched,
    /// Refused by the device; to be inserted again, at the head.
    Refused {
        until_ns: u64,
    },
}

/// A place of the request pool.
#[derive(Clone, Debug)]
pub struct Slot {
    pub state: State,
    pub what: Option<NewRequest>,
    pub worker: Option<usize>,
    /// The pieces of I/O that ride on it.
    pub bios: Vec<usize>,
    /// It was dispatched by a scheduler that was replaced since.
    pub foreign: bool,
    /// The scheduler counts it in flight once it is dispatched.
    pub counted: bool,
}

/// A piece of I/O of a process.
#[derive(Clone, Copy, Debug)]
pub struct Bio {
    pub worker: Option<usize>,
    pub ended: bool,
}

#[derive(Debug, Default)]
pub struct Model {
    pub slots: Vec<Slot>,
    pub bios: Vec<Bio>,
    /// The requests to be served first, in order.
    pub direct: VecDeque<usize>,
}

pub fn id(slot: usize) -> RequestId {
    RequestId::from_index(slot)
}

impl Model {
    pub fn resize(&mut self, slots: usize) {
        if slots > self.slots.len() {
            let free = Slot {
                state: State::Free,
                what: None,
                worker: None,
                bios: Vec::new(),
                foreign: false,
                counted: false,
            };
            self.slots.resize(slots, free);
        }
    }

    pub fn new_bio(&mut self, worker: Option<usize>) -> usize {
        self.bios.push(Bio { worker, ended: false });
        self.bios.len() - 1
    }

    pub fn what(&self, slot: usize) -> NewRequest {
        self.slots[slot].what.expect("a slot in use")
    }

    pub fn free_slot(&self, below: usize) -> Option<usize> {
        self.slots.iter().take(below).position(|slot| slot.state == State::Free)
    }

    pub fn in_state(&self, state: State) -> impl Iterator<Item = usize> {
        let slots = self.slots.iter().enumerate();
        slots.filter(move |(_, slot)| slot.state == state).map(|(at, _)| at)
    }

    /// A piece of I/O ends.
    pub fn end_bio(&mut self, bio: usize) {
        let bio = &mut self.bios[bio];
        assert!(!bio.ended, "a piece of I/O ended twice");
        bio.ended = true;
    }

    /// The slot becomes free; returns the I/O that was on it.
    pub fn free(&mut self, slot: usize) -> Vec<usize> {
        let slot = &mut self.slots[slot];
        assert_ne!(slot.state, State::Free);
        slot.state = State::Free;
        slot.what = None;
        slot.foreign = false;
        std::mem::take(&mut slot.bios)
    }

    /// The scheduler handed out a request.
    pub fn dispatched(&mut self, slot: usize) {
        match self.direct.front() {
            Some(&first) => assert_eq!(slot, first, "the direct requests go first, in order"),
            None => assert_eq!(self.slots[slot].state, State::Waiting, "slot {slot}"),
        }
        if self.slots[slot].state == State::Direct {
            self.direct.pop_front();
        }
        self.slots[slot].state = State::Dispatched;
    }

    pub fn waiting(&self) -> usize {
        self.in_state(State::Waiting).count()
    }

    /// Requests that the present scheduler counts as in flight.
    pub fn in_flight(&self) -> usize {
        let mine = |&slot: &usize| self.slots[slot].counted && !self.slots[slot].foreign;
        self.in_state(State::Dispatched).filter(mine).count()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.state == State::Free)
    }
}
