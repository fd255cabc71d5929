// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups and processes: the host says who exists, where they live and what they are worth.

use crate::{
    errors::{HostError, IdentityError},
    model::{
        ids::{GroupId, ProcessId, QueueId},
        process::ProcessAttributes,
    },
    scheduler::{Policy, Scheduler},
    tunables::{self, ParseError, Tunable, Tunables},
    units::{Time, Weight},
    why::{Decision, Observer},
};

/// Most that [`Scheduler::next_pieces_bytes`] tells.
pub const MOST_PIECES: usize = 12;

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// The root group, which always exists.
    pub fn root_group(&self) -> GroupId {
        self.model.root
    }

    /// Adds a group below `parent`, with the default weight of 100.
    ///
    /// # Errors
    /// If `parent` does not exist, or memory is out; nothing is changed then.
    pub fn add_group(&mut self, now: Time, parent: GroupId) -> Result<GroupId, IdentityError> {
        self.clock.go_on(now);
        self.known_group(parent)?;
        let group = self.create_group(parent)?;
        self.tell(|_| Decision::GroupAdded { group, parent });
        Ok(group)
    }

    /// Sets the weight of a group: 1 to 10,000, honoured exactly. It takes effect when the group is
    /// next sorted into its parent's tree.
    ///
    /// # Errors
    /// If the group does not exist or is the root, or the weight is out of range.
    pub fn set_group_weight(
        &mut self,
        now: Time,
        group: GroupId,
        weight: u32,
    ) -> Result<(), IdentityError> {
        self.clock.go_on(now);
        self.known_group(group)?;
        let weight =
            Weight::asked(u64::from(weight), Weight::MAX).map_err(IdentityError::Weight)?;
        if group == self.model.root {
            return Err(IdentityError::RootGroup);
        }
        self.policy.set_group_weight(&mut self.model.groups[group].policy, weight);
        Ok(())
    }

    /// The weight that a group was given last.
    ///
    /// # Errors
    /// If the group does not exist or is the root.
    pub fn group_weight(&self, group: GroupId) -> Result<u32, IdentityError> {
        self.known_group(group)?;
        if group == self.model.root {
            return Err(IdentityError::RootGroup);
        }
        Ok(self.policy.group_weight(&self.model.groups[group].policy).get())
    }

    /// Removes a group, and its subgroups with it. Their queues move to the root group; their
    /// processes may go on and are served with the nearest ancestor that still exists. A name stays
    /// in use until the last of them is gone.
    ///
    /// # Errors
    /// If the group does not exist or is the root.
    pub fn remove_group(&mut self, now: Time, group: GroupId) -> Result<(), IdentityError> {
        self.clock.go_on(now);
        self.known_group(group)?;
        if group == self.model.root {
            return Err(IdentityError::RootGroup);
        }
        self.offline_subtree(group);
        Ok(())
    }

    /// Adds a process that will do I/O.
    ///
    /// # Errors
    /// If the group does not exist, or memory is out; nothing is changed then.
    pub fn add_process(
        &mut self,
        now: Time,
        group: GroupId,
        attributes: ProcessAttributes,
    ) -> Result<ProcessId, IdentityError> {
        self.clock.go_on(now);
        self.known_group(group)?;
        let process = self.model.processes.insert(group, attributes)?;
        self.model.groups[group].references += 1;
        self.tell(|_| Decision::ProcessAdded { process, group });
        Ok(process)
    }

    /// Changes what the host knows of a process's priority. Its queues follow at its next request.
    ///
    /// # Errors
    /// If the process does not exist.
    pub fn set_attributes(
        &mut self,
        process: ProcessId,
        attributes: ProcessAttributes,
    ) -> Result<(), HostError> {
        self.known_process(process)?;
        self.model.processes[process].attributes = attributes;
        self.model.processes[process].settled = None;
        Ok(())
    }

    /// Moves a process to another group. Its queues follow at its next request.
    ///
    /// # Errors
    /// If either does not exist.
    pub fn move_process(
        &mut self,
        process: ProcessId,
        group: GroupId,
    ) -> Result<(), IdentityError> {
        self.known_process(process)?;
        self.known_group(group)?;
        let state = &mut self.model.processes[process];
        let old = core::mem::replace(&mut state.group, group);
        state.settled = None;
        state.served_in = None;
        self.model.groups[group].references += 1;
        self.drop_group_reference(old);
        Ok(())
    }

    /// A process ends (spec 2.3). Requests of its that are still on their way complete as usual;
    /// its name stays in use until the last one has.
    ///
    /// # Errors
    /// If the process does not exist or has ended already.
    pub fn exit_process(&mut self, now: Time, process: ProcessId) -> Result<(), HostError> {
        self.clock.go_on(now);
        self.known_process(process)?;
        self.model.processes[process].exited = true;
        for actuator in 0..self.device.actuators as u8 {
            P::process_ends(self, process, actuator);
            for sync in [true, false] {
                if let Some(queue) = self.model.processes.at(process, actuator).link(sync) {
                    self.link(process, None, sync, actuator);
                    self.leave_queue(queue);
                }
            }
        }
        if self.model.processes[process].is_gone() {
            self.free_process(process);
        }
        Ok(())
    }

    /// An ended process gives up its queue.
    fn leave_queue(&mut self, queue: QueueId) {
        P::process_leaves(self, queue);
        if queue == self.model.fallback {
            self.model.queues[queue].references.processes -= 1;
        } else {
            self.drop_process_reference(queue);
        }
    }

    /// Frees the name of a process that has ended and whose last request is done.
    pub(crate) fn free_process(&mut self, process: ProcessId) {
        let group = self.model.processes[process].group;
        debug_assert!(
            self.model.processes[process].is_gone(),
            "{process:?} lives, or has requests"
        );
        for actuator in 0..self.device.actuators as u8 {
            // A request of its that came after its end made it a queue again.
            for sync in [true, false] {
                if let Some(queue) = self.model.processes.at(process, actuator).link(sync) {
                    self.link(process, None, sync, actuator);
                    self.leave_queue(queue);
                }
            }
            P::process_ends(self, process, actuator);
        }
        while let Some(queue) = self.model.processes[process].owned.front() {
            self.set_owner(queue, None);
        }
        self.model.processes.remove(process);
        self.drop_group_reference(group);
    }

    /// The sizes of what will be allocated in one piece when there are twice as many processes,
    /// queues or groups, of those tables that are half full: a host that cannot wait for large
    /// pieces of memory when it adds a process or group, or inserts a request, can
    /// have them ready by then.
    ///
    /// 0 stands for a table that is not.
    pub fn next_pieces_bytes(&self) -> [usize; MOST_PIECES] {
        let [entities, levels, saved] = self.policy.next_pieces_bytes();
        let processes = self.model.processes.table.next_pieces_bytes();
        let (queues, groups) =
            (self.model.queues.next_pieces_bytes(), self.model.groups.next_pieces_bytes());
        let tables = [entities, levels, saved, processes, queues, groups];
        let mut pieces = [0; MOST_PIECES];
        for (place, bytes) in pieces.iter_mut().zip(tables.into_iter().flatten()) {
            *place = bytes;
        }
        pieces
    }

    /// The values of the tunables.
    pub fn tunables(&self) -> &Tunables {
        &self.tunables
    }

    /// Writes a tunable; values out of range are moved to the nearest one allowed (spec 7).
    pub fn set_tunable(&mut self, now: Time, tunable: Tunable, value: u64) {
        self.clock.go_on(now);
        let before = self.tunables;
        self.tunables.set(tunable, value);
        P::tunable_changed(self, tunable, &before);
    }

    /// Writes a tunable as a user does, as text.
    ///
    /// # Errors
    /// [`ParseError`] if the text is no number; the tunable keeps its value.
    pub fn write_tunable(
        &mut self,
        now: Time,
        tunable: Tunable,
        text: &str,
    ) -> Result<(), ParseError> {
        let value = tunables::parse(text)?;
        self.set_tunable(now, tunable, value);
        Ok(())
    }

    pub(crate) fn known_group(&self, group: GroupId) -> Result<(), IdentityError> {
        let known = self.model.groups.contains(group) && self.model.groups[group].online;
        if known { Ok(()) } else { Err(IdentityError::UnknownGroup(group)) }
    }

    pub(crate) fn known_process(&self, process: ProcessId) -> Result<(), HostError> {
        self.model.processes.living(process).map(|_| ()).ok_or(HostError::UnknownProcess(process))
    }
}
