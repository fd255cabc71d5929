// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which group a process's queues belong to, moving them, and groups that go (spec 6.4–6.6).

use crate::{
    model::{
        group::{AsyncPlaces, Group, Groups, SIBLINGS},
        ids::{GroupId, ProcessId, QueueId},
    },
    scheduler::{Policy, Scheduler},
    store::{arena::OutOfMemory, list::List},
    why::Observer,
};
use core::mem;

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Adds a group below `parent`.
    pub(crate) fn create_group(&mut self, parent: GroupId) -> Result<GroupId, OutOfMemory> {
        let places = AsyncPlaces::new(self.device.actuators)?;
        let vacancy = self.model.groups.vacancy()?;
        let state = self.policy.new_group(&self.model.groups[parent].policy)?;
        let id = self.model.groups.fill(vacancy, Group::new(Some(parent), state, places));
        self.model.groups[id].references = 1;
        self.model.groups[parent].references += 1;
        self.change_children(parent, |children, groups| children.push_back(groups, id));
        Ok(id)
    }

    /// The nearest ancestor-or-self of `group` that is online.
    pub(crate) fn online_group(&self, group: GroupId) -> GroupId {
        let mut group = group;
        while !self.model.groups[group].online {
            match self.model.groups[group].parent {
                Some(parent) => group = parent,
                None => break,
            }
        }
        group
    }

    /// A group and all above it, the root last.
    pub(crate) fn group_and_ancestors(&self, group: GroupId) -> impl Iterator<Item = GroupId> {
        core::iter::successors(Some(group), |&group| self.model.groups[group].parent)
    }

    /// Adds `change` to the requests allocated to a group and to all above it.
    #[inline]
    pub(crate) fn count_allocated(&mut self, group: GroupId, change: i32) {
        let mut next = Some(group);
        while let Some(group) = next {
            let state = &mut self.model.groups[group];
            debug_assert!(
                state.allocated.checked_add_signed(change).is_some(),
                "{group:?} has {} requests, and {change} more",
                state.allocated
            );
            state.allocated = state.allocated.wrapping_add_signed(change);
            next = state.parent;
        }
    }

    /// Gives up a reference to a group; it goes with the last one.
    pub(crate) fn drop_group_reference(&mut self, group: GroupId) {
        let mut group = group;
        loop {
            self.model.groups[group].references -= 1;
            if self.model.groups[group].references > 0 {
                return;
            }
            P::group_freed(self, group);
            self.policy.drop_group(&self.model.groups[group].policy);
            let parent = self.model.groups[group].parent;
            self.model.groups.remove(group);
            match parent {
                Some(parent) => group = parent,
                None => return,
            }
        }
    }

    /// Looks for a change of the process's group since its last request (spec 6.4): it lives in
    /// another one, or the one that it was served with went.
    #[inline]
    pub(crate) fn check_group(&mut self, process: ProcessId) {
        let served_in = self.model.processes[process].served_in;
        if served_in.is_none_or(|group| !self.model.groups[group].online) {
            self.follow_to_group(process);
        }
    }

    #[inline(never)]
    fn follow_to_group(&mut self, process: ProcessId) {
        let group = self.online_group(self.model.processes[process].group);
        self.model.processes[process].served_in = Some(group);
        for actuator in 0..self.device.actuators as u8 {
            if let Some(queue) = self.linked_queue(process, false, actuator)
                && self.model.queues[queue].group != group
            {
                self.link(process, None, false, actuator);
                self.drop_process_reference(queue);
            }
            if let Some(queue) = self.linked_queue(process, true, actuator) {
                P::process_moved(self, process, queue, group);
            }
        }
    }

    /// What the model needs when a queue moves to another group: its requests are counted there,
    /// and it names the new group and no more the old one, which may go with that.
    pub fn rehome(&mut self, queue: QueueId, group: GroupId) {
        let old = self.change_group(queue, group);
        self.drop_group_reference(old);
    }

    /// The same, but the old group, which is returned, is still named.
    pub(crate) fn change_group(&mut self, queue: QueueId, group: GroupId) -> GroupId {
        let old = self.model.queues[queue].group;
        debug_assert!(self.model.groups[group].online, "{queue:?} moves to a group that went");
        if self.model.detailed.on {
            self.note_move(queue, old, group);
        }
        let allocated = self.model.queues[queue].references.requests as i32;
        self.count_allocated(old, -allocated);
        self.count_allocated(group, allocated);
        self.model.queues[queue].group = group;
        self.model.groups[group].references += 1;
        old
    }

    /// A group goes offline, and all below it before it does.
    pub(crate) fn offline_subtree(&mut self, group: GroupId) {
        loop {
            let mut lowest = group;
            while let Some(below) = self.model.groups[lowest].children.front() {
                lowest = below;
            }
            self.offline(lowest);
            if lowest == group {
                return;
            }
        }
    }

    /// Changes the list of the online groups below `parent`.
    fn change_children(
        &mut self,
        parent: GroupId,
        change: impl FnOnce(&mut List<GroupId, SIBLINGS>, &mut Groups<P>),
    ) {
        let groups = &mut self.model.groups;
        let mut children = mem::replace(&mut groups[parent].children, List::new());
        change(&mut children, groups);
        groups[parent].children = children;
    }

    /// A group goes offline: its queues move to the root group; later requests of its processes go
    /// to its nearest online ancestor (spec 6.6), which a process notices by the new epoch.
    fn offline(&mut self, group: GroupId) {
        debug_assert!(
            group != self.model.root && self.model.groups[group].online,
            "{group:?} cannot go"
        );
        self.model.groups[group].online = false;
        self.model.epoch = self.model.epoch.next();
        if let Some(parent) = self.model.groups[group].parent {
            self.change_children(parent, |children, groups| children.remove(groups, group));
        }
        P::group_removed(self, group);
        while let Some(queue) = self.model.groups[group].take_async_queue() {
            if self.model.queues[queue].group == group {
                P::move_queue(self, queue, self.model.root);
            }
            self.drop_process_reference(queue);
        }
        if let Some(parent) = self.model.groups[group].parent {
            let gone = self.model.groups[group].statistics;
            self.model.groups[parent].statistics.inherit(&gone);
        }
        self.drop_group_reference(group);
    }
}
