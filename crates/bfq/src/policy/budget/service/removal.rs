// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waiting requests leave their queue, and another one is next there (spec 2.6, 2.12).

use super::busy::Leaving;
use crate::{
    fair::{Owner, Service},
    model::{
        clock::Clock,
        ids::{QueueId, RequestId},
        queue::Queue,
        request::Requests,
    },
    policy::budget::state::{Budget, Scheduler},
    quirks::Quirk,
    tunables::BackSeeks,
    why::{Decision, Observer},
};
use core::mem;

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
    pub(crate) fn remove_waiting(&mut self, queue: QueueId, id: RequestId) {
        let seeks = &self.tunables.back_seeks;
        let (state, requests) = (&mut self.model.queues[queue], &mut self.model.requests);
        let removal = if state.waiting.next == Some(id) {
            self.policy.take_next(&self.clock, seeks, state, requests, id)
        } else {
            state.waiting.take_other(requests, id);
            Removal { was_next: false, was_last: false }
        };
        let serving = self.policy.slot.in_service == Some(queue);
        self.follow_removal(queue, removal, serving);
    }

    /// A waiting request has left its queue, which is in service (`serving`) or not.
    #[inline(always)]
    pub(super) fn follow_removal(&mut self, queue: QueueId, removal: Removal, serving: bool) {
        debug_assert_eq!(self.policy.slot.in_service == Some(queue), serving, "{queue:?}");
        self.model.load.queued -= 1;
        if !removal.was_last {
            if removal.was_next && !serving {
                self.update_next_budget(queue);
            }
            self.policy.update_position(&mut self.model, &self.clock, queue);
            return;
        }
        let entity = self.model.queues[queue].policy.entity;
        self.model.leave_positions(queue);
        if serving {
            return;
        }
        let forgotten = self.make_idle(queue, Leaving::Emptied);
        self.policy.fair.set_budget(entity, Service::ZERO);
        self.free_forgotten(forgotten);
    }
}

/// A waiting request has left its queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removal {
    /// It was the next one to be served.
    was_next: bool,
    /// Nothing waits there any more.
    was_last: bool,
}

impl Budget {
    /// Takes `id`, the next request of a queue, out of it; what follows from that is left to be
    /// done ([`Scheduler::follow_removal`]).
    #[inline(always)]
    pub(super) fn take_next(
        &self,
        clock: &Clock,
        seeks: &BackSeeks,
        state: &mut Queue<Budget>,
        requests: &mut Requests,
        id: RequestId,
    ) -> Removal {
        debug_assert!(state.policy.busy, "it has requests but is not busy");
        let check_fifo = !mem::replace(&mut state.policy.slot.fifo_checked, true);
        state.waiting.take_next(requests, id, check_fifo.then_some(clock.now), seeks);
        let yields = self.quirks.has(Quirk::DueYieldsInSharedQueues);
        if check_fifo && (!state.policy.merge.sharing.is_shared() || yields) {
            state.waiting.let_next_yield();
        }
        Removal { was_next: true, was_last: state.is_empty() }
    }
}
