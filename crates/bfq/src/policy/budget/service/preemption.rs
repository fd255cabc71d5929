// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue becomes busy: does it continue where it stopped, is it raised, and does it take the
//! disk from the one in service (spec 3.15, 3.16)?

use crate::{
    fair::{Entity, Service},
    model::{Model, ids::QueueId, queue::Queue, request::NewRequest},
    policy::budget::{
        queue::SlotMemory,
        state::{Budget, Scheduler},
    },
    units::Sectors,
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// The first request of a queue that is not busy (spec 3.15). Returns whether the
    /// queue looks interactive.
    pub(super) fn become_busy(&mut self, queue: QueueId, new: &NewRequest) -> bool {
        debug_assert_ne!(self.policy.slot.in_service, Some(queue), "it is busy");
        let low_latency = self.tunables.low_latency;
        let Model { queues, processes, .. } = &mut self.model;
        let mut state = &mut queues[queue];
        let clock = &self.clock;
        let arrival = self.policy.classify_arrival(processes, clock, low_latency, state, new);
        let continues = self.policy.set_activation_budget(state, new.length(), arrival.in_time);
        let entity = state.policy.entity;
        if arrival.idle_for_long {
            let after = self.policy.durations.latency.forgive;
            self.policy.burst.forgive(queues, queue, clock.tick, after);
            state = &mut queues[queue];
        }
        state.policy.begin_backlog(clock.tick);
        if arrival.may_change_raise {
            self.raising(queue).follow_arrival(arrival);
        }
        self.make_busy(queue, entity, continues);
        if let Some(serving) = self.policy.slot.in_service
            && let [new, old] = [queue, serving].map(|queue| &self.model.queues[queue])
            && self.policy.preempts(continues, new, old, || {
                let (device, load) = (&self.device, &self.model.load);
                self.policy.better_to_idle(&self.tunables, device, load, old).is_some()
            })
        {
            self.expire_in_favour_of(serving, Some(queue));
        }
        arrival.interactive
    }

    /// Ends the slot of the queue in service because of `by`.
    pub(crate) fn expire_in_favour_of(&mut self, serving: QueueId, by: Option<QueueId>) {
        debug_assert_ne!(by, Some(serving), "it preempts itself");
        self.expire(serving, Reason::Preempted, None);
        if let Some(by) = by {
            self.tell(|_| Decision::PreemptedBy { queue: serving, by });
        }
    }
}

impl Budget {
    /// Whether the `new` queue, which became busy, ends the slot of the `old` one (spec 3.15, step
    /// 7), which may be waited for.
    #[inline]
    fn preempts(
        &self,
        continues: bool,
        new: &Queue<Budget>,
        old: &Queue<Budget>,
        is_waited_for: impl FnOnce() -> bool,
    ) -> bool {
        debug_assert!(new.policy.busy && old.policy.busy, "only one of them has something to do");
        let candidate = self.fair.candidate(self.fair.root());
        if candidate.is_some_and(|next| self.fair.entity(next).is_in_service()) {
            return false;
        }
        (continues && new.policy.coefficient() >= old.policy.coefficient())
            || self.has_precedence(new, old)
            || !is_waited_for()
    }

    /// Gives a queue its budget (spec 3.16), for its first request, of so many sectors; returns
    /// whether it takes up its interrupted slot.
    #[inline]
    fn set_activation_budget(
        &mut self,
        state: &Queue<Budget>,
        sectors: Sectors,
        in_time: bool,
    ) -> bool {
        let entity = state.policy.entity;
        let left = self.fair.entity(entity).budget_left();
        let SlotMemory { max_budget, continues, .. } = state.policy.slot;
        let continues = continues && in_time && left > Service::ZERO;
        let budget = if continues {
            left.min(max_budget)
        } else {
            max_budget.max(self.charge_of(state, sectors))
        };
        debug_assert!(!state.policy.busy, "it has a budget");
        self.fair.renew_budget(entity, budget);
        continues
    }

    /// Higher class, or higher weight at the first level where the two are comparable.
    #[inline]
    fn has_precedence(&self, new: &Queue<Budget>, old: &Queue<Budget>) -> bool {
        let [one, two] = [new, old].map(|state| self.leaf(state));
        if one.class() < two.class() {
            return true;
        }
        if new.group == old.group {
            return one.weight() > two.weight();
        }
        let weight = |leaf: &Entity| match self.fair.group_of(leaf.level()) {
            Some(group) => self.fair.entity(group).weight(),
            None => leaf.weight(),
        };
        weight(one) > weight(two)
    }
}
