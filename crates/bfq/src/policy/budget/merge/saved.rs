// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process remembers of its queue while it shares another one (spec 5.7).

use crate::{
    model::think_time::{IoBound, ThinkTime},
    policy::budget::{latency::raise::Raise, service::inject_limit::Injection},
    store::arena::{Arena, key},
    units::{Time, Weight},
};

key!(
    /// Names what a process remembers.
    SavedId
);

/// State saved at a merge and restored at a split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SavedState {
    pub base_weight: Weight,
    pub short_think_time: bool,
    pub think_time: ThinkTime,
    pub last_completion: Time,
    pub io_bound: IoBound,
    pub injection: Injection,
    pub in_large_burst: bool,
    pub was_in_burst_list: bool,
    pub coefficient: u32,
    pub raise: Raise,
}

/// All that processes remember. Each has a place for the name of what is its own.
#[derive(Debug)]
pub(crate) struct Saved(Arena<SavedId, SavedState>);

impl Saved {
    pub const fn new() -> Self {
        Saved(Arena::new())
    }

    /// Keeps the state of a process's queue. Few processes ever share one, so there is memory for
    /// it only from then on; if there is none, the process will begin anew after the split.
    pub fn keep(&mut self, place: &mut Option<SavedId>, state: SavedState) {
        match *place {
            Some(id) => self.0[id] = state,
            None => *place = self.0.insert(state).ok(),
        }
    }

    /// What a process keeps of its queue while it shares another's.
    pub fn of(&self, place: Option<SavedId>) -> Option<&SavedState> {
        place.map(|id| &self.0[id])
    }

    /// The same, to change it.
    pub fn of_mut(&mut self, place: Option<SavedId>) -> Option<&mut SavedState> {
        place.map(|id| &mut self.0[id])
    }

    /// A process is about to be freed, and what it remembers with it.
    pub fn forget(&mut self, place: &mut Option<SavedId>) {
        if let Some(id) = place.take() {
            self.0.remove(id);
        }
    }

    /// How many processes remember something.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// For what processes remember: the figures of [`crate::Scheduler::next_pieces_bytes`].
    pub fn next_pieces_bytes(&self) -> [usize; 2] {
        self.0.next_pieces_bytes()
    }
}
