// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request arrives in its queue, which learns from it (spec 2.11); waiting requests leave (2.12).

use super::{busy::Leaving, inject_limit};
use crate::{
    fair::{Owner, Service},
    model::{
        clock::Clock,
        ids::{ProcessId, QueueId, RequestId},
        queue::Queue,
        request::{Content, NewRequest},
    },
    policy::budget::{
        merge::AFTER_SPLIT,
        queue::BudgetQueue,
        state::{Budget, Scheduler},
    },
    quirks::Quirk,
    scheduler::Policy,
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
        self.learn_from_arrival(queue, new, is_lone);
        self.add(queue, id, new);
        if self.policy.slot.in_service == Some(queue) {
            self.stop_waiting(queue, new);
        }
    }

    /// Redirects the request to the queue that its own is merged into (spec 2.11, step 4).
    pub(crate) fn follow_merge(
        &mut self,
        process: ProcessId,
        queue: QueueId,
        target: QueueId,
    ) -> QueueId {
        let state = &mut self.model.queues[target];
        state.references.requests += 1;
        let group = state.group;
        self.count_allocated(group, 1);
        if self.linked_queue(process, true, self.model.queues[queue].actuator) == Some(queue) {
            self.merge_queues(process, queue, target);
        }
        self.model.queues[queue].policy.burst.just_created = false;
        self.unrefer_request(queue);
        target
    }

    /// What an arrival tells of the process (spec 2.11, steps 5 and 6). A lone request is the only
    /// one that its process has in the scheduler.
    #[inline]
    fn learn_from_arrival(&mut self, queue: QueueId, new: &NewRequest, is_lone: bool) {
        let wraps = self.policy.quirks.has(Quirk::FirstThinkTimeWraps);
        let state = &mut self.model.queues[queue];
        state.observe_arrival(&self.clock, self.tunables.slice_idle, wraps);
        state.history.observe_place(new, self.device.rotational);
        let slice_idle = self.tunables.slice_idle;
        if state.thinks_otherwise(slice_idle) && slice_idle > Span::ZERO {
            self.policy.change_think_time(&self.clock, state);
        }
        let is_soft_rt_no_more =
            state.history.seeks.is_totally_seeky() && state.policy.is_soft_rt_raised();
        if is_soft_rt_no_more {
            self.raising(queue).leave_soft_rt();
        }
        if is_lone {
            self.learn_from_lone_request(queue);
        }
    }

    /// Adds the request to the queue (spec 2.11, steps 6 and 7).
    #[inline]
    fn add(&mut self, queue: QueueId, id: RequestId, new: &NewRequest) {
        let (position, seeks) = (self.policy.last_position(), self.back_seeks());
        let what = Content::of(new);
        let (is_next, state) = self.model.enqueue(queue, id, &what, position, seeks);
        let was_raised = state.policy.is_raised();
        if !state.policy.busy {
            return self.add_first(queue, id, new, was_raised);
        }
        if self.tunables.low_latency && !was_raised {
            let last = core::mem::replace(&mut state.policy.raise.stamp, self.clock.tick);
            if !new.sync {
                self.raising(queue).consider_async(last);
            }
        }
        if is_next {
            self.update_position(queue);
            if self.policy.slot.in_service != Some(queue) {
                self.update_next_budget(queue);
            }
        }
    }

    /// The request just added makes its queue busy.
    #[inline(never)]
    fn add_first(&mut self, queue: QueueId, id: RequestId, new: &NewRequest, was_raised: bool) {
        debug_assert_eq!(self.model.queues[queue].waiting.len(), 1, "{queue:?} was idle");
        self.update_position(queue);
        let interactive = self.become_busy(queue, id, new);
        if self.tunables.low_latency {
            let state = &mut self.model.queues[queue].policy;
            if !was_raised || !state.is_raised() || interactive {
                state.raise.stamp = self.clock.tick;
            }
        }
    }

    /// What a process's only request says about wakers and injection (spec 2.11, step 6b).
    #[inline]
    fn learn_from_lone_request(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        if !state.sync {
            return;
        }
        if let Some(last) = self.suspected_waker(queue, state) {
            self.observe_waker(queue, last);
        }
        let (tick, state) = (self.clock.tick, &mut self.model.queues[queue].policy);
        if tick.is_at_least(inject_limit::FORGET, state.injection.lowered_at) {
            self.policy.reset_inject_limit(tick, state);
        }
        if self.policy.slot.in_service == Some(queue) {
            let in_flight = self.model.load.in_flight;
            self.policy.sampling.consider(&state.injection, &self.clock, in_flight);
        }
    }

    /// A request arrived for the queue in service: if the disk is kept idle for it, that may end
    /// (spec 3.14).
    #[inline]
    fn stop_waiting(&mut self, queue: QueueId, new: &NewRequest) {
        let state = &self.model.queues[queue];
        if !state.policy.slot.waits_for_request {
            return;
        }
        let small = new.length() < WORTH_UNPLUGGING && state.waiting.count(new.sync) == 1;
        let timed_out = self.has_timed_out(state);
        if small && !timed_out && self.boosts(state) {
            return;
        }
        if self.model.detailed.on {
            self.note_idling_ends(queue, self.policy.slot.idling_since);
        }
        self.model.queues[queue].policy.slot.waits_for_request = false;
        self.policy.slot.idle_timer = None;
        if timed_out {
            self.expire(queue, Reason::BudgetTimeout, None);
        }
    }

    /// The next request of a queue that is not in service changed: its budget must cover
    /// it (spec 2.6).
    pub(crate) fn update_next_budget(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        let Some(next) = state.waiting.next else { return };
        let charge = self.policy.charge(&self.model.requests, state, next);
        let entity = state.policy.entity;
        let leaf = self.policy.fair.entity(entity);
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
        let (now, seeks) = (self.clock.now, self.back_seeks());
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
        self.model.load.queued -= 1;
        if is_next && self.policy.slot.in_service != Some(queue) {
            self.update_next_budget(queue);
        }
        if !empty {
            self.update_position(queue);
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

impl Budget {
    /// The think time of a queue became long, or short again (spec 2.9).
    fn change_think_time(&mut self, clock: &Clock, state: &mut Queue<Budget>) {
        let (tick, sync) = (clock.tick, state.sync);
        let state = &mut state.policy;
        if !sync
            || !tick.is_more_than(AFTER_SPLIT, state.merge.split_at)
            || self.fair.entity(state.entity).class() == Class::Idle
        {
            return;
        }
        let long = state.short_think_time;
        state.short_think_time = !long;
        let settled = tick.is_at_least(inject_limit::SHORT_BARRIER, state.injection.lowered_at);
        if state.injection.baseline.is_none() && (settled || long) {
            self.reset_inject_limit(tick, state);
        }
    }

    /// Forgets what was learnt of injection into a queue, and a measurement that goes on.
    fn reset_inject_limit(&mut self, tick: Time, state: &mut BudgetQueue) {
        state.injection.reset(tick, state.short_think_time);
        self.sampling.request = None;
    }
}
