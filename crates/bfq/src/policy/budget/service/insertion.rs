// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request arrives in its queue, which learns from it (spec 2.11).

use super::waker::Evidence;
use crate::{
    model::{
        clock::Clock,
        device::Device,
        ids::{QueueId, RequestId},
        load::Load,
        queue::Queue,
        request::{Content, NewRequest},
    },
    policy::budget::{
        queue::BudgetQueue,
        state::{Budget, Scheduler},
    },
    quirks::Quirk,
    units::{Class, Sectors, Span, Time},
    why::{Decision, Observer, Reason},
};

/// Smallest request for which a queue that is waited for stops waiting at once (spec 3.14).
const WORTH_UNPLUGGING: Sectors = Sectors::of(32);

impl<O: Observer> Scheduler<O> {
    /// A request has come for a queue; a lone one is the only one of its process.
    #[inline(always)]
    pub(crate) fn request_arrived(
        &mut self,
        queue: QueueId,
        id: RequestId,
        new: &NewRequest,
        is_lone: bool,
    ) {
        let slice_idle = self.tunables.slice_idle;
        let mut state = &mut self.model.queues[queue];
        self.policy.learn_from_arrival(&self.clock, &self.device, slice_idle, state, new);
        if state.history.seeks.is_totally_seeky() && state.policy.is_soft_rt_raised() {
            self.raising(queue).leave_soft_rt();
            state = &mut self.model.queues[queue];
        }
        if is_lone && state.sync {
            let fallback = self.model.fallback;
            if let Some(last) = self.policy.suspected_waker(&self.clock, fallback, queue, state) {
                self.learn_of_waker(queue, last);
                state = &mut self.model.queues[queue];
            }
            let (clock, load, state) = (&self.clock, &self.model.load, &mut state.policy);
            self.policy.consider_sampling(clock, load, queue, state);
        }
        let position = self.policy.disk.last_position.or_first();
        let seeks = &self.tunables.back_seeks;
        let (requests, load) = (&mut self.model.requests, &mut self.model.load);
        let is_next = state.enqueue(requests, id, &Content::of(new), position, seeks, load);
        let was_raised = state.policy.is_raised();
        if !state.policy.busy {
            return self.add_first(queue, new, was_raised);
        }
        let is_waited_for = state.policy.slot.waits_for_request;
        if self.tunables.low_latency && !was_raised {
            let last = core::mem::replace(&mut state.policy.raise.stamp, self.clock.tick);
            if !new.sync {
                self.raising(queue).consider_async(last);
            }
        }
        if is_next {
            self.policy.update_position(&mut self.model, &self.clock, queue);
        }
        if is_waited_for {
            self.consider_end_of_idling(queue, new);
        } else if is_next && self.policy.slot.in_service != Some(queue) {
            self.update_next_budget(queue);
        }
    }

    /// The request just added makes its queue busy.
    #[inline(never)]
    fn add_first(&mut self, queue: QueueId, new: &NewRequest, was_raised: bool) {
        debug_assert_eq!(self.model.queues[queue].waiting.len(), 1, "{queue:?} was idle");
        self.policy.update_position(&mut self.model, &self.clock, queue);
        let interactive = self.become_busy(queue, new);
        if self.tunables.low_latency {
            let state = &mut self.model.queues[queue].policy;
            if !was_raised || !state.is_raised() || interactive {
                state.raise.stamp = self.clock.tick;
            }
        }
    }

    /// What an arrival for `queue` right after a completion of `last` says.
    #[inline(never)]
    fn learn_of_waker(&mut self, queue: QueueId, last: QueueId) {
        let (now, slice_idle) = (self.clock.now, self.tunables.slice_idle);
        match self.model.queues.observe_waker(now, slice_idle, queue, last) {
            Evidence::Tentative => self.tell(|_| Decision::TentativeWaker { queue, waker: last }),
            Evidence::Again => {}
            Evidence::Confirmed => self.tell(|_| Decision::WakerFound { queue, waker: last }),
        }
    }

    /// A request arrived for the queue in service, for which the disk is kept idle: that may end
    /// (spec 3.14).
    #[inline]
    fn consider_end_of_idling(&mut self, queue: QueueId, new: &NewRequest) {
        let state = &self.model.queues[queue];
        debug_assert!(state.policy.slot.waits_for_request && !state.is_empty());
        let small = new.length() < WORTH_UNPLUGGING && state.waiting.count(new.sync) == 1;
        let timed_out = state.policy.has_timed_out(self.clock.tick);
        if small && !timed_out && self.policy.boosts(&self.device, state) {
            return;
        }
        self.end_idling(queue);
        if timed_out {
            self.expire(queue, Reason::BudgetTimeout, None);
        }
    }
}

impl Budget {
    /// What an arrival tells of the process (spec 2.11, steps 5 and 6).
    #[inline]
    fn learn_from_arrival(
        &mut self,
        clock: &Clock,
        device: &Device,
        slice_idle: Span,
        state: &mut Queue<Budget>,
        new: &NewRequest,
    ) {
        let wraps = self.quirks.has(Quirk::FirstThinkTimeWraps);
        state.observe_arrival(clock, slice_idle, wraps);
        state.history.observe_place(new, device.rotational);
        if state.thinks_otherwise(slice_idle) && slice_idle > Span::ZERO {
            self.change_think_time(clock, state);
        }
    }

    /// The think time of a queue became long, or short again (spec 2.9).
    #[inline(never)]
    fn change_think_time(&mut self, clock: &Clock, state: &mut Queue<Budget>) {
        let (tick, sync) = (clock.tick, state.sync);
        let state = &mut state.policy;
        if !sync
            || !tick.is_more_than(self.durations.after_split, state.merge.split_at)
            || self.fair.entity(state.entity).class() == Class::Idle
        {
            return;
        }
        let long = state.short_think_time;
        state.short_think_time = !long;
        let barrier = self.durations.inject.short_barrier;
        let settled = tick.is_at_least(barrier, state.injection.lowered_at);
        if state.injection.baseline.is_none() && (settled || long) {
            self.reset_inject_limit(tick, state);
        }
    }

    /// What was learnt long ago of injection into a queue is forgotten; if the queue is in service,
    /// its next request may show more.
    #[inline]
    fn consider_sampling(
        &mut self,
        clock: &Clock,
        load: &Load,
        queue: QueueId,
        state: &mut BudgetQueue,
    ) {
        if clock.tick.is_at_least(self.durations.inject.forget, state.injection.lowered_at) {
            self.reset_inject_limit(clock.tick, state);
        }
        if self.slot.in_service == Some(queue) {
            debug_assert!(state.busy, "it is in service with nothing to do");
            let delays = &self.durations.inject;
            self.sampling.consider(&state.injection, clock, delays, load.in_flight);
        }
    }

    /// Forgets what was learnt of injection into a queue, and a measurement that goes on.
    fn reset_inject_limit(&mut self, tick: Time, state: &mut BudgetQueue) {
        state.injection.reset(tick, state.short_think_time);
        self.sampling.request = None;
    }
}
