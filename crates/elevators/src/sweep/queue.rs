// SPDX-License-Identifier: MIT OR Apache-2.0
//! The waiting requests of one direction: the same ones in two orders.

use std::ops::Index;

use blk::{MergeKind, Tag};

use crate::sorted_tags::{SortKey, SortedTags};
use crate::tag_list::{TagLinks, TagList};

/// Where a request is in both orders.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub place: SortKey,
    /// Signed: with a shrunken expiry time an arrival is computed to before time 0.
    pub deadline_ns: i64,
}

/// The slots of all tags, shared by all queues of an elevator.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    of_tag: Vec<Slot>,
    pub links: TagLinks,
}

impl Slots {
    /// Makes room for tags below `tags`.
    pub fn resize(&mut self, tags: u32) {
        let unused = Slot { place: SortKey::unsorted(0), deadline_ns: 0 };
        self.of_tag.resize(self.of_tag.len().max(tags as usize), unused);
        self.links.resize(tags);
    }

    /// Notes the start of a request that enters no queue.
    pub fn set_unsorted(&mut self, tag: Tag, sector: u64) {
        self.of_tag[tag.index()] = Slot { place: SortKey::unsorted(sector), deadline_ns: 0 };
    }
}

impl Index<Tag> for Slots {
    type Output = Slot;

    fn index(&self, tag: Tag) -> &Slot {
        &self.of_tag[tag.index()]
    }
}

/// The queue of a direction.
#[derive(Debug, Default)]
pub(crate) struct SweepQueue {
    sorted: SortedTags,
    /// Requests by their deadlines.
    fifo: TagList,
}

impl SweepQueue {
    pub fn is_empty(&self) -> bool {
        self.fifo.is_empty()
    }

    /// The request whose deadline comes first.
    pub fn oldest(&self) -> Option<Tag> {
        self.fifo.first()
    }

    /// The first request that starts at or above `sector`.
    pub fn at_or_above(&self, sector: u64) -> Option<Tag> {
        self.sorted.at_or_above(sector)
    }

    /// The first request that starts at `sector`.
    pub fn at(&self, sector: u64) -> Option<Tag> {
        self.sorted.at(sector)
    }

    /// The waiting request that follows or precedes a waiting one in sector order.
    pub fn neighbour(&self, slots: &Slots, tag: Tag, kind: MergeKind) -> Option<Tag> {
        match kind {
            MergeKind::Back => self.sorted.next(slots[tag].place, tag),
            MergeKind::Front => self.sorted.previous(slots[tag].place, tag),
        }
    }

    /// Puts a request at its place and at the end of the line.
    pub fn insert(&mut self, slots: &mut Slots, tag: Tag, sector: u64, deadline_ns: i64) {
        let place = self.sorted.insert(sector, tag);
        self.fifo.push_back(&mut slots.links, tag);
        slots.of_tag[tag.index()] = Slot { place, deadline_ns };
    }

    /// Takes a waiting request out.
    pub fn remove(&mut self, slots: &mut Slots, tag: Tag) {
        self.sorted.remove(slots[tag].place, tag);
        self.fifo.remove(&mut slots.links, tag);
    }

    /// Brings a waiting request to its place after its start has changed.
    pub fn sort_again(&mut self, slots: &mut Slots, tag: Tag, sector: u64) {
        self.sorted.remove(slots[tag].place, tag);
        slots.of_tag[tag.index()].place = self.sorted.insert(sector, tag);
    }

    /// Two requests become one: the survivor takes the earlier deadline and the place in the line
    /// that goes with it; the other one leaves.
    pub fn coalesce(&mut self, slots: &mut Slots, survivor: Tag, absorbed: Tag) {
        let deadline_ns = slots[absorbed].deadline_ns;
        if deadline_ns < slots[survivor].deadline_ns {
            slots.of_tag[survivor.index()].deadline_ns = deadline_ns;
            self.fifo.remove(&mut slots.links, survivor);
            self.fifo.insert_before(&mut slots.links, survivor, absorbed);
        }
        self.remove(slots, absorbed);
    }

    /// The requests, by tag, with the place of each. Asserts that both orders hold the same.
    pub fn check(&self, slots: &Slots) -> Vec<(Tag, SortKey)> {
        let mut sorted: Vec<(Tag, SortKey)> =
            self.sorted.iter().map(|(place, tag)| (tag, place)).collect();
        sorted.sort();
        let mut fifo: Vec<Tag> = self.fifo.iter(&slots.links).collect();
        fifo.sort();
        assert!(sorted.iter().map(|(tag, _)| *tag).eq(fifo), "both orders hold the same requests");
        assert!(sorted.iter().all(|(tag, place)| slots[*tag].place == *place), "places");
        sorted
    }
}
