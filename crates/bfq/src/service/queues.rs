//! Queues come and go: which queue serves a process, and how long a queue lives (spec 2.1–2.3).

use crate::{
    arena::OutOfMemory,
    group::GroupId,
    queue::{ProcessId, Queue, QueueId},
    scheduler::{Behaviour, Scheduler},
    statistics::Counter,
    units::{Class, Ioprio, Time},
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// The actuator that serves a request ending before sector `end`.
    #[inline]
    pub(crate) fn actuator_of(&self, end: u64) -> u8 {
        if self.actuators == 1 {
            return 0;
        }
        let last = end.saturating_sub(1);
        let ranges = &self.actuator_ends[..self.actuators];
        ranges.iter().position(|&end| last < end).unwrap_or(0) as u8
    }

    /// The nearest ancestor-or-self of `group` that is online.
    pub(crate) fn online_group(&self, group: GroupId) -> GroupId {
        let mut group = group;
        while !self.groups[group].online {
            match self.groups[group].parent {
                Some(parent) => group = parent,
                None => break,
            }
        }
        group
    }

    /// The queue linked to a process, if it is one of its own making (not the fallback).
    #[inline]
    pub(crate) fn linked_queue(
        &self,
        process: ProcessId,
        sync: bool,
        actuator: u8,
    ) -> Option<QueueId> {
        let link = self.processes.seat(process, actuator).link(sync);
        link.filter(|&queue| queue != self.fallback)
    }

    /// Links a process to a queue, whose reference has been taken.
    pub(crate) fn link(&mut self, process: ProcessId, queue: Option<QueueId>, sync: bool, at: u8) {
        let seat = self.processes.seat_mut(process, at);
        *if sync { &mut seat.sync } else { &mut seat.asynchronous } = queue;
    }

    /// The queue for a request of a process, created if need be. The fallback if there is no
    /// memory.
    pub(crate) fn queue_for(
        &mut self,
        process: ProcessId,
        sync: bool,
        actuator: u8,
        respawn: bool,
    ) -> QueueId {
        if let Some(queue) = self.linked_queue(process, sync, actuator) {
            return queue;
        }
        // A link to the fallback is given up first: perhaps there is memory now.
        if let Some(fallback) = self.processes.seat(process, actuator).link(sync) {
            self.link(process, None, sync, actuator);
            self.drop_process_reference(fallback);
        }
        let queue = if sync {
            self.new_sync_queue(process, actuator, respawn)
        } else {
            self.async_queue(process, actuator)
        };
        let queue = queue.unwrap_or_else(|_| {
            self.counters.count(Counter::Fallbacks);
            self.fallback
        });
        self.queues[queue].process_references += 1;
        self.link(process, Some(queue), sync, actuator);
        queue
    }

    fn process_group(&self, process: ProcessId) -> GroupId {
        self.online_group(self.processes[process].group)
    }

    fn new_sync_queue(
        &mut self,
        process: ProcessId,
        actuator: u8,
        respawn: bool,
    ) -> Result<QueueId, OutOfMemory> {
        let group = self.process_group(process);
        let ioprio = self.processes[process].attributes.effective();
        let queue = self.create_queue(group, Some(process), ioprio, ioprio.weight(), actuator)?;
        if respawn { Ok(queue) } else { Ok(self.consider_stable_merge(process, queue)) }
    }

    /// The async queue shared by all processes of a group with the priority of this one.
    fn async_queue(&mut self, process: ProcessId, actuator: u8) -> Result<QueueId, OutOfMemory> {
        let group = self.process_group(process);
        let attributes = self.processes[process].attributes;
        let slot = attributes.ioprio.unwrap_or(Ioprio::DEFAULT);
        if let Some(queue) = *self.groups[group].async_queue(slot, actuator) {
            return Ok(queue);
        }
        let weight = attributes.effective().weight();
        let queue = self.create_queue(group, None, slot, weight, actuator)?;
        self.queues[queue].process_references += 1;
        *self.groups[group].async_queue(slot, actuator) = Some(queue);
        Ok(queue)
    }

    /// Creates a queue (spec 12.1); a sync one if it is for a process.
    fn create_queue(
        &mut self,
        group: GroupId,
        process: Option<ProcessId>,
        ioprio: Ioprio,
        weight: u32,
        actuator: u8,
    ) -> Result<QueueId, OutOfMemory> {
        let level = self.groups[group].level;
        let sync = process.is_some();
        let entity = self.fair.add_leaf(level, ioprio.class(), weight, actuator, 0)?;
        let budget = self.budgets.initial();
        let mut queue = Queue::new(entity, group, sync, actuator, budget, self.now, self.tick);
        queue.serial = self.next_serial;
        if self.behaviour == Behaviour::Linux6_1 {
            // Its first request resets the limit, which ends a measurement of another queue.
            queue.injection.lowered_at = Time::LONG_AGO;
        }
        let queue = match self.queues.insert(queue) {
            Ok(queue) => queue,
            Err(error) => {
                self.fair.remove_leaf(entity);
                return Err(error);
            }
        };
        self.next_serial += 1;
        self.fair.set_owner(entity, queue.index() as u32);
        self.groups[group].references += 1;
        self.counters.count(Counter::QueuesCreated);
        let class = ioprio.class();
        self.tell(|_| Decision::QueueCreated { queue, process, group, sync, class, weight });
        Ok(queue)
    }

    /// Gives up a process reference; the queue may go with it.
    pub(crate) fn drop_process_reference(&mut self, queue: QueueId) {
        let state = &mut self.queues[queue];
        state.process_references -= 1;
        if state.process_references == 0 {
            // Nobody will follow it any more, and the target may go first.
            state.target = None;
        }
        self.free_if_unreferenced(queue);
    }

    /// Frees a queue that nothing refers to any more (spec 2.3).
    #[inline]
    pub(crate) fn free_if_unreferenced(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        let referenced = state.process_references > 0
            || state.request_references > 0
            || state.stable_references > 0
            || state.counted_weight.is_some()
            || self.in_service == Some(queue)
            || self.leaf(queue).is_scheduled()
            || queue == self.fallback;
        if !referenced {
            self.free(queue);
        }
    }

    fn free(&mut self, queue: QueueId) {
        self.burst.unlist(&mut self.queues, queue);
        self.set_owner(queue, None);
        self.set_waker(queue, None);
        while let Some(woken) = self.queues[queue].woken.front() {
            self.set_waker(woken, None);
        }
        if self.last_completed == Some(queue) {
            self.last_completed = None;
        }
        self.unmark_pending(queue);
        let state = &self.queues[queue];
        let (entity, group) = (state.entity, state.group);
        if self.groups[group].last_created == Some(queue) {
            self.groups[group].last_created = None;
        }
        self.tell(|_| Decision::QueueFreed { queue });
        self.fair.remove_leaf(entity);
        self.queues.remove(queue);
        self.drop_group_reference(group);
    }

    /// Frees the queues that the last operation on `fair` stopped remembering, if nothing else
    /// refers to them.
    #[inline(always)]
    pub(crate) fn free_forgotten(&mut self) {
        if self.fair.has_forgotten() {
            self.look_at_forgotten();
        }
    }

    #[inline(never)]
    fn look_at_forgotten(&mut self) {
        while let Some(leaf) = self.fair.take_forgotten() {
            let queue = self.queue_of(leaf);
            self.free_if_unreferenced(queue);
        }
    }

    /// Makes `owner` the owner of `queue`.
    #[inline(never)]
    pub(crate) fn set_owner(&mut self, queue: QueueId, owner: Option<ProcessId>) {
        if let Some(old) = core::mem::replace(&mut self.queues[queue].owner, owner) {
            self.processes[old].owned.remove(&mut self.queues, queue);
        }
        if let Some(owner) = owner {
            self.processes[owner].owned.push_front(&mut self.queues, queue);
        }
    }

    /// Makes `waker` the waker of `queue`; the one confirmed last is first among its woken.
    pub(crate) fn set_waker(&mut self, queue: QueueId, waker: Option<QueueId>) {
        if let Some(old) = self.queues[queue].waker.take() {
            let mut woken =
                core::mem::replace(&mut self.queues[old].woken, crate::list::List::new());
            woken.remove(&mut self.queues, queue);
            self.queues[old].woken = woken;
        }
        if let Some(waker) = waker {
            let mut woken =
                core::mem::replace(&mut self.queues[waker].woken, crate::list::List::new());
            woken.push_front(&mut self.queues, queue);
            self.queues[waker].woken = woken;
            self.queues[queue].waker = Some(waker);
        }
    }

    /// Looks for a change of the process's explicit priority since its last request (spec 2.2).
    #[inline]
    pub(crate) fn check_ioprio(&mut self, process: ProcessId) {
        let state = &mut self.processes[process];
        let ioprio = state.attributes.ioprio;
        if core::mem::replace(&mut state.seen_ioprio, ioprio) != ioprio {
            self.follow_ioprio(process);
        }
    }

    fn follow_ioprio(&mut self, process: ProcessId) {
        for actuator in 0..self.actuators as u8 {
            if let Some(queue) = self.linked_queue(process, false, actuator) {
                self.link(process, None, false, actuator);
                self.drop_process_reference(queue);
                self.queue_for(process, false, actuator, true);
            }
            if let Some(queue) = self.linked_queue(process, true, actuator) {
                let ioprio = self.processes[process].attributes.effective();
                let entity = self.queues[queue].entity;
                self.fair.request_weight(entity, ioprio.weight());
                self.fair.request_class(entity, ioprio.class());
            }
        }
    }

    /// The class of a queue, as it is counted among the busy ones.
    pub(crate) fn class(&self, queue: QueueId) -> Class {
        self.leaf(queue).class()
    }
}
