// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changing the elevator under load.

use crate::elevator::Elevator;
use crate::ids::Tag;
use crate::layer::BlockLayer;
use crate::request::TagState;
use crate::sleepers::Sleeper;
use base::OutOfMemory;

impl BlockLayer {
    /// Puts another elevator in the place of the present one, which is returned (for its
    /// statistics). The new one is told of all groups and processes and gets the requests that
    /// wait, in the order of their insertion; what is on the device ends without its knowledge.
    /// Nothing is lost, nothing is done twice. Sleepers get a new limit.
    ///
    /// # Errors
    /// If the new elevator has no memory for the groups; the present one stays in place.
    pub fn switch_elevator(
        &mut self,
        now_ns: u64,
        mut elevator: Box<dyn Elevator>,
    ) -> Result<Box<dyn Elevator>, OutOfMemory> {
        let nr_requests = self.pool_size(&*elevator);
        elevator.pool_resized(now_ns, nr_requests, self.pool.tags().max(nr_requests));
        for (group, spec) in self.identities.groups_by_age() {
            elevator.group_added(now_ns, group, spec)?;
        }
        for (process, spec) in self.identities.processes_by_age() {
            elevator.process_added(now_ns, process, spec);
        }
        self.counters.switches += 1;
        self.epoch += 1;
        self.pool.resize(nr_requests);
        self.only_queues = elevator.only_queues();
        let old = std::mem::replace(&mut self.elevator, elevator);
        for tag in self.waiting_in_order() {
            let at_head = self.pool[tag].at_head;
            self.waiting -= 1;
            self.give_to_elevator(now_ns, tag, at_head);
        }
        self.tell_sleepers();
        self.sleepers.wake_all();
        while let Some((sleeper, line)) = self.sleepers.take_woken() {
            let bio = self.bios[sleeper.bio].bio;
            let limit = self.tag_limit(now_ns, &bio, self.live(bio.process));
            self.let_look(now_ns, (Sleeper { limit, ..sleeper }, line));
        }
        self.look_for_kick();
        self.run.due = true;
        Ok(old)
    }

    fn waiting_in_order(&self) -> Vec<Tag> {
        let mut waiting: Vec<(u64, Tag)> = self
            .pool
            .iter()
            .filter(|request| request.state == TagState::Waiting)
            .map(|request| (request.sequence, request.tag))
            .collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, tag)| tag).collect()
    }
}
