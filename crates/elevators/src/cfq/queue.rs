// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues: one for the synchronous requests of each process, one for the asynchronous ones of each
//! ioprio (peers.md §5.2).

use std::ops::{Index, IndexMut};

use base::{Class, IOPRIO_LEVELS, Ioprio};
use blk::{GroupId, ProcessId, Tag};

use super::queue_id::QueueId;
use super::seek::SeekHistory;
use super::service_tree::Location;
use super::slice::Slice;
use crate::sorted_tags::SortedTags;
use crate::tag_list::TagList;

/// Number of levels in a class: 0 has the longest slices.
pub(super) const LEVELS: usize = IOPRIO_LEVELS as usize;

/// Who uses a queue, and so how long it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Users {
    /// The number of its processes; an unused queue is freed when it is drained.
    Processes(u32),
    /// All processes: asynchronous queues, and the one for synchronous requests without process.
    Everybody,
}

/// A queue of requests.
#[derive(Debug)]
pub(super) struct CfqQueue {
    pub sync: bool,
    pub priority: Ioprio,
    /// The group of its process; of asynchronous queues the root.
    pub group: GroupId,
    pub users: Users,
    /// The process whose request came last.
    pub process: Option<ProcessId>,

    pub sorted: SortedTags,
    pub fifo: TagList,
    /// The request to serve next: there is one if any waits.
    pub next: Option<Tag>,
    pub waiting: u32,
    pub metadata_waiting: u32,
    pub in_flight: u32,

    /// Where it stands among the busy queues: those with requests, and the active one.
    pub location: Option<Location>,
    /// Its key in the tree of positions: the sector of `next`, below the queue's level.
    pub position: Option<(u8, u64)>,
    /// What was left of its last slice (or, negative, was overdrawn).
    pub residual_ticks: i64,
    pub slice: Slice,

    /// Whether its process is worth being waited for.
    pub idle_window: bool,
    /// A request came while it was waited for, and the slice may not end before it was dispatched.
    pub must_dispatch: bool,
    /// Had four requests waiting once (generation B): worth waiting for though it seeks.
    pub deep: bool,
    /// Generation B's measure of seeking.
    pub history: SeekHistory,
    /// Generation A: it was jumped to as a cooperator, and not chosen in its turn since.
    pub cooperates: bool,
    /// Generation B: the queue that its processes go over to.
    pub merges_into: Option<QueueId>,
    /// Generation B: queues that merge into this one.
    pub merging: u32,
    /// Generation B: it came out of a merge and seeks: its processes part again.
    pub splits: bool,
}

impl CfqQueue {
    pub fn new(sync: bool, priority: Ioprio, group: GroupId, users: Users) -> CfqQueue {
        CfqQueue {
            sync,
            priority,
            group,
            users,
            process: None,
            sorted: SortedTags::default(),
            fifo: TagList::default(),
            next: None,
            waiting: 0,
            metadata_waiting: 0,
            in_flight: 0,
            location: None,
            position: None,
            residual_ticks: 0,
            slice: Slice::default(),
            idle_window: sync && priority.class() != Class::Idle,
            must_dispatch: false,
            deep: false,
            history: SeekHistory::default(),
            cooperates: false,
            merges_into: None,
            merging: 0,
            splits: false,
        }
    }

    /// How many processes use it.
    pub fn processes(&self) -> u32 {
        match self.users {
            Users::Processes(count) => count,
            Users::Everybody => 0,
        }
    }

    pub fn joined_by_process(&mut self) {
        if let Users::Processes(count) = &mut self.users {
            *count += 1;
        }
    }

    pub fn left_by_process(&mut self) {
        if let Users::Processes(count) = &mut self.users {
            *count -= 1;
        }
    }

    /// It will never be needed again.
    pub fn is_over(&self) -> bool {
        self.users == Users::Processes(0)
            && self.merging == 0
            && self.in_flight == 0
            && self.location.is_none()
    }
}

/// All queues of the device.
#[derive(Debug, Default)]
pub(super) struct Queues {
    slots: Vec<Option<CfqQueue>>,
    free: Vec<QueueId>,
}

impl Queues {
    pub fn add(&mut self, queue: CfqQueue) -> QueueId {
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = Some(queue);
            return id;
        }
        self.slots.push(Some(queue));
        QueueId::at(self.slots.len() - 1)
    }

    /// Frees a queue if it is over, and the ones it was to merge into.
    pub fn release(&mut self, id: QueueId) {
        let mut released = Some(id);
        while let Some(id) = released {
            if !self[id].is_over() {
                return;
            }
            released = self[id].merges_into;
            self.slots[id.index()] = None;
            self.free.push(id);
            if let Some(target) = released {
                self[target].merging -= 1;
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (QueueId, &CfqQueue)> {
        let named =
            |(index, slot): (usize, _)| Option::map(slot, |queue| (QueueId::at(index), queue));
        self.slots.iter().map(Option::as_ref).enumerate().filter_map(named)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut CfqQueue> {
        self.slots.iter_mut().flatten()
    }
}

impl Index<QueueId> for Queues {
    type Output = CfqQueue;

    fn index(&self, id: QueueId) -> &CfqQueue {
        self.slots[id.index()].as_ref().expect("queues are named only while they exist")
    }
}

impl IndexMut<QueueId> for Queues {
    fn index_mut(&mut self, id: QueueId) -> &mut CfqQueue {
        self.slots[id.index()].as_mut().expect("queues are named only while they exist")
    }
}
