// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: what a queue wants near to the head is served in the slot of another
//! one. So processes that read one stream in turn are as fast together as one that reads all of it.
//! Each pays for what it gets there; `streams` has what is done where they are parted.

use super::{pattern::NEAR, shares::NodeId, state::Scheduler};
use crate::{
    model::ids::QueueId,
    units::{Sector, Sectors},
    why::Observer,
};

/// Queues looked at for something near to the head.
pub(super) const LOOKED_AT: usize = 16;

/// How well a request suits the place of the head. The least is the best.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// The head has passed it.
    backward: bool,
    distance: Sectors,
}

impl<O: Observer> Scheduler<O> {
    /// Whose request is done next in the slot of a queue that does not seek with each request: its
    /// own, or that of another such queue that is nearer to the head. None if nothing waits there.
    pub(super) fn nearest_to_head(&self, holder: QueueId) -> Option<QueueId> {
        let own = self.way_to(holder);
        if own.as_ref().is_some_and(|way| !way.backward && way.distance == Sectors::NONE) {
            return Some(holder);
        }
        let nearest = self
            .in_order()
            .take(LOOKED_AT)
            .filter_map(|node| Some((self.way_to(self.queue_of(node))?, node)))
            .filter(|(way, node)| self.may_join(holder, own.as_ref(), *node, way))
            .min_by(|(one, _), (other, _)| one.cmp(other))
            .map(|(_, node)| self.queue_of(node));
        nearest.or(own.map(|_| holder))
    }

    /// The active queues in the order of their turns.
    pub(super) fn in_order(&self) -> impl Iterator<Item = NodeId> {
        let shares = &self.policy.shares;
        core::iter::successors(shares.first(), |&node| shares.after(node))
    }

    /// Whether another queue than the holder is one of its class that reads in sequence.
    pub(super) fn may_share_a_slot(&self, holder: QueueId, other: QueueId) -> bool {
        let class_of = |queue| self.policy.shares.class(self.node_of(queue));
        other != holder
            && class_of(other) == class_of(holder)
            && !self.is_random(other)
            && self.model.queues[other].sync
    }

    /// Whether the head is where the holder reads; taken for granted if it has nothing waiting.
    pub(super) fn is_at_head(&self, holder: QueueId) -> bool {
        self.way_to(holder).is_none_or(|way| way.distance <= NEAR)
    }

    /// The way of the head to the next request of a queue.
    fn way_to(&self, queue: QueueId) -> Option<Way> {
        let to = self.next_sector(queue)?;
        let head = self.policy.last_position;
        Some(Way { backward: to < head, distance: head.distance(to) })
    }

    /// Where the next request of a queue begins, if it has one.
    pub(super) fn next_sector(&self, queue: QueueId) -> Option<Sector> {
        let next = self.model.queues[queue].waiting.next?;
        Some(self.model.requests[next].sector)
    }

    /// Whether a queue may be served in the slot of another one: it reads in sequence, too, and is
    /// nearer to the head. What lies on the way to the holder's next request takes nothing from
    /// the holder, and who reads the same stream is left behind if the head passes it; anything
    /// else may be done for a queue whose claim on the disk is not less.
    fn may_join(&self, holder: QueueId, own: Option<&Way>, other: NodeId, way: &Way) -> bool {
        let queue = self.queue_of(other);
        let node = self.node_of(holder);
        let shares = &self.policy.shares;
        if way.distance > NEAR
            || own.is_some_and(|own| own <= way)
            || !self.may_share_a_slot(holder, queue)
        {
            return false;
        }
        let is_on_way =
            own.is_some_and(|own| !own.backward && own.distance <= NEAR && !way.backward);
        let reads_along = !way.backward
            && self.is_at_head(holder)
            && self.read_one_stream(holder, queue)
            && shares.is_within(other, self.slot(other).times(2));
        let has_no_less_claim = || {
            shares.is_on_loan(other) == shares.is_on_loan(node)
                && shares.is_within(other, self.slot(other))
                && shares.is_beside(other, node, self.policy.rotation.seek.mean().times(2))
        };
        is_on_way || reads_along || has_no_less_claim()
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
