// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue becomes busy: does it continue where it stopped, is it raised, and does it take the
//! disk from the one in service (spec 3.15, 3.16)?

use crate::{
    fair::Service,
    model::{
        ids::{QueueId, RequestId},
        request::NewRequest,
    },
    policy::budget::state::Scheduler,
    why::{Decision, Observer, Reason},
};

/// An arrival within so many times slice_idle since the last completion is in time.
const IN_TIME_FACTOR: u64 = 3;

impl<O: Observer> Scheduler<O> {
    /// The first request of a queue that is not busy (spec 3.15). Returns whether the
    /// queue looks interactive.
    pub(crate) fn become_busy(&mut self, queue: QueueId, id: RequestId, new: &NewRequest) -> bool {
        let arrival = self.classify_arrival(queue, new);
        let window = self.tunables.slice_idle * IN_TIME_FACTOR;
        let last = self.model.queues[queue].history.last_completion;
        let in_time = !self.clock.now.is_more_than(window, last);
        let wants_preempt = self.set_activation_budget(queue, id, in_time);
        self.forgive_burst(queue, arrival.idle_for_long);
        self.model.queues[queue].policy.burst.just_created = false;
        if self.tunables.low_latency {
            self.update_raise(queue, arrival);
        }
        let tick = self.clock.tick;
        let state = &mut self.model.queues[queue];
        state.policy.backlog.start = tick;
        state.policy.backlog.service = Service::ZERO;
        state.policy.raise.soft_rt_update_pending = false;
        let continues = core::mem::replace(&mut state.policy.slot.continues, false);
        self.make_busy(queue, continues);
        if let Some(serving) = self.policy.slot.in_service
            && self.preempts(queue, serving, wants_preempt)
        {
            self.expire_in_favour_of(serving, Some(queue));
        }
        arrival.interactive
    }

    /// Gives the queue its budget (spec 3.16); returns whether it takes up its interrupted slot.
    fn set_activation_budget(&mut self, queue: QueueId, id: RequestId, in_time: bool) -> bool {
        let entity = self.model.queues[queue].policy.entity;
        let state = &self.model.queues[queue];
        let left = self.policy.fair.entity(entity).budget_left();
        let max_budget = state.policy.slot.max_budget;
        let continues = state.policy.slot.continues && in_time && left > Service::ZERO;
        let budget =
            if continues { left.min(max_budget) } else { max_budget.max(self.charge(state, id)) };
        self.policy.fair.set_service(entity, Service::ZERO);
        self.policy.fair.set_budget(entity, budget);
        self.model.queues[queue].policy.slot.continues = continues;
        continues
    }

    /// Whether the queue that became busy ends the slot of the one in service (spec 3.15, step 7).
    fn preempts(&self, queue: QueueId, serving: QueueId, wants_preempt: bool) -> bool {
        let root = self.policy.fair.root();
        let candidate = self.policy.fair.candidate(root);
        if candidate.is_some_and(|next| self.policy.fair.entity(next).is_in_service()) {
            return false;
        }
        (wants_preempt && self.coefficient(queue) >= self.coefficient(serving))
            || self.has_precedence(queue, serving)
            || self.better_to_idle(&self.model.queues[serving]).is_none()
    }

    /// Higher class, or higher weight at the first level where the two are comparable.
    fn has_precedence(&self, queue: QueueId, serving: QueueId) -> bool {
        if self.class(queue) < self.class(serving) {
            return true;
        }
        let siblings = self.model.queues[queue].group == self.model.queues[serving].group;
        let weight = |queue: QueueId| {
            let leaf = self.leaf(queue);
            match self.policy.fair.group_of(leaf.level()).filter(|_| !siblings) {
                Some(group) => self.policy.fair.entity(group).weight(),
                None => leaf.weight(),
            }
        };
        weight(queue) > weight(serving)
    }

    /// Ends the slot of the queue in service because of `by`.
    pub(crate) fn expire_in_favour_of(&mut self, serving: QueueId, by: Option<QueueId>) {
        self.expire(serving, Reason::Preempted, None);
        if let Some(by) = by {
            self.tell(|_| Decision::PreemptedBy { queue: serving, by });
        }
    }
}
