//! One request for the device: which queue goes on, and which comes next (spec 3.1–3.5).

use super::peak_rate;
use crate::{
    queue::{QueueId, RequestId, request::RequestState, seek},
    scheduler::Scheduler,
    units::{Class, Time},
    why::{Decision, Observer, Reason},
};

/// Charge of a sector of async I/O where all else is equal: it is throttled against sync I/O.
const ASYNC_CHARGE_FACTOR: u32 = 3;

impl<O: Observer> Scheduler<O> {
    /// The request to give to the device now, or none. None does not mean that nothing waits: the
    /// disk may be kept idle on purpose (see [`Scheduler::has_work`]).
    pub fn dispatch(&mut self, now: Time) -> Option<RequestId> {
        self.at(now);
        if let Some(id) = self.direct.pop_front(&mut self.requests) {
            self.dispatch_direct(id);
            return Some(id);
        }
        if self.busy.total() == 0 {
            return None;
        }
        if self.tunables.strict_guarantees && self.in_flight > 0 {
            return None;
        }
        let Some(queue) = self.select_queue() else {
            self.tell(|_| Decision::NothingToDispatch);
            return None;
        };
        let id = self.queues[queue].waiting.next?;
        self.dispatch_from(queue, id);
        Some(id)
    }

    /// Whether requests wait, even if [`Scheduler::dispatch`] gives none at the moment.
    pub fn has_work(&self) -> bool {
        !self.direct.is_empty() || self.queued > 0
    }

    fn dispatch_direct(&mut self, id: RequestId) {
        self.tell(|_| Decision::ServedFirst { request: id });
        let request = &mut self.requests[id];
        request.state = RequestState::Dispatched;
        if let Some(queue) = request.queue {
            self.count_in_flight(queue);
            self.start_counting(queue);
            self.queues[queue].in_flight += 1;
        }
    }

    #[inline]
    fn count_in_flight(&mut self, queue: QueueId) {
        self.in_flight += 1;
        self.in_flight_by_actuator[usize::from(self.queues[queue].actuator)] += 1;
    }

    /// What a request costs its queue, in sectors (spec 3.2).
    #[inline]
    pub(crate) fn charge(&self, queue: QueueId, id: RequestId) -> i32 {
        let sectors = self.requests[id].what.sectors;
        let plain =
            self.queues[queue].sync || self.is_raised(queue) || self.is_asymmetric(Some(queue));
        let factor = if plain { 1 } else { ASYNC_CHARGE_FACTOR };
        i32::try_from(sectors.saturating_mul(factor)).unwrap_or(i32::MAX)
    }

    /// Whether the time of the queue in service is up.
    #[inline]
    pub(crate) fn has_timed_out(&self, queue: QueueId) -> bool {
        self.queues[queue].deadline_or_quiesce <= self.tick
    }

    /// Whether the timeout is to be acted upon: not while waiting for a request with little of the
    /// budget used.
    #[inline]
    pub(crate) fn may_time_out(&self, queue: QueueId) -> bool {
        self.has_timed_out(queue) && {
            let leaf = self.leaf(queue);
            let waits = self.queues[queue].waits_for_request;
            !waits || leaf.budget_left() >= leaf.budget() / 3
        }
    }

    /// Selects the queue to serve (spec 3.3).
    #[inline]
    fn select_queue(&mut self) -> Option<QueueId> {
        if let Some(queue) = self.in_service
            && self.may_time_out(queue)
            && !(self.queues[queue].is_empty() && self.better_to_idle(queue).is_some())
        {
            self.expire(queue, Reason::BudgetTimeout, None);
        }
        loop {
            let queue = match self.in_service {
                Some(queue) => queue,
                None => self.set_next_in_service()?,
            };
            if let Some(other) = self.feed_underused_actuator(queue) {
                return Some(other);
            }
            if let Some(next) = self.queues[queue].waiting.next {
                if self.charge(queue, next) <= self.leaf(queue).budget_left() {
                    if self.idle_timer.take().is_some() {
                        self.queues[queue].waits_for_request = false;
                        if self.detailed_statistics {
                            self.note_idling_ends(queue);
                        }
                    }
                    return Some(queue);
                }
                self.expire(queue, Reason::BudgetExhausted, None);
                continue;
            }
            let state = &self.queues[queue];
            if state.waits_for_request {
                return self.choose_injected(queue);
            }
            if state.in_flight > 0
                && let Some(rule) = self.better_to_idle(queue)
            {
                self.tell(|_| Decision::Plugged { queue, rule });
                return self.choose_injected(queue);
            }
            self.expire(queue, Reason::NoMoreRequests, None);
        }
    }

    /// Sets the next queue in service (spec 3.4).
    fn set_next_in_service(&mut self) -> Option<QueueId> {
        let leaf = self.fair.choose_next(self.tick)?;
        let queue = self.queue_of(leaf);
        self.in_service = Some(queue);
        self.free_forgotten();
        self.queues[queue].fifo_checked = false;
        self.budgets.on_assignment();
        self.excuse_soft_rt_wait(queue);
        let leaf = self.leaf(queue);
        let factor = if self.queues[queue].raise.is_soft_rt() && self.is_raised(queue) {
            1
        } else {
            u64::from(leaf.weight() / leaf.base_weight())
        };
        self.slot_start = self.now;
        self.in_service_last_position = 0;
        let deadline = self.tick + self.tunables.timeout_ns.saturating_mul(factor);
        self.queues[queue].deadline_or_quiesce = deadline;
        self.tell(|s| Decision::InService { queue, budget: s.leaf(queue).budget() });
        Some(queue)
    }

    /// Dispatches the next request of a queue (spec 3.5).
    #[inline]
    fn dispatch_from(&mut self, queue: QueueId, id: RequestId) {
        if self.detailed_statistics {
            self.note_dispatch(queue, id);
        }
        let charged = self.charge(queue, id);
        self.serve(queue, charged);
        self.tell(|_| Decision::Served { queue, request: id, charged });
        let serving = self.in_service == Some(queue);
        if serving && self.sampling.pending {
            self.sampling.pending = false;
            self.sampling.request = Some(id);
        }
        self.queues[queue].in_flight += 1;
        self.observe_rate(id, serving);
        self.remove_waiting(queue, id);
        self.requests[id].state = RequestState::Dispatched;
        if serving {
            let leaf = self.leaf(queue);
            let idle_class = leaf.class() == Class::Idle;
            if leaf.coefficient() > 1 || leaf.weight() > leaf.base_weight() {
                self.check_raise(queue);
            }
            if idle_class && self.busy.total() > 1 {
                self.expire(queue, Reason::BudgetExhausted, None);
            }
        }
        self.count_in_flight(queue);
    }

    /// Accounts service to a queue (spec 1.7).
    #[inline]
    pub(crate) fn serve(&mut self, queue: QueueId, sectors: i32) {
        let raised = self.is_raised(queue);
        let tick = self.tick;
        let amount = sectors.max(0) as u64;
        let state = &mut self.queues[queue];
        if state.service_since_backlogged == 0 {
            state.first_io_at = tick;
        }
        if raised {
            state.raise.service_sectors = state.raise.service_sectors.saturating_add(amount);
        }
        state.service_since_backlogged = state.service_since_backlogged.saturating_add(amount);
        self.fair.serve(state.entity, sectors);
        self.free_forgotten();
    }

    /// Lets the peak-rate estimator see a dispatch (spec 3.11).
    #[inline]
    fn observe_rate(&mut self, id: RequestId, serving: bool) {
        let what = self.requests[id].what;
        let seek = seek::is_seek(self.last_position, what.sector, what.sectors, self.rotational);
        let dispatch = peak_rate::Dispatch {
            sectors: what.sectors,
            seek,
            in_flight: self.in_flight,
            last_completion: self.last_completion,
        };
        let event = self.peak_rate.on_dispatch(self.now, dispatch);
        self.follow_rate(event);
        self.last_position = what.end();
        if serving {
            self.in_service_last_position = what.end();
        }
    }

    /// Acts on what the estimator found.
    pub(crate) fn follow_rate(&mut self, event: peak_rate::RateEvent) {
        if event.updated && self.tunables.max_budget_sectors == 0 {
            self.tune_max_budget();
        }
        if let Some(window) = event.reset {
            let peak_rate::WindowStart { samples, sectors } = window;
            self.tell(|_| Decision::RateReset { samples, sectors });
        }
    }
}
