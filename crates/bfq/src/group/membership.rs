//! Which group a process's queues belong to, moving them, and groups that go (spec 6.4–6.6).

use super::{Group, GroupId};
use crate::{
    arena::OutOfMemory,
    queue::{ProcessId, QueueId},
    scheduler::Scheduler,
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// Adds a group below `parent`.
    pub(crate) fn create_group(
        &mut self,
        parent: GroupId,
        weight: u32,
    ) -> Result<GroupId, OutOfMemory> {
        let above = self.groups[parent].level;
        let (entity, level) = self.fair.add_group(above, weight, 0)?;
        let group = Group::new(Some(parent), level, Some(entity), self.actuators);
        match group.and_then(|group| self.groups.insert(group)) {
            Ok(id) => {
                self.groups[id].references = 1;
                self.groups[parent].references += 1;
                Ok(id)
            }
            Err(error) => {
                self.fair.remove_group(entity);
                Err(error)
            }
        }
    }

    /// A group and all above it, the root last.
    pub(crate) fn group_and_ancestors(&self, group: GroupId) -> impl Iterator<Item = GroupId> {
        core::iter::successors(Some(group), |&group| self.groups[group].parent)
    }

    /// Adds `change` to the requests allocated to a group and to all above it.
    #[inline]
    pub(crate) fn count_allocated(&mut self, group: GroupId, change: i32) {
        let mut next = Some(group);
        while let Some(group) = next {
            let state = &mut self.groups[group];
            state.allocated = state.allocated.wrapping_add_signed(change);
            next = state.parent;
        }
    }

    /// Gives up a reference to a group; it goes with the last one.
    pub(crate) fn drop_group_reference(&mut self, group: GroupId) {
        let mut group = group;
        loop {
            self.groups[group].references -= 1;
            if self.groups[group].references > 0 {
                return;
            }
            self.burst.forget_group(group);
            if let Some(entity) = self.groups[group].entity {
                self.fair.remove_group(entity);
            }
            let parent = self.groups[group].parent;
            self.groups.remove(group);
            match parent {
                Some(parent) => group = parent,
                None => return,
            }
        }
    }

    /// Looks for a change of the process's group since its last request (spec 6.4).
    #[inline]
    pub(crate) fn check_group(&mut self, process: ProcessId) {
        let state = &mut self.processes[process];
        let group = state.group;
        if state.seen_group.replace(group) != Some(group) {
            self.follow_to_group(process, group);
        }
    }

    #[inline(never)]
    fn follow_to_group(&mut self, process: ProcessId, group: GroupId) {
        let group = self.online_group(group);
        for actuator in 0..self.actuators as u8 {
            if let Some(queue) = self.linked_queue(process, false, actuator)
                && self.queues[queue].group != group
            {
                self.link(process, None, false, actuator);
                self.drop_process_reference(queue);
            }
            if let Some(queue) = self.linked_queue(process, true, actuator) {
                self.take_sync_queue_along(process, queue, group);
            }
        }
    }

    fn take_sync_queue_along(&mut self, process: ProcessId, queue: QueueId, group: GroupId) {
        let state = &self.queues[queue];
        if !state.shared && state.target.is_none() {
            if state.group != group {
                self.move_queue(queue, group);
            }
            return;
        }
        let chain = core::iter::successors(Some(queue), |&queue| self.queues[queue].target);
        let mut chain = chain.map(|queue| self.queues[queue].group);
        if chain.any(|other| other != group) {
            let actuator = self.queues[queue].actuator;
            self.link(process, None, true, actuator);
            self.drop_chain_references(queue);
            self.release_from_process(queue);
        }
    }

    /// Moves a queue to another group (spec 6.5).
    pub(crate) fn move_queue(&mut self, queue: QueueId, group: GroupId) {
        // Nobody may free it while it moves.
        self.queues[queue].stable_references += 1;
        let was_pending = self.queues[queue].counted_pending;
        self.unmark_pending(queue);
        if self.in_service == Some(queue) {
            self.expire_in_favour_of(queue, None);
        }
        let entity = self.queues[queue].entity;
        if self.queues[queue].busy {
            self.fair.deactivate(entity, false, self.tick);
            self.tell_finishes();
        } else {
            self.fair.forget_idle(entity);
        }
        self.leave_positions(queue);
        let old = self.queues[queue].group;
        if self.groups[old].last_created == Some(queue) {
            self.groups[old].last_created = None;
        }
        if self.detailed_statistics {
            self.note_move(queue, old, group);
        }
        let allocated = self.queues[queue].request_references as i32;
        self.count_allocated(old, -allocated);
        self.count_allocated(group, allocated);
        self.queues[queue].group = group;
        self.groups[group].references += 1;
        self.fair.rehang_leaf(entity, self.groups[group].level);
        let pending = if self.behaviour.is_reference() {
            was_pending
        } else {
            self.queues[queue].busy || self.queues[queue].in_flight > 0
        };
        if pending {
            self.mark_pending(queue);
        }
        if self.queues[queue].busy {
            self.update_position(queue);
            let class = self.class(queue);
            self.fair.activate(entity, false, self.tick);
            self.tell_finishes();
            self.recount(queue, class);
        } else if !self.behaviour.is_reference() {
            self.queues[queue].continues = false;
        }
        if self.in_service.is_none() && self.in_flight == 0 {
            self.want_kick();
        }
        self.free_forgotten();
        self.queues[queue].stable_references -= 1;
        self.free_if_unreferenced(queue);
        self.drop_group_reference(old);
    }

    /// A group goes offline, and all below it before it does.
    pub(crate) fn offline_subtree(&mut self, group: GroupId) {
        loop {
            let mut lowest = group;
            while let Some(below) = self.online_child(lowest) {
                lowest = below;
            }
            self.offline(lowest);
            if lowest == group {
                return;
            }
        }
    }

    /// The processes served with a group that goes must look for another at their next request.
    fn unsettle_processes(&mut self, group: GroupId) {
        let mut next = self.processes.next_id(None);
        while let Some(process) = next {
            if self.online_group(self.processes[process].group) == group {
                self.processes[process].seen_group = None;
                self.processes[process].settled = false;
            }
            next = self.processes.next_id(next);
        }
    }

    fn online_child(&self, group: GroupId) -> Option<GroupId> {
        let mut children =
            self.groups.iter().filter(|(_, other)| other.online && other.parent == Some(group));
        children.next().map(|(id, _)| id)
    }

    /// A group goes offline: its queues move to the root group, the one in service first; it stops
    /// being scheduled, and later requests of its processes go to its nearest
    /// online ancestor (spec 6.6).
    fn offline(&mut self, group: GroupId) {
        self.unsettle_processes(group);
        self.groups[group].online = false;
        let level = self.groups[group].level;
        if let Some(queue) = self.in_service.filter(|&queue| self.queues[queue].group == group) {
            self.move_queue(queue, self.root);
        }
        let mut next = self.queues.next_key(None);
        while let Some(queue) = next {
            let in_use = self.queues[queue].busy || self.leaf(queue).is_scheduled();
            if self.queues[queue].group == group && in_use {
                self.move_queue(queue, self.root);
            }
            next = self.queues.next_key(next);
        }
        self.fair.flush_idle(level);
        self.free_forgotten();
        if let Some(entity) = self.groups[group].entity {
            self.fair.deactivate(entity, false, self.tick);
            self.tell_finishes();
            self.free_forgotten();
        }
        while let Some(queue) = self.groups[group].take_async_queue() {
            if self.queues[queue].group == group {
                self.move_queue(queue, self.root);
            }
            self.drop_process_reference(queue);
        }
        if let Some(parent) = self.groups[group].parent {
            let gone = self.groups[group].statistics;
            self.groups[parent].statistics.inherit(&gone);
        }
        self.drop_group_reference(group);
    }
}
