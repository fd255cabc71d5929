// SPDX-License-Identifier: MIT OR Apache-2.0
//! One request for the device: which queue goes on, and which comes next (spec 3.1–3.5).

use super::{peak_rate, turn::Turn};
use crate::{
    fair::{Owner, Service},
    model::{
        clock::Clock,
        device::Device,
        ids::{QueueId, RequestId},
        queue::Queue,
        request::{Content, RequestState},
        seek,
    },
    policy::budget::{
        queue::Phase,
        state::{Budget, Scheduler},
    },
    units::{Class, LastEnd},
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// The next request of the queue whose turn it is, or none.
    #[inline]
    pub(crate) fn dispatch_scheduled(&mut self) -> Option<RequestId> {
        if self.policy.competition.busy.total() == 0 {
            return None;
        }
        if self.tunables.strict_guarantees && self.model.load.in_flight > 0 {
            return None;
        }
        let Some(turn) = self.select() else {
            self.tell(|_| Decision::NothingToDispatch);
            return None;
        };
        self.perform(turn);
        Some(turn.request)
    }

    /// Whether the time of the queue in service is up.
    #[inline]
    pub(crate) fn has_timed_out(&self, state: &Queue<Budget>) -> bool {
        state.policy.slot.phase.last_busy() <= self.clock.tick
    }

    /// Whether the timeout is to be acted upon: not while waiting for a request with little of
    /// the budget used.
    #[inline]
    pub(crate) fn may_time_out(&self, state: &Queue<Budget>) -> bool {
        self.has_timed_out(state) && {
            let leaf = self.policy.fair.entity(state.policy.entity);
            !state.policy.slot.waits_for_request || leaf.budget_left() >= leaf.budget().over(3)
        }
    }

    /// Selects the queue to serve (spec 3.3).
    #[inline]
    fn select(&mut self) -> Option<Turn> {
        if let Some(queue) = self.policy.slot.in_service
            && let state = &self.model.queues[queue]
            && self.may_time_out(state)
            && !(state.is_empty() && self.better_to_idle(state).is_some())
        {
            self.expire(queue, Reason::BudgetTimeout, None);
        }
        loop {
            let queue = match self.policy.slot.in_service {
                Some(queue) => queue,
                None => self.set_next_in_service()?,
            };
            if self.device.actuators > 1
                && let Some(turn) = self.feed_underused_actuator(queue)
            {
                return Some(turn);
            }
            let state = &self.model.queues[queue];
            if let Some(request) = state.waiting.next {
                let charge = self.policy.charge(&self.model.requests, state, request);
                if self.policy.fits(state, charge) {
                    if self.policy.slot.idle_timer.take().is_some() {
                        self.model.queues[queue].policy.slot.waits_for_request = false;
                        if self.model.detailed.on {
                            self.note_idling_ends(queue, self.policy.slot.idling_since);
                        }
                    }
                    return Some(Turn { queue, request, charge });
                }
                self.expire(queue, Reason::BudgetExhausted, None);
                continue;
            }
            if state.policy.slot.waits_for_request {
                return self.choose_injected(queue);
            }
            if state.in_flight > 0
                && let Some(rule) = self.better_to_idle(state)
            {
                self.tell(|_| Decision::Plugged { queue, rule });
                return self.choose_injected(queue);
            }
            self.expire(queue, Reason::NoMoreRequests, None);
        }
    }

    /// Sets the next queue in service (spec 3.4).
    #[inline(never)]
    fn set_next_in_service(&mut self) -> Option<QueueId> {
        debug_assert!(self.policy.slot.in_service.is_none(), "one at a time");
        let (leaf, forgotten) = self.policy.fair.choose_next(self.clock.tick)?;
        let queue = self.queue_of(leaf);
        self.policy.slot.in_service = Some(queue);
        self.free_forgotten(forgotten);
        let tick = self.clock.tick;
        let state = &mut self.model.queues[queue].policy;
        debug_assert!(state.busy, "{queue:?} has nothing to be served");
        state.excuse_wait(tick);
        let factor = if state.is_soft_rt_raised() {
            1
        } else {
            let leaf = self.policy.fair.entity(leaf);
            u64::from(leaf.weight().over(leaf.base_weight()))
        };
        let deadline = tick + self.tunables.timeout * factor;
        state.slot.fifo_checked = false;
        state.slot.phase = Phase::Slot { deadline };
        self.policy.disk.budgets.on_assignment();
        self.policy.slot.start = self.clock.now;
        self.policy.slot.last_position = LastEnd::NONE;
        self.tell(|s| Decision::InService { queue, budget: s.leaf(queue).budget() });
        Some(queue)
    }

    /// Dispatches the next request of a queue (spec 3.5).
    #[inline]
    fn perform(&mut self, turn: Turn) {
        let Turn { queue, request: id, charge } = turn;
        if self.model.detailed.on {
            self.note_dispatch(queue, id);
        }
        let tick = self.clock.tick;
        let state = &mut self.model.queues[queue];
        debug_assert!(state.policy.busy && state.waiting.next == Some(id), "{id:?} is not next");
        state.in_flight += 1;
        self.model.load.in_flight_by_actuator[usize::from(state.actuator)] += 1;
        state.policy.count_service(tick, charge);
        let entity = state.policy.entity;
        let forgotten = self.policy.fair.serve(entity, charge);
        self.free_forgotten(forgotten);
        self.tell(|_| Decision::Served { queue, request: id, charged: charge });
        let serving = self.policy.slot.in_service == Some(queue);
        if serving && self.policy.sampling.pending {
            self.policy.sampling.pending = false;
            self.policy.sampling.request = Some(id);
        }
        let request = &mut self.model.requests[id];
        debug_assert!(request.state == RequestState::Waiting && request.queue == Some(queue));
        request.state = RequestState::Dispatched;
        let what = request.what();
        let in_flight = self.model.load.in_flight;
        if let Some(event) = self.policy.observe_rate(&self.clock, &self.device, in_flight, what) {
            self.follow_rate(event);
        }
        self.policy.disk.last_position = LastEnd::of(what.end());
        if serving {
            self.policy.slot.last_position = LastEnd::of(what.end());
        }
        self.remove_waiting(queue, id);
        if serving {
            let leaf = self.policy.fair.entity(entity);
            let idle_class = leaf.class() == Class::Idle;
            if leaf.coefficient() > 1 || leaf.weight() > leaf.base_weight() {
                self.check_raise(queue);
            }
            if idle_class && self.policy.competition.busy.total() > 1 {
                self.expire(queue, Reason::BudgetExhausted, None);
            }
        }
        self.model.load.in_flight += 1;
    }

    /// Accounts service to a queue (spec 1.7).
    pub(crate) fn serve(&mut self, queue: QueueId, service: Service) {
        let state = &mut self.model.queues[queue];
        state.policy.count_service(self.clock.tick, service);
        let forgotten = self.policy.fair.serve(state.policy.entity, service);
        self.free_forgotten(forgotten);
    }

    /// Acts on what the estimator found.
    #[inline(never)]
    pub(crate) fn follow_rate(&mut self, event: peak_rate::RateEvent) {
        if event.updated && self.tunables.max_budget.is_none() {
            self.tune_max_budget();
        }
        let peak_rate::WindowStart { samples, sectors } = event.window;
        self.tell(|_| Decision::RateReset { samples, sectors });
    }
}

impl Budget {
    /// Lets the peak-rate estimator see a dispatch (spec 3.11), before it counts as in flight.
    #[inline]
    fn observe_rate(
        &mut self,
        clock: &Clock,
        device: &Device,
        in_flight: u32,
        what: Content,
    ) -> Option<peak_rate::RateEvent> {
        let Content { sector, sectors, .. } = what;
        let last = self.disk.last_position.get();
        let dispatch = peak_rate::Dispatch {
            sectors,
            seek: seek::is_seek(last, sector, sectors, device.rotational),
            in_flight,
            last_completion: self.disk.last_completion,
        };
        self.disk.peak_rate.on_dispatch(clock.now, dispatch)
    }
}
