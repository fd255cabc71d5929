// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue goes on, and which comes next (spec 3.3, 3.4)?

use super::turn::Turn;
use crate::{
    fair::Owner,
    model::{Model, device::Device, ids::QueueId},
    policy::budget::{
        counters::Counter,
        state::{Budget, Scheduler},
    },
    tunables::Tunables,
    why::{Decision, IdlingRule, InjectionRule, Observer, Reason},
};

/// How the slot of the queue in service goes on.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It is its turn.
    Serve(Turn),
    /// The disk is kept idle for it, and the idle timer runs.
    Wait,
    /// The disk is kept idle for it until its requests in flight are complete.
    Plug(IdlingRule),
    /// The slot ends.
    End(Reason),
}

impl<O: Observer> Scheduler<O> {
    /// Selects the request to serve (spec 3.3).
    #[inline]
    pub(super) fn select(&mut self) -> Option<Turn> {
        if let Some(queue) = self.policy.slot.in_service
            && let (state, load) = (&self.model.queues[queue], &self.model.load)
            && self.policy.may_time_out(&self.clock, state)
            && !(state.is_empty()
                && self.policy.better_to_idle(&self.tunables, &self.device, load, state).is_some())
        {
            self.expire(queue, Reason::BudgetTimeout, None);
        }
        loop {
            let queue = match self.policy.slot.in_service {
                Some(queue) => queue,
                None => self.set_next_in_service()?,
            };
            debug_assert!(self.model.queues[queue].policy.busy, "{queue:?} has nothing to serve");
            if self.device.actuators > 1
                && let Some(turn) = self.policy.find_for_actuator(&self.model, &self.device, queue)
            {
                return Some(self.inject(queue, turn, InjectionRule::Actuator));
            }
            match self.policy.next_step(&self.tunables, &self.device, &self.model, queue) {
                Step::Serve(turn) => {
                    if self.policy.slot.idle_timer.is_some() {
                        self.end_idling(queue);
                    }
                    return Some(turn);
                }
                Step::Wait => return self.inject_into(queue),
                Step::Plug(rule) => {
                    self.tell(|_| Decision::Plugged { queue, rule });
                    return self.inject_into(queue);
                }
                Step::End(reason) => self.expire(queue, reason, None),
            }
        }
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

    /// A request of another queue to serve while the one in service has nothing, if that does no
    /// harm (spec 3.19).
    #[inline(never)]
    fn inject_into(&mut self, queue: QueueId) -> Option<Turn> {
        let (turn, rule) = self.policy.find_injected(&self.model, &self.device, queue)?;
        if rule == InjectionRule::Limit {
            self.policy.sampling.injected = true;
        }
        Some(self.inject(queue, turn, rule))
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
    /// How the slot of the queue in service goes on.
    #[inline(always)]
    fn next_step(
        &self,
        tunables: &Tunables,
        device: &Device,
        model: &Model<Budget>,
        queue: QueueId,
    ) -> Step {
        debug_assert_eq!(self.slot.in_service, Some(queue), "it has no slot");
        let state = &model.queues[queue];
        if let Some(request) = state.waiting.next {
            let charge = self.charge(&model.requests, state, request);
            return if self.fits(state, charge) {
                Step::Serve(Turn { queue, request, charge })
            } else {
                Step::End(Reason::BudgetExhausted)
            };
        }
        if state.policy.slot.waits_for_request {
            return Step::Wait;
        }
        if state.in_flight == 0 {
            return Step::End(Reason::NoMoreRequests);
        }
        let rule = self.better_to_idle(tunables, device, &model.load, state);
        rule.map_or(Step::End(Reason::NoMoreRequests), Step::Plug)
    }
}
