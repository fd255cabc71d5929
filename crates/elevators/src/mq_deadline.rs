// SPDX-License-Identifier: MIT OR Apache-2.0
//! `mq-deadline`: sector sweeps in batches, by direction and ioprio class, with soft
//! deadlines (peers.md §3).

mod counters;
mod dispatch;
mod elevator;
mod statistics;
#[cfg(test)]
mod tests;
mod tunables;

use base::Class;
use blk::{DeviceLimits, MergeIndex, QueueSettings, Tag};

use crate::sweep::{Batches, Direction, Slots, SweepQueue};
use crate::tag_list::TagList;
use counters::Counters;
use tunables::Tunables;

/// The waiting requests of one priority and direction.
#[derive(Debug, Default)]
struct ClassQueue {
    waiting: SweepQueue,
    /// Start of the request dispatched last, where the sweep goes on.
    position: u64,
}

impl ClassQueue {
    /// The request with which the sweep goes on.
    fn next(&self) -> Option<Tag> {
        self.waiting.at_or_above(self.position)
    }
}

/// Queues of one priority.
#[derive(Debug, Default)]
struct Level {
    queues: [ClassQueue; 2],
    /// Requests waiting or on the device.
    pending: u32,
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    /// Not here, or on the device.
    Away,
    /// In the queue of its priority and direction.
    Queue,
    /// In the direct-dispatch list.
    Direct,
}

/// What is remembered of a request.
#[derive(Debug, Clone, Copy)]
struct Entry {
    home: Home,
    priority: Class,
    direction: Direction,
}

const UNUSED: Entry =
    Entry { home: Home::Away, priority: Class::BestEffort, direction: Direction::Read };

/// The scheduler `mq-deadline`: `deadline` for each of three priority classes.
#[derive(Debug)]
pub struct MqDeadline {
    tunables: Tunables,
    levels: [Level; 3],
    /// The requests by tag.
    entries: Vec<Entry>,
    slots: Slots,
    /// Served before everything: requests that came back from the device.
    direct: TagList,
    /// Of all priorities together.
    batches: Batches,
    merges: MergeIndex,
    counters: Counters,
}

impl MqDeadline {
    /// The name of this scheduler.
    pub const NAME: &'static str = "mq-deadline";

    /// An empty scheduler for a device.
    pub fn new(limits: &DeviceLimits) -> MqDeadline {
        MqDeadline {
            tunables: Tunables::new(QueueSettings::default().pool_size(limits, false)),
            levels: Default::default(),
            entries: Vec::new(),
            slots: Slots::default(),
            direct: TagList::default(),
            batches: Batches::default(),
            merges: MergeIndex::new(),
            counters: Counters::default(),
        }
    }

    fn queue(&self, priority: Class, direction: Direction) -> &ClassQueue {
        &self.levels[priority as usize].queues[direction as usize]
    }

    fn queue_of(&mut self, tag: Tag) -> &mut ClassQueue {
        let entry = &self.entries[tag.index()];
        &mut self.levels[entry.priority as usize].queues[entry.direction as usize]
    }

    /// Puts a request into its queue.
    fn enter(&mut self, now_ns: i64, tag: Tag, priority: Class, direction: Direction, sector: u64) {
        let level = &mut self.levels[priority as usize];
        level.pending += 1;
        let deadline_ns = now_ns + self.tunables.sweep.expire_ns(direction);
        let queue = &mut level.queues[direction as usize].waiting;
        queue.insert(&mut self.slots, tag, sector, deadline_ns);
        self.entries[tag.index()] = Entry { home: Home::Queue, priority, direction };
    }

    /// Puts a request before everything else.
    fn enter_at_head(&mut self, tag: Tag, priority: Class, direction: Direction, sector: u64) {
        self.levels[priority as usize].pending += 1;
        self.direct.push_front(&mut self.slots.links, tag);
        self.slots.set_unsorted(tag, sector);
        self.entries[tag.index()] = Entry { home: Home::Direct, priority, direction };
    }

    /// Takes a waiting request out of its queue.
    fn remove(&mut self, tag: Tag) {
        let entry = &mut self.entries[tag.index()];
        entry.home = Home::Away;
        let queue = &mut self.levels[entry.priority as usize].queues[entry.direction as usize];
        queue.waiting.remove(&mut self.slots, tag);
        self.merges.removed(tag);
    }

    fn level_of(&mut self, tag: Tag) -> &mut Level {
        &mut self.levels[self.entries[tag.index()].priority as usize]
    }
}

impl AsRef<Batches> for MqDeadline {
    fn as_ref(&self) -> &Batches {
        &self.batches
    }
}
