// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of busy queues: nearly round robin, higher levels a little earlier (peers.md §5.4; the
//! keys serve generation B, too, §5.5).
//!
//! Generation A has one tree in which the class comes before the key. Here that is a tree for
//! each class, of a single group and kind of load: [`Groups`](super::groups::Groups) holds the
//! trees of both generations.

use std::collections::BTreeSet;

use blk::GroupId;

use super::Cfq;
use super::generation::Generation;
use super::queue::QueueId;
use super::ticks::HZ;
use base::Class;

/// A queue of the idle class stands so far behind the last one: 200 ms.
const IDLE_CLASS_DELAY_TICKS: i64 = HZ / 5;
/// A queue that preempts stands so far before the first one: 1 s.
const FRONT_LEAD_TICKS: i64 = HZ;

/// Kinds of load, which generation B serves in turn. In generation A all is
/// [`Sync`](Workload::Sync).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Workload {
    /// Synchronous queues that are waited for one by one.
    Sync,
    /// Synchronous queues that are not, but only together.
    SyncNoIdle,
    Async,
}

impl Workload {
    pub const ALL: [Workload; 3] = [Workload::Sync, Workload::SyncNoIdle, Workload::Async];
}

/// The tree in which a busy queue stands, and its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location {
    pub group: GroupId,
    pub class: Class,
    pub workload: Workload,
    pub place: TreeKey,
}

/// A place in a tree; of equal keys, the queue that came first is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreeKey {
    key_ticks: i64,
    sequence: u64,
}

/// Busy queues in the order of their keys.
#[derive(Debug, Default)]
pub(super) struct ServiceTree(BTreeSet<(TreeKey, QueueId)>);

impl ServiceTree {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn first(&self) -> Option<QueueId> {
        self.0.first().map(|(_, id)| *id)
    }

    pub fn first_key_ticks(&self) -> Option<i64> {
        self.0.first().map(|(place, _)| place.key_ticks)
    }

    fn last_key_ticks(&self) -> Option<i64> {
        self.0.last().map(|(place, _)| place.key_ticks)
    }

    pub fn insert(&mut self, place: TreeKey, id: QueueId) {
        self.0.insert((place, id));
    }

    pub fn remove(&mut self, place: TreeKey, id: QueueId) {
        self.0.remove(&(place, id));
    }

    pub fn iter(&self) -> impl Iterator<Item = (TreeKey, QueueId)> {
        self.0.iter().copied()
    }
}

/// Where a queue enters its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// At its turn.
    Back,
    /// Before all others, because it preempts.
    Front,
}

impl Cfq {
    /// Puts a queue at its place among the busy ones; it may stand somewhere already.
    pub(super) fn enter_service(&mut self, now_ticks: i64, id: QueueId, end: End) {
        let old = self.queues[id].location.take();
        if let Some(old) = old {
            self.groups.take_out(old, id);
        }
        let (group, class, workload) = self.tree_of(id);
        let key_ticks = self.key_ticks(now_ticks, id, end, (group, class, workload));
        let place = TreeKey { key_ticks, sequence: self.groups.next_sequence() };
        let location = Location { group, class, workload, place };
        self.groups.put_in(location, id);
        self.queues[id].location = Some(location);
        self.groups.settle(group);
        if let Some(old) = old {
            self.groups.settle(old.group);
        }
    }

    /// Takes a queue out of the busy ones.
    pub(super) fn leave_service(&mut self, id: QueueId) {
        if let Some(location) = self.queues[id].location.take() {
            self.groups.take_out(location, id);
            self.groups.settle(location.group);
        }
    }

    /// The tree that a queue belongs to now. The idle class has a single one in each group.
    fn tree_of(&self, id: QueueId) -> (GroupId, Class, Workload) {
        let queue = &self.queues[id];
        let class = queue.priority.class();
        if self.tunables.generation == Generation::Linux2_6_32 {
            return (GroupId::ROOT, class, Workload::Sync);
        }
        let workload = match (class, queue.sync, queue.idle_window) {
            (Class::Idle, ..) => Workload::Sync,
            (_, false, _) => Workload::Async,
            (_, true, false) => Workload::SyncNoIdle,
            (_, true, true) => Workload::Sync,
        };
        let to_root = workload == Workload::SyncNoIdle && !self.tunables.group_isolation;
        (if to_root { GroupId::ROOT } else { queue.group }, class, workload)
    }

    fn key_ticks(
        &mut self,
        now_ticks: i64,
        id: QueueId,
        end: End,
        (group, class, workload): (GroupId, Class, Workload),
    ) -> i64 {
        let tree = self.groups[group].tree(class, workload);
        if end == End::Front {
            return tree.first_key_ticks().unwrap_or(now_ticks) - FRONT_LEAD_TICKS;
        }
        if class == Class::Idle {
            return tree.last_key_ticks().unwrap_or(now_ticks) + IDLE_CLASS_DELAY_TICKS;
        }
        let others = match self.tunables.generation {
            Generation::Linux2_6_32 => self.groups.busy_queues(),
            Generation::Linux2_6_35 => self.groups[group].busy_queues(),
        } as i64;
        let queue = &mut self.queues[id];
        let residual_ticks = std::mem::take(&mut queue.residual_ticks);
        let (sync, level) = (queue.sync, queue.priority.level());
        let lag_ticks = self.level_slice_ticks(true, 0) - self.level_slice_ticks(sync, level);
        now_ticks + others * lag_ticks - residual_ticks
    }
}
