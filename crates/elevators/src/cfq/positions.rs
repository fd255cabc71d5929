// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the next requests of busy queues lie (peers.md §5.9; bfq.md §5.3).

use std::collections::{BTreeMap, btree_map::Entry};

use super::queue::LEVELS;
use super::queue_id::QueueId;

/// Busy queues by the sector of their next request, for each level. Of two with the same sector
/// only the first is here.
#[derive(Debug, Default)]
pub(super) struct Positions([BTreeMap<u64, QueueId>; LEVELS]);

impl Positions {
    /// The queue of that level whose next request starts at that sector.
    pub fn at(&self, level: u8, sector: u64) -> Option<QueueId> {
        self.0[level as usize].get(&sector).copied()
    }

    /// The queue of that level nearest to a sector, at most so far away.
    pub fn nearest(&self, level: u8, sector: u64, within_sectors: u64) -> Option<QueueId> {
        let tree = &self.0[level as usize];
        let above = tree.range(sector..).next();
        let below = tree.range(..sector).next_back();
        let candidates = above.into_iter().chain(below);
        let (at, id) = candidates.min_by_key(|(at, _)| at.abs_diff(sector))?;
        (at.abs_diff(sector) <= within_sectors).then_some(*id)
    }

    /// Adds a queue, unless there is one at that sector. Returns whether it was added.
    pub fn add(&mut self, level: u8, sector: u64, id: QueueId) -> bool {
        match self.0[level as usize].entry(sector) {
            Entry::Vacant(vacant) => {
                vacant.insert(id);
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    /// Takes the queue at that sector out.
    pub fn remove(&mut self, level: u8, sector: u64) {
        self.0[level as usize].remove(&sector);
    }
}
