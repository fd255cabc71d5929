// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waiting requests leave their queue, and another one is next there (spec 2.6, 2.12).

use super::busy::Leaving;
use crate::{
    fair::{Owner, Service},
    model::ids::{QueueId, RequestId},
    policy::budget::state::Scheduler,
    quirks::Quirk,
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// The next request of a queue that is not in service changed: its budget must cover
    /// it (spec 2.6).
    pub(crate) fn update_next_budget(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        let Some(next) = state.waiting.next else { return };
        let charge = self.policy.charge(&self.model.requests, state, next);
        let entity = state.policy.entity;
        let leaf = self.policy.leaf(state);
        debug_assert!(!leaf.is_in_service(), "the budget of a slot stays as it is");
        let budget = state.policy.slot.max_budget.max(charge).max(leaf.service());
        if budget == leaf.budget() {
            return;
        }
        self.policy.fair.set_budget(entity, budget);
        self.tell(|_| Decision::BudgetGrown { queue, budget });
        if self.policy.fair.is_active(entity) {
            let changed = self.policy.fair.reposition(entity, self.clock.tick);
            let forgotten = self.follow_up(changed);
            self.free_forgotten(forgotten);
        }
    }

    /// Takes a waiting request out of its queue (spec 2.12).
    #[inline(always)]
    pub(crate) fn remove_waiting(&mut self, queue: QueueId, id: RequestId) {
        let (now, seeks) = (self.clock.now, self.tunables.back_seeks());
        let yields = self.policy.quirks.has(Quirk::DueYieldsInSharedQueues);
        let state = &mut self.model.queues[queue];
        let is_next = state.waiting.next == Some(id);
        let check_fifo =
            is_next && !core::mem::replace(&mut state.policy.slot.fifo_checked, is_next);
        state.waiting.remove(&mut self.model.requests, id, check_fifo.then_some(now), seeks);
        if check_fifo && (!state.policy.merge.sharing.is_shared() || yields) {
            state.waiting.let_next_yield();
        }
        let (empty, busy) = (state.is_empty(), state.policy.busy);
        debug_assert!(empty || busy, "{queue:?} has requests but is not busy");
        self.model.load.queued -= 1;
        if is_next && self.policy.slot.in_service != Some(queue) {
            self.update_next_budget(queue);
        }
        if !empty {
            self.policy.update_position(&mut self.model, &self.clock, queue);
            return;
        }
        if busy && self.policy.slot.in_service != Some(queue) {
            let forgotten = self.make_idle(queue, Leaving::Emptied);
            let entity = self.model.queues[queue].policy.entity;
            self.policy.fair.set_budget(entity, Service::ZERO);
            self.policy.fair.set_service(entity, Service::ZERO);
            self.model.leave_positions(queue);
            self.free_forgotten(forgotten);
        } else {
            self.model.leave_positions(queue);
        }
    }
}
