// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees of busy queues (peers.md §5.4, §5.5).
//!
//! Generation A has one tree in which the class comes before the key. Here that is a tree for
//! each class, of a single group and kind of load: [`Groups`](super::groups::Groups) holds the
//! trees of both generations.

use std::collections::BTreeSet;

use blk::GroupId;

use super::queue_id::QueueId;
use base::Class;

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
    pub key_ticks: i64,
    pub sequence: u64,
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

    pub fn last_key_ticks(&self) -> Option<i64> {
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
    /// Behind the queues that are in the tree, where its turn comes.
    Back,
    /// Before all others, because it preempts.
    Front,
}
