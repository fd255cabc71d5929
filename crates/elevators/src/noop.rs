// SPDX-License-Identifier: MIT OR Apache-2.0
//! `noop` of the single-queue kernels: first come, first served; neighbours become one
//! request (peers.md §2).

#[cfg(test)]
mod tests;

use blk::{
    Bio, Elevator, Merge, MergeIndex, MergeKind, MergeRules, Pool, Tag, TagState, TunableError,
};

use crate::tag_list::{TagLinks, TagList};

/// The scheduler `noop`: first come, first served, with merging.
#[derive(Debug, Default)]
pub struct Noop {
    fifo: TagList,
    links: TagLinks,
    merges: MergeIndex,
}

impl Noop {
    /// The name of this scheduler.
    pub const NAME: &'static str = "noop";

    /// A queue without requests.
    pub fn new() -> Noop {
        Noop::default()
    }
}

impl Elevator for Noop {
    fn name(&self) -> &'static str {
        Noop::NAME
    }

    fn only_queues(&self) -> bool {
        true
    }

    fn set_tunable(&mut self, _: u64, name: &str, _: &str) -> Result<(), TunableError> {
        Err(TunableError::unknown(Noop::NAME, name, []))
    }

    fn pool_resized(&mut self, _: u64, _: u32, tags: u32) {
        self.links.resize(tags);
        self.merges.resize(tags);
    }

    /// Only the hint is tried at its front, too.
    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        self.merges.find(&mut (), bio, rules, pool, |(), _| true, |(), _| None)
    }

    fn bio_merged(&mut self, _: u64, tag: Tag, _: MergeKind, pool: &Pool) {
        self.merges.grown(tag, pool);
    }

    /// In the order of arrival, since there is no other.
    fn neighbour(&self, tag: Tag, kind: MergeKind, _: &Pool) -> Option<Tag> {
        match kind {
            MergeKind::Back => self.links.next(tag),
            MergeKind::Front => self.links.previous(tag),
        }
    }

    fn requests_merged(&mut self, _: u64, survivor: Tag, absorbed: Tag, pool: &Pool) {
        // At an insertion merge the absorbed one never came here.
        if pool[absorbed].state() == TagState::Waiting {
            self.fifo.remove(&mut self.links, absorbed);
            self.merges.removed(absorbed);
        }
        self.merges.grown(survivor, pool);
    }

    fn find_insertion_merge(
        &mut self,
        _: u64,
        tag: Tag,
        rules: &MergeRules,
        pool: &Pool,
    ) -> Option<Tag> {
        self.merges.find_insertion_merge(tag, rules, pool)
    }

    fn insert(&mut self, _: u64, tag: Tag, at_head: bool, pool: &Pool) {
        if at_head {
            self.fifo.push_front(&mut self.links, tag);
        } else {
            self.fifo.push_back(&mut self.links, tag);
        }
        self.merges.inserted(tag, pool);
    }

    fn has_work(&self) -> bool {
        !self.fifo.is_empty()
    }

    fn dispatch(&mut self, _: u64, _: &Pool) -> Option<Tag> {
        let tag = self.fifo.pop_front(&mut self.links)?;
        self.merges.removed(tag);
        Some(tag)
    }

    fn completed(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn requeued(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn check(&self, pool: &Pool) {
        let mut held: Vec<Tag> = self.fifo.iter(&self.links).collect();
        let mergeable = held.iter().copied().filter(|tag| pool[*tag].mergeable()).collect();
        self.merges.check(mergeable, pool);
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "noop holds");
    }
}
