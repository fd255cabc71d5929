//! A request arrives: its queue is found and learns from it (spec 2.11); waiting requests leave
//! (2.12) and merge (2.7).

use super::{busy::Leaving, injection};
use crate::{
    HostError,
    merge::AFTER_SPLIT_NS,
    queue::{
        NewRequest, ProcessId, QueueId, RequestId, request::RequestState, seek, waiting::BackSeeks,
    },
    scheduler::Scheduler,
    units::{Class, Time},
    why::{Decision, Observer, Reason},
};

/// Smallest request for which a queue that is waited for stops waiting at once (spec 3.14).
const WORTH_UNPLUGGING_SECTORS: u32 = 32;

impl<O: Observer> Scheduler<O> {
    /// Takes a request. It waits until [`Scheduler::dispatch`] hands it out.
    ///
    /// `id` is the host's number for it, below the size of the pool and not in use. A request
    /// `at_head` (a requeued one, for instance) or without a process is served before all others.
    ///
    /// # Errors
    /// [`HostError`] if `id` or the process is not what it should be; nothing is changed then.
    pub fn insert(
        &mut self,
        now: Time,
        id: RequestId,
        new: NewRequest,
        at_head: bool,
    ) -> Result<(), HostError> {
        self.at(now);
        self.accept(id, new)?;
        let queue = new.process.map(|process| self.initialise(id, process));
        let Some(queue) = queue.filter(|_| !at_head) else {
            self.requests[id].state = RequestState::Direct;
            self.tell(|_| Decision::Bypasses { request: id, process: new.process });
            if at_head {
                self.direct.push_front(&mut self.requests, id);
            } else {
                self.direct.push_back(&mut self.requests, id);
            }
            return Ok(());
        };
        self.count_insertion(queue, &new);
        let queue = self.redirect(queue, id, &new);
        self.tell(|_| Decision::Queued { queue, request: id, process: new.process });
        self.learn_from_arrival(queue, &new);
        self.add(queue, id);
        self.after_insertion(queue, id);
        Ok(())
    }

    /// Enters the request in the table.
    fn accept(&mut self, id: RequestId, new: NewRequest) -> Result<(), HostError> {
        if !self.requests.contains(id) {
            return Err(HostError::UnknownRequest(id));
        }
        if self.requests[id].state != RequestState::Absent {
            return Err(HostError::RequestInUse(id));
        }
        if let Some(process) = new.process {
            self.known_process(process)?;
        }
        let request = &mut self.requests[id];
        request.what = new;
        request.queue = None;
        request.inserted_at = self.now;
        Ok(())
    }

    /// Finds the queue for a request and counts the request there (spec 2.11, step 1).
    fn initialise(&mut self, id: RequestId, process: ProcessId) -> QueueId {
        let what = self.requests[id].what;
        self.check_ioprio(process);
        self.check_group(process);
        let actuator = self.actuator_of(what.end());
        let existed = self.linked_queue(process, what.sync, actuator).is_some();
        let mut queue = self.queue_for(process, what.sync, actuator, false);
        let mut split = false;
        if existed && self.wants_split(process, queue) {
            queue = self.split(process, queue);
            split = true;
        }
        self.requests[id].queue = Some(queue);
        self.refer_request(queue);
        self.processes[process].requests += 1;
        let state = &mut self.queues[queue];
        if state.target.is_none() && state.process_references == 1 && queue != self.fallback {
            state.owner = Some(process);
            if split {
                self.restore_state(process, queue);
            }
        }
        if self.queues[queue].just_created && (self.burst.size() > 0 || self.busy.total() == 0) {
            self.handle_burst(queue);
        }
        queue
    }

    /// Counts a request as allocated to a queue and to all groups above it.
    fn refer_request(&mut self, queue: QueueId) {
        let state = &mut self.queues[queue];
        state.request_references += 1;
        self.fair.count_allocated(state.entity, 1);
    }

    /// The opposite of `refer_request`; the queue may go with it.
    pub(crate) fn unrefer_request(&mut self, queue: QueueId) {
        let state = &mut self.queues[queue];
        state.request_references -= 1;
        self.fair.count_allocated(state.entity, -1);
        self.free_if_unreferenced(queue);
    }

    /// Redirects the request to the queue that its own is merged into (spec 2.11, step 4).
    fn redirect(&mut self, queue: QueueId, id: RequestId, new: &NewRequest) -> QueueId {
        let Some(process) = new.process else { return queue };
        let Some(target) = self.find_cooperator(queue, process, new.sector) else { return queue };
        self.refer_request(target);
        self.requests[id].queue = Some(target);
        if self.linked_queue(process, true, self.queues[queue].actuator) == Some(queue) {
            self.merge_queues(process, queue, target);
        }
        self.queues[queue].just_created = false;
        self.unrefer_request(queue);
        target
    }

    /// Think time and seekiness (spec 2.11, step 5).
    fn learn_from_arrival(&mut self, queue: QueueId, new: &NewRequest) {
        self.sample_think_time(queue);
        self.update_short_think_time(queue, new.process);
        let seek = seek::is_seek(
            self.queues[queue].last_inserted_end,
            new.sector,
            new.sectors,
            self.rotational,
        );
        self.queues[queue].seeks.add(seek);
        if self.queues[queue].raise.is_soft_rt()
            && self.is_raised(queue)
            && self.queues[queue].seeks.is_totally_seeky()
        {
            self.leave_soft_rt(queue);
        }
    }

    /// Time since the queue's last completion. Before its first one, which is remembered as 1 ns
    /// after creation, the reference's difference wraps around (spec 10.2, row 20).
    fn idle_ns(&self, queue: QueueId) -> Option<u64> {
        let last = self.queues[queue].last_completion;
        (self.now >= last).then(|| self.now.since_ns(last))
    }

    fn sample_think_time(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        if state.in_flight > 0 || state.busy {
            return;
        }
        let cap_ns = 2 * self.tunables.slice_idle_ns;
        let wrapped_ns = if self.behaviour.is_reference() { cap_ns } else { 0 };
        let sample_ns = self.idle_ns(queue).unwrap_or(wrapped_ns).min(cap_ns);
        self.queues[queue].think_time.add(sample_ns);
    }

    /// Re-evaluates the short-think-time flag (spec 2.9).
    fn update_short_think_time(&mut self, queue: QueueId, process: Option<ProcessId>) {
        let state = &self.queues[queue];
        if !state.sync
            || self.class(queue) == Class::Idle
            || self.tunables.slice_idle_ns == 0
            || !self.tick.is_more_than(AFTER_SPLIT_NS, state.split_at)
        {
            return;
        }
        let gone = process.is_none_or(|process| self.processes[process].exited);
        let threshold_ns = self.tunables.slice_idle_ns / 2;
        let long = gone || state.think_time.mean_ns().is_some_and(|mean| mean > threshold_ns);
        if state.short_think_time == long {
            let settled =
                self.tick.is_at_least(injection::SHORT_BARRIER_NS, state.injection.lowered_at);
            let reset = state.injection.baseline_ns == 0 && (settled || long);
            self.queues[queue].short_think_time = !long;
            if reset {
                self.reset_inject_limit(queue);
            }
        }
    }

    pub(crate) fn reset_inject_limit(&mut self, queue: QueueId) {
        let tick = self.tick;
        let state = &mut self.queues[queue];
        state.injection.reset(tick, state.short_think_time);
        self.sampling.request = None;
    }

    /// Adds the request to the queue (spec 2.11, step 6).
    fn add(&mut self, queue: QueueId, id: RequestId) {
        let new = self.requests[id].what;
        self.queued += 1;
        self.requests[id].state = RequestState::Waiting;
        if self.queues[queue].sync {
            self.observe_process(queue, &new);
            self.observe_busyness(queue);
        }
        let before = self.queues[queue].waiting.next;
        let (position, seeks) = (self.last_position, self.back_seeks());
        self.queues[queue].waiting.add(&mut self.requests, id, position, seeks);
        let changed = self.queues[queue].waiting.next != before;
        if changed {
            self.update_position(queue);
        }
        let was_raised = self.is_raised(queue);
        let mut interactive = false;
        if !self.queues[queue].busy {
            interactive = self.become_busy(queue, id);
        } else {
            self.consider_async_raise(queue, &new, was_raised);
            if changed {
                self.update_next_budget(queue);
            }
        }
        if self.tunables.low_latency && (!was_raised || !self.is_raised(queue) || interactive) {
            self.queues[queue].raise.stamp = self.tick;
        }
    }

    /// What a first request of a process says about wakers and injection (spec 2.11, step 6b).
    fn observe_process(&mut self, queue: QueueId, new: &NewRequest) {
        if new.process.is_some_and(|process| self.processes[process].requests > 1) {
            return;
        }
        self.check_waker(queue);
        let lowered_at = self.queues[queue].injection.lowered_at;
        if self.tick.is_at_least(injection::FORGET_NS, lowered_at) {
            self.reset_inject_limit(queue);
        }
        self.consider_sampling(queue);
    }

    fn observe_busyness(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        let idle = state.is_empty() && state.in_flight == 0;
        let idle_ns = match self.idle_ns(queue) {
            _ if !idle => 0,
            Some(idle_ns) => idle_ns,
            None if self.behaviour.is_reference() => u64::MAX, // −1 ns
            None => 0,
        };
        let now = self.now;
        let state = &mut self.queues[queue];
        state.io_bound.on_arrival(now, idle_ns, state.just_created);
    }

    /// Deadline, fifo, and the queue that was being waited for (spec 2.11, steps 7 and 8).
    fn after_insertion(&mut self, queue: QueueId, id: RequestId) {
        let new = self.requests[id].what;
        let expire_ns = self.tunables.fifo_expire_ns[usize::from(new.sync)];
        self.requests[id].fifo_deadline = self.now + expire_ns;
        let state = &mut self.queues[queue];
        state.waiting.queue_up(&mut self.requests, id);
        state.last_inserted_end = new.end();
        if self.in_service == Some(queue) && self.queues[queue].waits_for_request {
            self.stop_waiting(queue, &new);
        }
    }

    /// A request arrived for the queue that the disk is kept idle for (spec 3.14).
    fn stop_waiting(&mut self, queue: QueueId, new: &NewRequest) {
        let small = new.sectors < WORTH_UNPLUGGING_SECTORS
            && self.queues[queue].waiting.count(new.sync) == 1;
        let timed_out = self.has_timed_out(queue);
        if small && !timed_out && self.boosts(queue) {
            return;
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

    /// The next request of a queue changed: its budget must cover it (spec 2.6).
    pub(crate) fn update_next_budget(&mut self, queue: QueueId) {
        let Some(next) = self.queues[queue].waiting.next else { return };
        if self.in_service == Some(queue) {
            return;
        }
        let charge = self.charge(queue, next);
        let leaf = self.leaf(queue);
        let budget = self.queues[queue].max_budget.max(charge).max(leaf.service());
        if budget == leaf.budget() {
            return;
        }
        let entity = self.queues[queue].entity;
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
    pub(crate) fn remove_waiting(&mut self, queue: QueueId, id: RequestId) {
        let is_next = self.queues[queue].waiting.next == Some(id);
        let check_fifo = is_next && !self.queues[queue].fifo_checked;
        let (now, seeks) = (self.now, self.back_seeks());
        let state = &mut self.queues[queue];
        state.fifo_checked |= is_next;
        state.waiting.remove(&mut self.requests, id, check_fifo.then_some(now), seeks);
        self.queued -= 1;
        if is_next {
            self.update_next_budget(queue);
        }
        if !self.queues[queue].is_empty() {
            self.update_position(queue);
            return;
        }
        if self.queues[queue].busy && self.in_service != Some(queue) {
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
        if !self.requests.contains(id) {
            return Err(HostError::UnknownRequest(id));
        }
        match (self.requests[id].state, self.requests[id].queue) {
            (RequestState::Waiting, Some(queue)) => self.remove_waiting(queue, id),
            (RequestState::Direct, _) => self.direct.remove(&mut self.requests, id),
            _ => return Err(HostError::NotWaiting(id)),
        }
        self.tell(|_| Decision::Removed { request: id });
        self.forget_request(id);
        Ok(())
    }

    /// Drops all references that a request holds.
    pub(crate) fn forget_request(&mut self, id: RequestId) {
        self.requests[id].state = RequestState::Absent;
        if let Some(queue) = self.requests[id].queue.take() {
            self.unrefer_request(queue);
        }
        if let Some(process) = self.requests[id].what.process {
            self.processes[process].requests -= 1;
            self.free_process_if_gone(process);
        }
    }
}
