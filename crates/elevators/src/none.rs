// SPDX-License-Identifier: MIT OR Apache-2.0
//! `none`: first come, first served; merging against the last few requests that wait
//! (peers.md §1.2, §1.3).

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use blk::{Bio, Elevator, Merge, MergeRules, Pool, Tag, TagState, TunableError};

use crate::recent;

/// The scheduler `none`: a FIFO. Requests hold device tags, so the pool is as large as the device's
/// queue is deep.
#[derive(Debug, Default)]
pub struct Fifo {
    waiting: VecDeque<Tag>,
}

impl Fifo {
    /// The name of this scheduler.
    pub const NAME: &'static str = "none";

    /// A queue without requests.
    pub fn new() -> Fifo {
        Fifo::default()
    }
}

impl Elevator for Fifo {
    fn name(&self) -> &'static str {
        Fifo::NAME
    }

    fn uses_device_tags(&self) -> bool {
        true
    }

    fn only_queues(&self) -> bool {
        true
    }

    fn set_tunable(&mut self, _: u64, name: &str, _: &str) -> Result<(), TunableError> {
        Err(TunableError::unknown(Fifo::NAME, name, []))
    }

    fn pool_resized(&mut self, _: u64, _: u32, tags: u32) {
        self.waiting.reserve((tags as usize).saturating_sub(self.waiting.len()));
    }

    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        recent::find_merge(&self.waiting, bio, rules, pool)
    }

    fn insert(&mut self, _: u64, tag: Tag, at_head: bool, _: &Pool) {
        if at_head {
            self.waiting.push_front(tag);
        } else {
            self.waiting.push_back(tag);
        }
    }

    fn has_work(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn dispatch(&mut self, _: u64, _: &Pool) -> Option<Tag> {
        self.waiting.pop_front()
    }

    fn completed(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn requeued(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn check(&self, pool: &Pool) {
        let mut held: Vec<Tag> = self.waiting.iter().copied().collect();
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "none holds");
    }
}
