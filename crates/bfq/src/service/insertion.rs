//! A request arrives: its queue is found and learns from it (spec 2.11); waiting requests leave
//! (2.12) and merge (2.7).

use super::{busy::Leaving, injection};
use crate::{
    HostError,
    merge::AFTER_SPLIT_NS,
    queue::{
        NewRequest, ProcessId, QueueId, RequestId,
        request::{Content, Holds, RequestState, is_range},
        seek,
        waiting::BackSeeks,
    },
    scheduler::Scheduler,
    statistics::Counter,
    units::{Class, Time},
    why::{Decision, Observer, Reason},
};

/// Smallest request for which a queue that is waited for stops waiting at once (spec 3.14).
const WORTH_UNPLUGGING_SECTORS: u32 = 32;

impl<O: Observer> Scheduler<O> {
    /// Takes a request. It waits until [`Scheduler::dispatch`] hands it out.
    ///
    /// `id` is the host's number for it, below the size of the pool and not in use. A request
    /// `at_head` (a requeued one, for instance) is served before all others. One without a process
    /// goes to the shared queue of those that there was no memory for.
    ///
    /// # Errors
    /// [`HostError`] if `id`, the process or the sectors are not what they should be; nothing is
    /// changed then.
    pub fn insert(
        &mut self,
        now: Time,
        id: RequestId,
        new: NewRequest,
        at_head: bool,
    ) -> Result<(), HostError> {
        self.at(now);
        let request = self.requests.at_position(id).ok_or(HostError::UnknownRequest(id))?;
        let in_use = request.state != RequestState::Absent;
        if in_use | !is_range(new.sector, new.sectors) {
            let refused = if in_use { HostError::RequestInUse } else { HostError::BadRange };
            return Err(refused(id));
        }
        let (queue, is_lone) = match new.process {
            Some(process) => {
                let is_lone = self.expect(process)?;
                let queue = self.initialise(process, &new, at_head);
                if at_head {
                    self.bypass(id, &new, Some(queue), at_head);
                    return Ok(());
                }
                let target = self.find_cooperator(queue, process, new.sector);
                (target.map_or(queue, |target| self.redirect(queue, target, process)), is_lone)
            }
            None if at_head || self.behaviour.is_reference() => {
                self.bypass(id, &new, None, at_head);
                return Ok(());
            }
            None => (self.queue_of_nobody(&new), false),
        };
        self.enter(id, &new, Some(queue), RequestState::Waiting);
        self.tell(|_| Decision::Queued { queue, request: id, process: new.process });
        self.learn_from_arrival(queue, &new, is_lone);
        if self.detailed_statistics {
            self.note_insertion(queue, &new);
        }
        self.add(queue, id, &new);
        if self.in_service == Some(queue) && self.queues[queue].waits_for_request {
            self.stop_waiting(queue, &new);
        }
        Ok(())
    }

    /// A request of a process arrives; returns whether it is the only one that the process has.
    #[inline(always)]
    fn expect(&mut self, process: ProcessId) -> Result<bool, HostError> {
        let state = self.processes.living_mut(process).ok_or(HostError::UnknownProcess(process))?;
        state.requests += 1;
        let is_lone = state.requests == 1;
        if !core::mem::replace(&mut state.settled, true) {
            self.check_ioprio(process);
            self.check_group(process);
        }
        Ok(is_lone)
    }

    /// Counts a request of which the host does not know whose it is. It has no better claim than
    /// those of processes that share a queue for want of memory, so it goes to that queue. (The
    /// reference serves it first; spec 2.11.)
    #[cold]
    #[inline(never)]
    fn queue_of_nobody(&mut self, new: &NewRequest) -> QueueId {
        self.counters.count(Counter::OfNobody);
        let queue = self.fallback;
        self.queues[queue].request_references += 1;
        self.count_allocated(self.root, 1);
        self.groups[self.root].count_insertion(new);
        queue
    }

    /// Enters the request in the table.
    #[inline]
    fn enter(
        &mut self,
        id: RequestId,
        new: &NewRequest,
        queue: Option<QueueId>,
        state: RequestState,
    ) {
        let request = &mut self.requests[id];
        if self.detailed_statistics {
            request.allocated_at = new.allocated_at;
        }
        request.what = Content::of(new);
        request.queue = queue;
        request.state = state;
        request.fifo_deadline = self.now + self.tunables.fifo_expire_ns[usize::from(new.sync)];
    }

    /// Puts a request into the list of those that are served before all queues.
    #[cold]
    fn bypass(&mut self, id: RequestId, new: &NewRequest, queue: Option<QueueId>, at_head: bool) {
        self.enter(id, new, queue, RequestState::Direct);
        self.tell(|_| Decision::Bypasses { request: id, process: new.process });
        if at_head {
            self.direct.push_front(&mut self.requests, id);
        } else {
            self.direct.push_back(&mut self.requests, id);
        }
    }

    /// Finds the queue for a request and counts the request there (spec 2.11, step 1).
    #[inline]
    fn initialise(&mut self, process: ProcessId, new: &NewRequest, at_head: bool) -> QueueId {
        let actuator = self.actuator_of(new.end());
        let queue = match self.linked_queue(process, new.sync, actuator) {
            Some(queue) if !self.wants_split(process, queue) => queue,
            Some(shared) => self.split_and_restore(process, shared),
            None => self.queue_for(process, new.sync, actuator, false),
        };
        let state = &mut self.queues[queue];
        state.request_references += 1;
        let (just_created, group) = (state.just_created, state.group);
        let is_own = state.is_for_one() && queue != self.fallback;
        if is_own && state.owner != Some(process) {
            self.set_owner(queue, Some(process));
        }
        let group = &mut self.groups[group];
        group.allocated += 1;
        if !at_head {
            group.count_insertion(new);
        }
        if let Some(parent) = group.parent {
            self.count_allocated(parent, 1);
        }
        if just_created && (self.burst.size() > 0 || self.busy.total() == 0) {
            self.handle_burst(queue);
        }
        queue
    }

    /// A request is allocated to a queue, and to all groups above it, no more; the queue may go
    /// with it.
    #[inline(always)]
    fn unrefer_request(&mut self, queue: QueueId) {
        let state = &mut self.queues[queue];
        state.request_references -= 1;
        let (group, held) = (state.group, state.process_references > 0);
        self.count_allocated(group, -1);
        if !held {
            self.free_if_unreferenced(queue);
        }
    }

    /// Redirects the request to the queue that its own is merged into (spec 2.11, step 4).
    fn redirect(&mut self, queue: QueueId, target: QueueId, process: ProcessId) -> QueueId {
        let state = &mut self.queues[target];
        state.request_references += 1;
        let group = state.group;
        self.count_allocated(group, 1);
        if self.linked_queue(process, true, self.queues[queue].actuator) == Some(queue) {
            self.merge_queues(process, queue, target);
        }
        self.queues[queue].just_created = false;
        self.unrefer_request(queue);
        target
    }

    /// What an arrival tells of the process (spec 2.11, steps 5 and 6). A lone request is the only
    /// one that its process has in the scheduler.
    #[inline]
    fn learn_from_arrival(&mut self, queue: QueueId, new: &NewRequest, is_lone: bool) {
        let (now, wraps) = (self.now, self.behaviour.is_reference() && !self.clock_runs);
        let slice_idle_ns = self.tunables.slice_idle_ns;
        let state = &mut self.queues[queue];
        let rests = state.in_flight == 0 && state.is_empty();
        let idle_ns = if rests { state.idle_ns(now, wraps) } else { 0 };
        if rests && !state.busy {
            state.think_time.add(idle_ns.min(2 * slice_idle_ns));
        }
        if state.sync {
            state.io_bound.on_arrival(now, idle_ns, state.just_created);
        }
        let last = core::mem::replace(&mut state.last_inserted_end, new.end());
        state.seeks.add(seek::is_seek(last, new.sector, new.sectors, self.rotational));
        let is_soft_rt_no_more = state.seeks.is_totally_seeky() && state.is_soft_rt_raised();
        let thinks_long = state.think_time.mean_ns().is_some_and(|mean| mean > slice_idle_ns / 2);
        if state.short_think_time == thinks_long {
            self.change_think_time(queue);
        }
        if is_soft_rt_no_more {
            self.leave_soft_rt(queue);
        }
        if is_lone {
            self.learn_from_lone_request(queue);
        }
    }

    /// The think time of a queue became long, or short again (spec 2.9).
    fn change_think_time(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        if !state.sync
            || self.tunables.slice_idle_ns == 0
            || !self.tick.is_more_than(AFTER_SPLIT_NS, state.split_at)
            || self.class(queue) == Class::Idle
        {
            return;
        }
        let long = state.short_think_time;
        let settled =
            self.tick.is_at_least(injection::SHORT_BARRIER_NS, state.injection.lowered_at);
        let reset = state.injection.baseline_ns == 0 && (settled || long);
        self.queues[queue].short_think_time = !long;
        if reset {
            self.reset_inject_limit(queue);
        }
    }

    pub(crate) fn reset_inject_limit(&mut self, queue: QueueId) {
        let tick = self.tick;
        let state = &mut self.queues[queue];
        state.injection.reset(tick, state.short_think_time);
        self.sampling.request = None;
    }

    /// Adds the request to the queue (spec 2.11, steps 6 and 7).
    #[inline]
    fn add(&mut self, queue: QueueId, id: RequestId, new: &NewRequest) {
        self.queued += 1;
        let (position, seeks) = (self.last_position, self.back_seeks());
        let state = &mut self.queues[queue];
        let was_raised = state.is_raised();
        let is_next = state.waiting.add(&mut self.requests, id, position, seeks);
        if !state.busy {
            return self.add_first(queue, id, new, was_raised);
        }
        if self.tunables.low_latency && !was_raised {
            let last = core::mem::replace(&mut state.raise.stamp, self.tick);
            if !new.sync {
                self.consider_async_raise(queue, last);
            }
        }
        if is_next {
            self.update_position(queue);
            if self.in_service != Some(queue) {
                self.update_next_budget(queue);
            }
        }
    }

    /// The request just added makes its queue busy.
    #[inline(never)]
    fn add_first(&mut self, queue: QueueId, id: RequestId, new: &NewRequest, was_raised: bool) {
        self.update_position(queue);
        let interactive = self.become_busy(queue, id, new);
        let ordinary = !was_raised || !self.is_raised(queue);
        if self.tunables.low_latency && (ordinary || interactive) {
            self.queues[queue].raise.stamp = self.tick;
        }
    }

    /// What a process's only request says about wakers and injection (spec 2.11, step 6b).
    #[inline]
    fn learn_from_lone_request(&mut self, queue: QueueId) {
        if !self.queues[queue].sync {
            return;
        }
        self.check_waker(queue);
        let lowered_at = self.queues[queue].injection.lowered_at;
        if self.tick.is_at_least(injection::FORGET_NS, lowered_at) {
            self.reset_inject_limit(queue);
        }
        self.consider_sampling(queue);
    }

    /// A request arrived for the queue that the disk is kept idle for (spec 3.14).
    fn stop_waiting(&mut self, queue: QueueId, new: &NewRequest) {
        let state = &self.queues[queue];
        let small = new.sectors < WORTH_UNPLUGGING_SECTORS && state.waiting.count(new.sync) == 1;
        let timed_out = self.has_timed_out(queue);
        if small && !timed_out && self.boosts(queue) {
            return;
        }
        if self.detailed_statistics {
            self.note_idling_ends(queue);
        }
        self.queues[queue].waits_for_request = false;
        self.idle_timer = None;
        if timed_out {
            self.expire(queue, Reason::BudgetTimeout, None);
        }
    }

    pub(crate) fn back_seeks(&self) -> BackSeeks {
        BackSeeks {
            max_kib: self.tunables.back_seek_max_kib,
            penalty: self.tunables.back_seek_penalty,
        }
    }

    /// The next request of a queue that is not in service changed: its budget must cover it
    /// (spec 2.6).
    pub(crate) fn update_next_budget(&mut self, queue: QueueId) {
        let Some(next) = self.queues[queue].waiting.next else { return };
        let charge = self.charge(queue, next);
        let state = &self.queues[queue];
        let entity = state.entity;
        let leaf = self.fair.entity(entity);
        let budget = state.max_budget.max(charge).max(leaf.service());
        if budget == leaf.budget() {
            return;
        }
        self.fair.set_budget(entity, budget);
        self.tell(|_| Decision::BudgetGrown { queue, budget });
        if self.fair.is_active(entity) {
            let class = self.class(queue);
            self.fair.reposition(entity, self.tick);
            self.tell_finishes();
            self.recount(queue, class);
            self.free_forgotten();
        }
    }

    /// Takes a waiting request out of its queue (spec 2.12).
    #[inline(always)]
    pub(crate) fn remove_waiting(&mut self, queue: QueueId, id: RequestId) {
        let (now, seeks) = (self.now, self.back_seeks());
        let state = &mut self.queues[queue];
        let is_next = state.waiting.next == Some(id);
        let check_fifo = is_next && !core::mem::replace(&mut state.fifo_checked, is_next);
        state.waiting.remove(&mut self.requests, id, check_fifo.then_some(now), seeks);
        if check_fifo && (!state.shared || self.behaviour.is_reference()) {
            state.waiting.let_next_yield();
        }
        let (empty, busy) = (state.is_empty(), state.busy);
        self.queued -= 1;
        if is_next && self.in_service != Some(queue) {
            self.update_next_budget(queue);
        }
        if !empty {
            self.update_position(queue);
            return;
        }
        if busy && self.in_service != Some(queue) {
            self.make_idle(queue, Leaving::Emptied);
            let entity = self.queues[queue].entity;
            self.fair.set_budget(entity, 0);
            self.fair.set_service(entity, 0);
        }
        self.leave_positions(queue);
        self.free_forgotten();
    }

    /// A request disappears before it was dispatched: the host merged it into another one or
    /// cancelled it.
    ///
    /// # Errors
    /// [`HostError::NotWaiting`] if it is not waiting.
    pub fn remove(&mut self, now: Time, id: RequestId) -> Result<(), HostError> {
        self.at(now);
        self.withdraw(id, false)
    }

    /// The same, for requests that were `absorbed` by another one, and others.
    pub(crate) fn withdraw(&mut self, id: RequestId, absorbed: bool) -> Result<(), HostError> {
        let request = self.requests.at_position(id).ok_or(HostError::UnknownRequest(id))?;
        match (request.state, request.queue) {
            (RequestState::Waiting, Some(queue)) => {
                if self.detailed_statistics {
                    self.note_removal(queue, id, absorbed);
                }
                self.remove_waiting(queue, id);
            }
            (RequestState::Direct, _) => self.direct.remove(&mut self.requests, id),
            _ => return Err(HostError::NotWaiting(id)),
        }
        self.tell(|_| Decision::Removed { request: id });
        let holds = self.requests[id].leave();
        self.release(holds);
        Ok(())
    }

    /// Drops all references that a request held.
    #[inline(always)]
    pub(crate) fn release(&mut self, holds: Holds) {
        if let Some(queue) = holds.queue {
            self.unrefer_request(queue);
        }
        if let Some(process) = holds.process {
            let state = &mut self.processes[process];
            state.requests -= 1;
            if state.is_gone() {
                self.free_process(process);
            }
        }
    }
}
