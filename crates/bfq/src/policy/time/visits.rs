// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: who comes back after a pause is served in the slot of another queue, as
//! long as it keeps to its share. So a player gets its frames in time, and a shell its directories.
//!
//! It is like what `bfq` calls injection, but `bfq` injects while the queue in service has nothing,
//! and here its slot is interrupted. Nothing is lent for that. The visitor is charged for the visit
//! and for the way back of the head, and once it is too far before the others it waits for its
//! turn.

use core::ops::ControlFlow;

use super::{
    device_time::DeviceTime,
    loans::First,
    shares::NodeId,
    state::{Scheduler, TimeQueue},
};
use crate::{
    model::{
        ids::{QueueId, RequestId},
        request::Operation,
    },
    units::Span,
    why::{Observer, WithholdRule},
};

/// After each pause a queue may visit for this many seeks: more needs a slot. Nor is it
/// let in if it is further before the others than that: who is new has paid for the first one, and
/// who runs far ahead has to wait for long later.
const MOST_SEEKS: u64 = 3;
/// How long the disk is left alone after a visit, to read ahead.
const READ_AHEAD: Span = Span::from_ms(8);
/// Queues looked at, in the order of their turns.
const LOOKED_AT: usize = 16;

impl TimeQueue {
    /// It was served in the slot of another queue, or is the visitor.
    pub(super) fn note_visit(&mut self, service: Span) {
        if let Some(visits) = &mut self.visits {
            visits.charged += service;
        }
    }
}

impl<O: Observer> Scheduler<O> {
    /// Serves a visitor if there is one, in the slot of a queue, or while the disk empties its
    /// cache before the next slot. It has the disk for itself, unless that chooses among the random
    /// requests of a slot.
    pub(super) fn serve_visitor(
        &mut self,
        holder: Option<QueueId>,
    ) -> ControlFlow<Option<RequestId>> {
        if !self.policy.allowances.visits.has(self.clock.now, Span::from_ns(1)) {
            return ControlFlow::Continue(());
        }
        let Some(visitor) = self.next_visitor(holder) else { return ControlFlow::Continue(()) };
        debug_assert!(Some(visitor) != holder, "{visitor:?} visits itself");
        if holder.is_none_or(|holder| !self.is_random(holder)) {
            if self.model.load.in_flight > 0 {
                return ControlFlow::Break(self.withhold(visitor, WithholdRule::BeforeSlot, None));
            }
            self.policy.rotation.visitor = Some(visitor);
        }
        if let Some(holder) = holder {
            self.end_hold(holder, true);
        }
        ControlFlow::Break(self.send_rotating(visitor))
    }

    /// The visitor that may be served next.
    fn next_visitor(&mut self, holder: Option<QueueId>) -> Option<QueueId> {
        let First { node: first, on_loan, .. } = self.first_in_order()?;
        let shares = &self.policy.shares;
        if on_loan {
            return None;
        }
        let holder = holder.map(|holder| self.node_of(holder));
        core::iter::successors(Some(first), |&node| shares.after(node))
            .take(LOOKED_AT)
            .find(|&node| self.may_visit(node, first, holder))
            .map(|node| self.queue_of(node))
    }

    /// Whether a queue may be the visitor now.
    fn may_visit(&self, node: NodeId, first: NodeId, holder: Option<NodeId>) -> bool {
        let (shares, state) = (&self.policy.shares, &self.model.queues[self.queue_of(node)]);
        let most = self.policy.rotation.seek.mean().times(MOST_SEEKS);
        let Some(visits) = state.policy.visits.as_ref() else { return false };
        let next = state.waiting.next.map(|id| self.model.requests[id].operation);
        // What a write takes is told by later reads only. To a writer it is no more than one of its
        // own: so a log that waits until it is on the disk does not wait for the slot, too.
        let of_log = visits.rested && holder.is_some_and(|holder| self.writes(holder));
        let is_welcome = next == Some(Operation::Read) || of_log && next == Some(Operation::Write);
        Some(node) != holder
            && visits.charged < most
            && state.sync
            && is_welcome
            && shares.class(node) == shares.class(first)
            && shares.is_within_beside(node, holder, most)
    }

    /// Whether the queue of a node writes.
    fn writes(&self, node: NodeId) -> bool {
        self.model.queues[self.queue_of(node)].policy.pace.writes
    }

    /// A request of a queue is complete, and took `took`. If the head came to a visitor for it,
    /// the visitor pays its way back, but for a writer's slot: when the head goes there is up to
    /// the disk's cache. If the visitor reads in sequence, the disk is left alone for a moment, at
    /// its expense: it reads on into its cache, and the next visits take the head nowhere.
    pub(super) fn end_visit(&mut self, queue: QueueId, took: Span) {
        let rotation = &self.policy.rotation;
        let seek = rotation.seek.mean();
        if rotation.visitor != Some(queue) {
            return;
        }
        let moved = took >= seek / 2 && !self.model.queues[queue].policy.pace.writes;
        let of_no_use = self.model.queues[queue].policy.read_ahead.ended(moved);
        if !moved {
            // It was in the disk's cache: the head is still where the holder left it.
            self.policy.last_position = self.policy.rotation.left_at;
            return;
        }
        let now = self.clock.now;
        if of_no_use {
            self.policy.cache.find_more(now);
        }
        self.policy.cache.filling.interrupt();
        self.policy.allowances.visits.spend(seek);
        let holder = self.policy.rotation.holder;
        if let Some(holder) = holder.filter(|&holder| !self.writes(self.node_of(holder))) {
            let [visitor, payer] = [queue, self.payer_of(holder)].map(|queue| self.node_of(queue));
            self.policy.shares.charge(visitor, DeviceTime::of(seek));
            self.policy.shares.charge(payer, -DeviceTime::of(seek));
        }
        if !self.is_random(queue) {
            self.let_read_ahead(queue);
        }
    }

    /// Leaves the disk alone for a visitor that reads in sequence, if that is due and the disk
    /// would read ahead. If it would not, it will soon.
    fn let_read_ahead(&mut self, visitor: QueueId) {
        let (now, cache) = (self.clock.now, &mut self.policy.cache);
        let state = &mut self.model.queues[visitor];
        if !state.policy.read_ahead.is_due() {
            cache.give_up_small();
            return;
        }
        cache.keep_small(now);
        if state.is_empty() && cache.has_little(now) {
            state.policy.read_ahead.begin();
            let longest = READ_AHEAD.min(self.tunables.slice_idle);
            self.hold_for(visitor, Some(now + longest));
        }
    }

    /// Whether a visitor has the disk: for its request, or to read ahead.
    pub(super) fn goes_on_visiting(&mut self) -> bool {
        let Some(visitor) = self.policy.rotation.visitor else { return false };
        let state = &self.model.queues[visitor];
        let hold = self.policy.hold.filter(|hold| hold.queue == visitor);
        let until = hold.and_then(|hold| hold.until).filter(|until| *until > self.clock.now);
        if state.in_flight > 0 {
            self.withhold(visitor, WithholdRule::Visit, None);
        } else if until.is_some() && state.is_empty() {
            self.withhold(visitor, WithholdRule::ReadAhead, until);
        } else {
            self.end_hold(visitor, true);
            self.policy.rotation.visitor = None;
            return false;
        }
        true
    }
}

#[cfg(test)]
#[path = "visits_tests.rs"]
mod tests;
