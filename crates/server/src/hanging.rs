// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that hang in the backend: who else waits for them, and how many the backend is given.
//!
//! A command that the backend has had for too long is [overdue](blk::BlockLayer::set_overdue):
//! the scheduler goes on as if it had ended, and its place is given to another one. The backend has
//! [spare places](crate::backend::Backend::spare) for such commands, half of them for one tenant.
//! While a tenant has any of them, all of its commands go through them, so that the places of the
//! scheduler are the others': what the scheduler chooses of it is held back here until one of its
//! spare places is free. So the others wait once, and not for each command that hangs.

use blk::{Command, Tag};
use std::collections::VecDeque;

/// How long others wait for a command, if no other one of its tenant hangs.
pub const PATIENCE_NS: u64 = 1_000_000_000;
/// The least time, however many hang.
const LEAST_PATIENCE_NS: u64 = 10_000_000;

/// Whose a command is: a tenant's by its number, or no tenant's, as flushes are.
pub type Owner = Option<usize>;

/// A command that has a place of the scheduler's.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// The tag that it has in the block layer.
    pub tag: Tag,
    /// The tenant that it is charged to; none for a flush.
    pub owner: Owner,
    /// From when on it is waited for.
    pub since_ns: u64,
}

/// A command in a spare place.
#[derive(Debug, Clone, Copy)]
struct Spare {
    tag: Tag,
    owner: Owner,
    since_ns: u64,
    /// It has been out for too long; one that was held back before may be on time.
    hangs: bool,
}

/// What hangs in a backend.
#[derive(Debug, Default)]
pub struct Hanging {
    /// How many spare places there are.
    places: usize,
    /// How many of them one owner may have.
    places_of_one: usize,
    spare: Vec<Spare>,
    /// In the order in which the scheduler chose them.
    held_back: VecDeque<(Owner, Command)>,
    look_ns: Option<u64>,
}

impl Hanging {
    /// Nothing hangs, in a backend with that number of spare places.
    pub fn new(places: u32) -> Hanging {
        let places = places as usize;
        Hanging { places, places_of_one: places.div_ceil(2), ..Hanging::default() }
    }

    /// When [`Hanging::look`] is wanted.
    pub fn look_ns(&self) -> Option<u64> {
        self.look_ns
    }

    /// The scheduler has chosen a command. Returns whether it is held back: it is overdue from the
    /// start, and the backend does not get it yet.
    pub fn holds_back(&mut self, owner: Owner, command: Command) -> bool {
        let is_held = self.spare.iter().any(|spare| spare.owner == owner);
        if is_held {
            self.held_back.push_back((owner, command));
        }
        is_held
    }

    /// The backend has got a command, to be waited for from then on.
    pub fn handed_over(&mut self, owner: Owner, since_ns: u64) {
        if self.places > 0 {
            let due_ns = since_ns.saturating_add(self.patience_ns(owner));
            self.look_ns = Some(self.look_ns.map_or(due_ns, |look_ns| look_ns.min(due_ns)));
        }
    }

    /// The backend has got a command that was held back.
    pub fn put_in_spare_place(&mut self, owner: Owner, tag: Tag, since_ns: u64) {
        self.spare.push(Spare { tag, owner, since_ns, hangs: false });
        self.handed_over(owner, since_ns);
    }

    /// Names those of the placed commands, in the order of their age, that have been out for too
    /// long and for which there is a spare place: they have it now.
    pub fn look(&mut self, now_ns: u64, placed: &[Placed]) -> Vec<Tag> {
        self.look_ns = None;
        for place in 0..self.spare.len() {
            let Spare { owner, since_ns, hangs, .. } = self.spare[place];
            if !hangs && self.is_due(now_ns, owner, since_ns) {
                self.spare[place].hangs = true;
            }
        }
        let mut overdue = Vec::new();
        for &Placed { tag, owner, since_ns } in placed {
            if self.has_place(owner) && self.is_due(now_ns, owner, since_ns) {
                self.spare.push(Spare { tag, owner, since_ns, hangs: true });
                overdue.push(tag);
            }
        }
        let is_out = |tag: Tag| overdue.contains(&tag);
        let on_time = self.spare.iter().filter(|spare| !spare.hangs);
        let on_time = on_time.map(|spare| (spare.owner, spare.since_ns));
        let waited_for = placed.iter().filter(|one| !is_out(one.tag) && self.has_place(one.owner));
        let waited_for = waited_for.map(|one| (one.owner, one.since_ns));
        let due = on_time.chain(waited_for).map(|(owner, since_ns)| {
            let due_ns = since_ns.saturating_add(self.patience_ns(owner));
            due_ns.max(now_ns + LEAST_PATIENCE_NS)
        });
        self.look_ns = due.min();
        overdue
    }

    /// A command has come back. If it had a spare place, from when on it was waited for: one that
    /// was held back was not when the scheduler chose it.
    pub fn came_back(&mut self, now_ns: u64, tag: Tag) -> Option<u64> {
        let place = self.spare.iter().position(|spare| spare.tag == tag)?;
        // What keeps a place for want of a spare one may have that one.
        self.look_ns = Some(now_ns);
        Some(self.spare.swap_remove(place).since_ns)
    }

    /// The next command that was held back and for which there is a spare place.
    pub fn next_held_back(&mut self) -> Option<(Owner, Command)> {
        let place = self.held_back.iter().position(|(owner, _)| self.has_place(*owner))?;
        self.held_back.remove(place)
    }

    fn count(&self, counts: impl Fn(&Spare) -> bool) -> usize {
        self.spare.iter().filter(|spare| counts(spare)).count()
    }

    fn has_place(&self, owner: Owner) -> bool {
        let of_owner = self.count(|spare| spare.owner == owner);
        of_owner < self.places_of_one && self.spare.len() < self.places
    }

    /// One hanging command is a second for the others; the next of the same owner are half of one,
    /// a third and so on, so that many of them are some seconds at most.
    fn patience_ns(&self, owner: Owner) -> u64 {
        let hanging = self.count(|spare| spare.hangs && spare.owner == owner) as u64;
        (PATIENCE_NS / (1 + hanging)).max(LEAST_PATIENCE_NS)
    }

    fn is_due(&self, now_ns: u64, owner: Owner, since_ns: u64) -> bool {
        since_ns.saturating_add(self.patience_ns(owner)) <= now_ns
    }
}

#[cfg(test)]
#[path = "hanging_tests.rs"]
mod tests;
