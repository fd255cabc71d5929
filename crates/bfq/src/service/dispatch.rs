//! One request for the device: which queue goes on, and which comes next (spec 3.1–3.5).

use super::peak_rate;
use crate::{
    queue::{
        QueueId, RequestId,
        request::{Content, RequestState},
        seek,
    },
    scheduler::Scheduler,
    units::{Class, Time},
    why::{Decision, Observer, Reason},
};

/// What is dispatched next.
#[derive(Clone, Copy, Debug)]
struct Turn {
    queue: QueueId,
    /// The queue's next request.
    request: RequestId,
    /// What the queue is charged for it, in sectors.
    charge: i32,
}

/// Charge of a sector of async I/O where all else is equal: it is throttled against sync I/O.
const ASYNC_CHARGE_FACTOR: u32 = 3;

impl<O: Observer> Scheduler<O> {
    /// The request to give to the device now, or none. None does not mean that nothing waits: the
    /// disk may be kept idle on purpose (see [`Scheduler::has_work`]).
    pub fn dispatch(&mut self, now: Time) -> Option<RequestId> {
        self.at(now);
        if !self.direct.is_empty() {
            return self.dispatch_direct();
        }
        if self.busy.total() == 0 {
            return None;
        }
        if self.tunables.strict_guarantees && self.in_flight > 0 {
            return None;
        }
        let Some(turn) = self.select() else {
            self.tell(|_| Decision::NothingToDispatch);
            return None;
        };
        self.perform(turn);
        Some(turn.request)
    }

    /// Whether requests wait, even if [`Scheduler::dispatch`] gives none at the moment.
    pub fn has_work(&self) -> bool {
        !self.direct.is_empty() || self.queued > 0
    }

    #[cold]
    fn dispatch_direct(&mut self) -> Option<RequestId> {
        let id = self.direct.pop_front(&mut self.requests)?;
        self.tell(|_| Decision::ServedFirst { request: id });
        let request = &mut self.requests[id];
        request.state = RequestState::Dispatched;
        if let Some(queue) = request.queue {
            self.in_flight += 1;
            let state = &mut self.queues[queue];
            state.in_flight += 1;
            self.in_flight_by_actuator[usize::from(state.actuator)] += 1;
            self.start_counting(queue);
        }
        Some(id)
    }

    /// What a request costs its queue, in sectors (spec 3.2).
    #[inline(always)]
    pub(crate) fn charge(&self, queue: QueueId, id: RequestId) -> i32 {
        let sectors = self.requests[id].what.sectors;
        let state = &self.queues[queue];
        let plain = state.sync || state.is_raised() || self.is_asymmetric(Some(queue));
        let factor = if plain { 1 } else { ASYNC_CHARGE_FACTOR };
        sectors.saturating_mul(factor).min(i32::MAX as u32) as i32
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
    fn select(&mut self) -> Option<Turn> {
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
            if self.actuators > 1
                && let Some(other) = self.feed_underused_actuator(queue)
            {
                return self.turn_of(other);
            }
            if let Some(turn) = self.turn_of(queue) {
                if turn.charge <= self.leaf(queue).budget_left() {
                    if self.idle_timer.take().is_some() {
                        self.queues[queue].waits_for_request = false;
                        if self.detailed_statistics {
                            self.note_idling_ends(queue);
                        }
                    }
                    return Some(turn);
                }
                self.expire(queue, Reason::BudgetExhausted, None);
                continue;
            }
            let state = &self.queues[queue];
            if state.waits_for_request {
                return self.inject(queue);
            }
            if state.in_flight > 0
                && let Some(rule) = self.better_to_idle(queue)
            {
                self.tell(|_| Decision::Plugged { queue, rule });
                return self.inject(queue);
            }
            self.expire(queue, Reason::NoMoreRequests, None);
        }
    }

    /// Serves another queue while the one in service has nothing, if that does no harm.
    #[inline(never)]
    fn inject(&mut self, queue: QueueId) -> Option<Turn> {
        let other = self.choose_injected(queue)?;
        self.turn_of(other)
    }

    /// Sets the next queue in service (spec 3.4).
    #[inline(never)]
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

    /// The next request of a queue.
    #[inline(always)]
    fn turn_of(&self, queue: QueueId) -> Option<Turn> {
        let request = self.queues[queue].waiting.next?;
        Some(Turn { queue, request, charge: self.charge(queue, request) })
    }

    /// Dispatches the next request of a queue (spec 3.5).
    #[inline]
    fn perform(&mut self, turn: Turn) {
        let Turn { queue, request: id, charge } = turn;
        if self.detailed_statistics {
            self.note_dispatch(queue, id);
        }
        self.serve(queue, charge);
        self.tell(|_| Decision::Served { queue, request: id, charged: charge });
        let serving = self.in_service == Some(queue);
        if serving && self.sampling.pending {
            self.sampling.pending = false;
            self.sampling.request = Some(id);
        }
        let request = &mut self.requests[id];
        request.state = RequestState::Dispatched;
        let what = request.what;
        self.observe_rate(what, serving);
        let state = &mut self.queues[queue];
        state.in_flight += 1;
        let (entity, actuator) = (state.entity, usize::from(state.actuator));
        self.remove_waiting(queue, id);
        if serving {
            let leaf = self.fair.entity(entity);
            let idle_class = leaf.class() == Class::Idle;
            if leaf.coefficient() > 1 || leaf.weight() > leaf.base_weight() {
                self.check_raise(queue);
            }
            if idle_class && self.busy.total() > 1 {
                self.expire(queue, Reason::BudgetExhausted, None);
            }
        }
        self.in_flight += 1;
        self.in_flight_by_actuator[actuator] += 1;
    }

    /// Accounts service to a queue (spec 1.7).
    #[inline(always)]
    pub(crate) fn serve(&mut self, queue: QueueId, sectors: i32) {
        let tick = self.tick;
        let amount = sectors.max(0) as u64;
        let state = &mut self.queues[queue];
        if state.service_since_backlogged == 0 {
            state.first_io_at = tick;
        }
        if state.is_raised() {
            state.raise.service_sectors += amount;
        }
        state.service_since_backlogged += amount;
        self.fair.serve(state.entity, sectors);
        self.free_forgotten();
    }

    /// Lets the peak-rate estimator see a dispatch (spec 3.11).
    #[inline]
    fn observe_rate(&mut self, what: Content, serving: bool) {
        let seek = seek::is_seek(self.last_position, what.sector, what.sectors, self.rotational);
        let dispatch = peak_rate::Dispatch {
            sectors: what.sectors,
            seek,
            in_flight: self.in_flight,
            last_completion: self.last_completion,
        };
        if let Some(event) = self.peak_rate.on_dispatch(self.now, dispatch) {
            self.follow_rate(event);
        }
        self.last_position = what.end();
        if serving {
            self.in_service_last_position = what.end();
        }
    }

    /// Acts on what the estimator found.
    #[inline(never)]
    pub(crate) fn follow_rate(&mut self, event: peak_rate::RateEvent) {
        if event.updated && self.tunables.max_budget_sectors == 0 {
            self.tune_max_budget();
        }
        let peak_rate::WindowStart { samples, sectors } = event.window;
        self.tell(|_| Decision::RateReset { samples, sectors });
    }
}
