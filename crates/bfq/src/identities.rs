//! Groups and processes: the host says who exists, where they live and what they are worth.

use crate::{
    HostError, IdentityError,
    arena::OutOfMemory,
    fair::{WeightError, Weights},
    group::GroupId,
    queue::{
        ProcessAttributes, ProcessId, QueueId,
        request::{self},
    },
    scheduler::Scheduler,
    tunables::{self, ParseError, Tunable, Tunables},
    units::Time,
    why::{Decision, Observer, Reason},
};

/// Most that [`Scheduler::next_pieces_bytes`] tells.
pub const MOST_PIECES: usize = 10;

impl<O: Observer> Scheduler<O> {
    /// The root group, which always exists.
    pub fn root_group(&self) -> GroupId {
        self.root
    }

    /// Adds a group below `parent`, with the default weight of 100.
    ///
    /// # Errors
    /// If `parent` does not exist, or memory is out; nothing is changed then.
    pub fn add_group(&mut self, now: Time, parent: GroupId) -> Result<GroupId, IdentityError> {
        self.at(now);
        self.known_group(parent)?;
        let parent = self.online_group(parent);
        let group = self.create_group(parent, Weights::DEFAULT_GROUP)?;
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
        self.at(now);
        self.known_group(group)?;
        if !(Weights::MIN..=Weights::MAX).contains(&weight) {
            let error = WeightError { weight: u64::from(weight), max: Weights::MAX };
            return Err(IdentityError::Weight(error));
        }
        let Some(entity) = self.groups[group].entity else {
            return Err(IdentityError::RootGroup);
        };
        self.fair.request_weight(entity, weight);
        Ok(())
    }

    /// The weight that a group was given last.
    ///
    /// # Errors
    /// If the group does not exist or is the root.
    pub fn group_weight(&self, group: GroupId) -> Result<u32, IdentityError> {
        self.known_group(group)?;
        let entity = self.groups[group].entity.ok_or(IdentityError::RootGroup)?;
        Ok(self.fair.entity(entity).requested_base_weight())
    }

    /// Removes a group, and its subgroups with it. Their queues move to the root group; their
    /// processes may go on and are served with the nearest ancestor that still exists. A name stays
    /// in use until the last of them is gone.
    ///
    /// # Errors
    /// If the group does not exist or is the root.
    pub fn remove_group(&mut self, now: Time, group: GroupId) -> Result<(), IdentityError> {
        self.at(now);
        self.known_group(group)?;
        if group == self.root {
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
        self.at(now);
        self.known_group(group)?;
        let process = self.processes.insert(group, attributes)?;
        self.groups[group].references += 1;
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
        self.processes[process].attributes = attributes;
        self.processes[process].settled = false;
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
        let state = &mut self.processes[process];
        let old = core::mem::replace(&mut state.group, group);
        state.settled = false;
        if state.seen_group == Some(old) {
            // The name of the old group may be reused.
            state.seen_group = None;
        }
        self.groups[group].references += 1;
        self.drop_group_reference(old);
        Ok(())
    }

    /// A process ends (spec 2.3). Requests of its that are still on their way complete as usual;
    /// its name stays in use until the last one has.
    ///
    /// # Errors
    /// If the process does not exist or has ended already.
    pub fn exit_process(&mut self, now: Time, process: ProcessId) -> Result<(), HostError> {
        self.at(now);
        self.known_process(process)?;
        self.processes[process].exited = true;
        for actuator in 0..self.actuators as u8 {
            self.cancel_stable_merge(process, actuator);
            for sync in [true, false] {
                if let Some(queue) = self.processes.seat(process, actuator).link(sync) {
                    self.link(process, None, sync, actuator);
                    self.leave_queue(queue);
                }
            }
        }
        if self.processes[process].is_gone() {
            self.free_process(process);
        }
        Ok(())
    }

    /// An ended process gives up its queue.
    fn leave_queue(&mut self, queue: QueueId) {
        if self.in_service == Some(queue) {
            let entity = self.queues[queue].entity;
            let exists = self.end_slot(queue, Reason::BudgetTimeout);
            if exists && !self.behaviour.is_reference() {
                // Its service was accounted when it left the tree (spec 10.2, row 22).
                self.fair.set_service(entity, 0);
                self.fair.clear_service_of_ancestors(entity);
            }
            self.want_kick();
            self.free_forgotten();
        }
        if !self.queues.contains(queue) {
            return;
        }
        self.drop_chain_references(queue);
        let group = self.queues[queue].group;
        if self.groups[group].last_created == Some(queue) {
            self.groups[group].last_created = None;
        }
        if queue == self.fallback {
            self.queues[queue].process_references -= 1;
        } else {
            self.release_from_process(queue);
        }
    }

    /// Frees the name of a process that has ended and whose last request is done.
    pub(crate) fn free_process(&mut self, process: ProcessId) {
        let group = self.processes[process].group;
        for actuator in 0..self.actuators as u8 {
            // A request of its that came after its end made it a queue again.
            for sync in [true, false] {
                if let Some(queue) = self.processes.seat(process, actuator).link(sync) {
                    self.link(process, None, sync, actuator);
                    self.leave_queue(queue);
                }
            }
            self.cancel_stable_merge(process, actuator);
        }
        while let Some(queue) = self.processes[process].owned.front() {
            self.set_owner(queue, None);
        }
        self.processes.remove(process);
        self.drop_group_reference(group);
    }

    /// The host's request pool changes its size.
    ///
    /// # Errors
    /// [`OutOfMemory`], with the old size in force.
    pub fn set_nr_requests(&mut self, now: Time, nr_requests: u32) -> Result<(), OutOfMemory> {
        self.at(now);
        request::grow(&mut self.requests, nr_requests)?;
        self.nr_requests = nr_requests;
        Ok(())
    }

    /// Makes room for request numbers below `numbers`: for hosts with several pools, whose numbers
    /// go beyond the size of one.
    ///
    /// # Errors
    /// [`OutOfMemory`], with the numbers known so far in force.
    pub fn reserve_requests(&mut self, numbers: u32) -> Result<(), OutOfMemory> {
        request::grow(&mut self.requests, numbers)
    }

    /// The sizes of what [`Scheduler::reserve_requests`] will allocate for `more` numbers: of each
    /// number, and of two pieces for all of them, or 0. `more` is small, so that the two are
    /// allocated once at most.
    pub fn request_pieces_bytes(&self, more: u32) -> [usize; 3] {
        let [slots, links] = self.requests.pieces_bytes_for(more as usize);
        [size_of::<request::Request>(), slots, links]
    }

    /// The sizes of what will be allocated in one piece when there are twice as many processes,
    /// queues or groups, of those tables that are half full: a host that cannot wait for large
    /// pieces of memory when it adds a process or group, or inserts a request, can
    /// have them ready by then.
    pub fn next_pieces_bytes(&self) -> impl Iterator<Item = usize> {
        let [entities, levels] = self.fair.next_pieces_bytes();
        let processes = self.processes.table.next_pieces_bytes();
        let (queues, groups) = (self.queues.next_pieces_bytes(), self.groups.next_pieces_bytes());
        let all: [[usize; 2]; MOST_PIECES / 2] = [entities, levels, processes, queues, groups];
        all.into_iter().flatten().filter(|&bytes| bytes > 0)
    }

    /// The values of the tunables.
    pub fn tunables(&self) -> &Tunables {
        &self.tunables
    }

    /// Writes a tunable; values out of range are moved to the nearest one allowed (spec 7).
    pub fn set_tunable(&mut self, now: Time, tunable: Tunable, value: u64) {
        self.at(now);
        let low_latency = self.tunables.low_latency;
        self.tunables.set(tunable, value);
        match tunable {
            Tunable::MaxBudget => self.tune_max_budget(),
            Tunable::TimeoutSync if self.tunables.max_budget_sectors == 0 => {
                self.tune_max_budget();
            }
            Tunable::LowLatency if low_latency && !self.tunables.low_latency => {
                self.end_all_raises();
            }
            _ => {}
        }
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
        let known = self.groups.contains(group) && self.groups[group].online;
        if known { Ok(()) } else { Err(IdentityError::UnknownGroup(group)) }
    }

    pub(crate) fn known_process(&self, process: ProcessId) -> Result<(), HostError> {
        self.processes.living(process).map(|_| ()).ok_or(HostError::UnknownProcess(process))
    }
}
