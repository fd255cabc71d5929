// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue goes on, and which comes next (spec 3.3, 3.4)?

use super::turn::Turn;
use crate::{
    fair::Owner,
    model::{device::Device, ids::QueueId, load::Load, queue::Queue},
    policy::budget::{
        counters::Counter,
        state::{Budget, Scheduler},
    },
    tunables::Tunables,
    why::{Decision, IdlingRule, InjectionRule, Observer, Reason},
};

/// What becomes of the slot of a queue that has no request to serve.
#[derive(Clone, Copy, Debug)]
enum WhenEmpty {
    /// The disk is kept idle, and the idle timer runs.
    Waits,
    /// The disk is kept idle until the queue's requests in flight are complete.
    Plugged(IdlingRule),
    /// The slot ends.
    Ends,
}

impl<O: Observer> Scheduler<O> {
    /// Selects the request to serve (spec 3.3).
    #[inline]
    pub(super) fn select(&mut self) -> Option<Turn> {
        let waited_for = loop {
            let (queue, goes_on) = match self.policy.slot.in_service {
                Some(queue) => (queue, true),
                None => (self.set_next_in_service()?, false),
            };
            let state = &self.model.queues[queue];
            debug_assert!(state.policy.busy, "{queue:?} has nothing to serve");
            if goes_on && self.is_to_time_out(state) {
                self.expire(queue, Reason::BudgetTimeout, None);
                continue;
            }
            if self.device.actuators > 1
                && let Some(turn) = self.policy.find_for_actuator(&self.model, &self.device, queue)
            {
                return Some(self.inject(queue, turn, InjectionRule::Actuator));
            }
            if let Some(request) = state.waiting.next {
                let charge = self.policy.charge(&self.model.requests, state, request);
                if charge <= self.policy.leaf(state).budget_left() {
                    if self.policy.slot.idle_timer.is_some() {
                        self.end_idling(queue);
                    }
                    return Some(Turn { queue, request, charge });
                }
                self.expire(queue, Reason::BudgetExhausted, None);
                continue;
            }
            match self.policy.when_empty(&self.tunables, &self.device, &self.model.load, state) {
                WhenEmpty::Waits => break queue,
                WhenEmpty::Plugged(rule) => {
                    self.tell(|_| Decision::Plugged { queue, rule });
                    break queue;
                }
                WhenEmpty::Ends => self.expire(queue, Reason::NoMoreRequests, None),
            }
        };
        let state = &self.model.queues[waited_for];
        let (turn, rule) = self.policy.find_injected(&self.model, &self.device, state)?;
        if rule == InjectionRule::Limit {
            self.policy.sampling.injected = true;
        }
        Some(self.inject(waited_for, turn, rule))
    }

    /// Whether the time of a slot that goes on is up, and the disk is not to be kept idle.
    #[inline]
    fn is_to_time_out(&self, state: &Queue<Budget>) -> bool {
        let is_kept = || {
            let (device, load) = (&self.device, &self.model.load);
            self.policy.better_to_idle(&self.tunables, device, load, state).is_some()
        };
        self.policy.may_time_out(&self.clock, state) && !(state.is_empty() && is_kept())
    }

    /// Sets the next queue in service (spec 3.4).
    #[inline(never)]
    fn set_next_in_service(&mut self) -> Option<QueueId> {
        debug_assert!(self.policy.slot.in_service.is_none(), "one at a time");
        let (leaf, forgotten) = self.policy.fair.choose_next(self.clock.tick)?;
        let queue = self.policy.queue_of(leaf);
        self.policy.slot.in_service = Some(queue);
        self.free_forgotten(forgotten);
        let timeout = self.tunables.timeout;
        self.policy.begin_slot(&self.clock, timeout, &mut self.model.queues[queue].policy);
        self.tell(|s| {
            let budget = s.policy.leaf(&s.model.queues[queue]).budget();
            Decision::InService { queue, budget }
        });
        Some(queue)
    }

    /// Serves the request of another queue in the slot of this one.
    fn inject(&mut self, into: QueueId, turn: Turn, rule: InjectionRule) -> Turn {
        debug_assert_ne!(turn.queue, into, "it would be served in its own place");
        self.policy.counters.count(Counter::of_injection(rule));
        self.tell(|_| Decision::Injected { queue: turn.queue, into, rule });
        turn
    }
}

impl Budget {
    /// What becomes of the slot of a queue that has no request to serve.
    #[inline]
    fn when_empty(
        &self,
        tunables: &Tunables,
        device: &Device,
        load: &Load,
        state: &Queue<Budget>,
    ) -> WhenEmpty {
        debug_assert!(state.is_empty() && state.policy.busy, "it is to be served");
        if state.policy.slot.waits_for_request {
            return WhenEmpty::Waits;
        }
        if state.in_flight == 0 {
            return WhenEmpty::Ends;
        }
        self.better_to_idle(tunables, device, load, state)
            .map_or(WhenEmpty::Ends, WhenEmpty::Plugged)
    }
}
