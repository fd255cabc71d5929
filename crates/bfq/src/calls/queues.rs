// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues come and go: which queue serves a process, and how long a queue lives (spec 2.1–2.3).

use crate::{
    model::{
        Model,
        ids::{GroupId, ProcessId, QueueId},
        queue::{Home, Queue},
    },
    scheduler::{NewQueue, Policy, Scheduler},
    store::arena::OutOfMemory,
    units::{Ioprio, Weight},
    why::{Decision, Observer},
};

/// How a process comes to need a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Birth {
    /// The process has no queue of this kind for the actuator yet.
    First,
    /// The process left its queue: by a split of a merged one, or by a change of its I/O priority.
    Again,
}

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// The queue linked to a process, if it is one of its own making (not the fallback).
    #[inline]
    pub(crate) fn linked_queue(
        &self,
        process: ProcessId,
        sync: bool,
        actuator: u8,
    ) -> Option<QueueId> {
        let link = self.model.processes.at(process, actuator).link(sync);
        link.filter(|&queue| queue != self.model.fallback)
    }

    /// Links a process to a queue, whose reference has been taken.
    pub(crate) fn link(&mut self, process: ProcessId, queue: Option<QueueId>, sync: bool, at: u8) {
        let state = self.model.processes.at_mut(process, at);
        *if sync { &mut state.sync } else { &mut state.asynchronous } = queue;
    }

    /// The queue for a request of a process, created if need be. The fallback if there
    /// is no memory.
    pub(crate) fn queue_for(
        &mut self,
        process: ProcessId,
        sync: bool,
        actuator: u8,
        birth: Birth,
    ) -> QueueId {
        if let Some(queue) = self.linked_queue(process, sync, actuator) {
            return queue;
        }
        // A link to the fallback is given up first: perhaps there is memory now.
        if let Some(fallback) = self.model.processes.at(process, actuator).link(sync) {
            self.link(process, None, sync, actuator);
            self.drop_process_reference(fallback);
        }
        let queue = if sync {
            self.new_sync_queue(process, actuator, birth)
        } else {
            self.async_queue(process, actuator)
        };
        let queue = queue.unwrap_or(self.model.fallback);
        self.model.queues[queue].references.processes += 1;
        self.link(process, Some(queue), sync, actuator);
        queue
    }

    fn process_group(&self, process: ProcessId) -> GroupId {
        self.online_group(self.model.processes[process].group)
    }

    fn new_sync_queue(
        &mut self,
        process: ProcessId,
        actuator: u8,
        birth: Birth,
    ) -> Result<QueueId, OutOfMemory> {
        let home = Home { group: self.process_group(process), sync: true, actuator };
        let ioprio = self.model.processes[process].attributes.effective();
        let queue = self.create_queue(home, Some(process), ioprio, ioprio.weight())?;
        Ok(match birth {
            Birth::First => P::sync_queue(self, process, queue),
            Birth::Again => queue,
        })
    }

    /// The async queue shared by all processes of a group with the priority of this one.
    fn async_queue(&mut self, process: ProcessId, actuator: u8) -> Result<QueueId, OutOfMemory> {
        let group = self.process_group(process);
        let attributes = self.model.processes[process].attributes;
        let place = attributes.ioprio.unwrap_or(Ioprio::DEFAULT);
        if let Some(queue) = *self.model.groups[group].async_queue(place, actuator) {
            return Ok(queue);
        }
        let weight = attributes.effective().weight();
        let home = Home { group, sync: false, actuator };
        let queue = self.create_queue(home, None, place, weight)?;
        self.model.queues[queue].references.processes += 1;
        *self.model.groups[group].async_queue(place, actuator) = Some(queue);
        Ok(queue)
    }

    /// Creates a queue (spec 12.1); a sync one if it is for a process.
    fn create_queue(
        &mut self,
        home: Home,
        process: Option<ProcessId>,
        ioprio: Ioprio,
        weight: Weight,
    ) -> Result<QueueId, OutOfMemory> {
        let Home { group, sync, actuator } = home;
        let class = ioprio.class();
        let of_group = &self.model.groups[group].policy;
        let new = NewQueue { group: of_group, sync, actuator, class, weight };
        let vacancy = self.model.queues.vacancy()?;
        let state = self.policy.new_queue(&self.clock, new)?;
        let queue = self.model.queues.fill(vacancy, Queue::new(state, home, &self.clock));
        self.policy.queue_created(&mut self.model.queues[queue].policy, queue);
        self.model.groups[group].references += 1;
        self.model.counts.queues_created += 1;
        self.model.queues[queue].serial = self.model.counts.queues_created;
        self.tell(|_| Decision::QueueCreated { queue, process, group, sync, class, weight });
        Ok(queue)
    }

    /// Gives up a process reference; the queue may go with it.
    pub(crate) fn drop_process_reference(&mut self, queue: QueueId) {
        let state = &mut self.model.queues[queue];
        state.references.processes -= 1;
        if state.references.processes == 0 {
            P::orphaned(&mut state.policy);
        }
        self.free_if_unreferenced(queue);
    }

    /// Frees a queue that nothing refers to any more (spec 2.3).
    #[inline]
    pub(crate) fn free_if_unreferenced(&mut self, queue: QueueId) {
        let referenced = self.model.queues[queue].references.any()
            || P::holds(self, queue)
            || queue == self.model.fallback;
        if !referenced {
            self.free(queue);
        }
    }

    fn free(&mut self, queue: QueueId) {
        debug_assert!(self.model.queues[queue].is_empty(), "something waits in {queue:?}");
        debug_assert_eq!(self.model.queues[queue].in_flight, 0, "the device has some of {queue:?}");
        P::queue_freed(self, queue);
        self.set_owner(queue, None);
        let group = self.model.queues[queue].group;
        self.tell(|_| Decision::QueueFreed { queue });
        self.model.queues.remove(queue);
        self.drop_group_reference(group);
    }

    /// Makes `owner` the owner of `queue`.
    #[inline(never)]
    pub(crate) fn set_owner(&mut self, queue: QueueId, owner: Option<ProcessId>) {
        let Model { queues, processes, .. } = &mut self.model;
        if let Some(old) = core::mem::replace(&mut queues[queue].owner, owner) {
            processes[old].owned.remove(queues, queue);
        }
        if let Some(owner) = owner {
            processes[owner].owned.push_front(queues, queue);
        }
    }

    /// Looks for a change of the process's explicit priority since its last request (spec 2.2).
    #[inline]
    pub(crate) fn check_ioprio(&mut self, process: ProcessId) {
        let state = &mut self.model.processes[process];
        let ioprio = state.attributes.ioprio;
        if core::mem::replace(&mut state.seen_ioprio, ioprio) != ioprio {
            self.follow_ioprio(process);
        }
    }

    fn follow_ioprio(&mut self, process: ProcessId) {
        for actuator in 0..self.device.actuators as u8 {
            if let Some(queue) = self.linked_queue(process, false, actuator) {
                self.link(process, None, false, actuator);
                self.drop_process_reference(queue);
                self.queue_for(process, false, actuator, Birth::Again);
            }
            if let Some(queue) = self.linked_queue(process, true, actuator) {
                let ioprio = self.model.processes[process].attributes.effective();
                P::ioprio_changed(self, queue, ioprio);
            }
        }
    }
}
