// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every invariant of the model, asserted by walking its whole state.
//!
//! For tests, simulators and fuzzers; a call takes time in proportion to everything there is.

use alloc::vec::Vec;

use crate::{
    model::request::RequestState,
    scheduler::{Policy, Scheduler},
    why::Observer,
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Asserts every invariant.
    ///
    /// # Panics
    /// If one is broken; the message says which.
    pub fn check(&self) {
        self.check_load();
        self.check_requests();
        self.check_links();
        self.check_owners();
        self.check_groups();
        self.check_served_in();
        self.check_allocated();
        self.check_statistics();
        P::check(self);
    }

    /// What waits and what is in the device is counted right.
    fn check_load(&self) {
        let (mut queued, mut in_flight) = (0, 0);
        for (queue, state) in self.model.queues.iter() {
            state.waiting.check(&self.model.requests);
            let own = state.waiting.len() + state.in_flight;
            assert!(state.references.requests >= own, "{queue:?} counts too few requests");
            queued += state.waiting.len();
            in_flight += state.in_flight;
        }
        let load = &self.model.load;
        assert_eq!(load.queued, queued, "waiting requests");
        assert_eq!(load.in_flight, in_flight, "requests in flight");
        let by_actuator: u32 = load.in_flight_by_actuator.iter().sum();
        assert_eq!(load.in_flight, by_actuator, "requests in flight, by actuator");
    }

    /// Each request is where its state says, counted by its queue and its process.
    fn check_requests(&self) {
        let mut direct = 0;
        let mut waiting = 0;
        let mut references: Vec<u32> = Vec::new();
        let mut of_processes: Vec<u32> = Vec::new();
        for (id, request) in self.model.requests.iter() {
            match request.state {
                RequestState::Absent => assert!(request.queue.is_none(), "{id:?}"),
                RequestState::Direct => direct += 1,
                RequestState::Waiting => waiting += 1,
                RequestState::Dispatched => {}
            }
            if let Some(queue) = request.queue {
                assert!(self.model.queues.contains(queue), "the queue of {id:?} is gone");
                *at(&mut references, queue.index()) += 1;
            }
            if let Some(process) = request.process.filter(|_| request.queue.is_some()) {
                *at(&mut of_processes, process.index()) += 1;
            }
        }
        assert_eq!(direct, self.model.direct.iter(&self.model.requests).count());
        assert_eq!(waiting, self.model.load.queued, "requests that wait");
        for (queue, state) in self.model.queues.iter() {
            assert_eq!(state.references.requests, *at(&mut references, queue.index()), "{queue:?}");
            for id in state.waiting.iter(&self.model.requests) {
                let request = &self.model.requests[id];
                assert_eq!((request.state, request.queue), (RequestState::Waiting, Some(queue)));
            }
        }
        for (process, state) in self.model.processes.iter() {
            assert_eq!(state.requests, *at(&mut of_processes, process.index()), "{process:?}");
        }
    }

    /// References counted from the side of those who hold them (spec 2.3); what a merge has taken
    /// in advance is the policy's.
    fn check_links(&self) {
        let mut links: Vec<u32> = Vec::new();
        for (process, _) in self.model.processes.iter() {
            for actuator in 0..self.device.actuators as u8 {
                let state = self.model.processes.at(process, actuator);
                for queue in [state.sync, state.asynchronous].into_iter().flatten() {
                    *at(&mut links, queue.index()) += 1;
                }
            }
        }
        for (_, group) in self.model.groups.iter() {
            for queue in group.async_queues().iter().flatten() {
                *at(&mut links, queue.index()) += 1;
            }
        }
        *at(&mut links, self.model.fallback.index()) += 1;
        P::count_references(self, &mut |queue| *at(&mut links, queue.index()) += 1);
        for (queue, state) in self.model.queues.iter() {
            assert_eq!(state.references.processes, *at(&mut links, queue.index()), "{queue:?}");
            assert!(state.references.any() || P::holds(self, queue), "{queue:?} is not needed");
        }
    }

    /// Each process lists the queues that it owns.
    fn check_owners(&self) {
        let mut listed = 0;
        for (process, state) in self.model.processes.iter() {
            for queue in state.owned.iter(&self.model.queues) {
                assert_eq!(self.model.queues[queue].owner, Some(process), "{queue:?}");
                listed += 1;
            }
        }
        let owned = self.model.queues.iter().filter(|(_, state)| state.owner.is_some());
        assert_eq!(listed, owned.count(), "queues with an owner");
    }

    /// Groups live as long as something names them.
    fn check_groups(&self) {
        let mut references: Vec<u32> = Vec::new();
        for (_, process) in self.model.processes.iter() {
            *at(&mut references, process.group.index()) += 1;
        }
        for (_, queue) in self.model.queues.iter() {
            *at(&mut references, queue.group.index()) += 1;
        }
        for (id, group) in self.model.groups.iter() {
            *at(&mut references, id.index()) += u32::from(group.online);
            if let Some(parent) = group.parent {
                *at(&mut references, parent.index()) += 1;
                assert!(
                    !group.online || self.model.groups[parent].online,
                    "{id:?} hangs in the air"
                );
            }
        }
        let mut children = 0;
        for (id, group) in self.model.groups.iter() {
            assert_eq!(group.references, *at(&mut references, id.index()), "{id:?}");
            for child in group.children.iter(&self.model.groups) {
                assert_eq!(self.model.groups[child].parent, Some(id), "{child:?}");
                assert!(self.model.groups[child].online, "{child:?} went");
                children += 1;
            }
        }
        let online = self.model.groups.iter().filter(|(_, group)| group.online);
        assert_eq!(children + 1, online.count(), "online groups, and the root");
    }

    /// A process whose queues are in line is served with its nearest online group.
    fn check_served_in(&self) {
        for (id, process) in self.model.processes.iter() {
            if self.model.epoch.is(process.settled) {
                let group = self.online_group(process.group);
                assert_eq!(process.served_in, Some(group), "the group of {id:?}");
            }
        }
    }

    /// Each group counts the requests of its queues and of the groups below it.
    fn check_allocated(&self) {
        let mut allocated: Vec<u32> = Vec::new();
        for (_, queue) in self.model.queues.iter() {
            for group in self.group_and_ancestors(queue.group) {
                *at(&mut allocated, group.index()) += queue.references.requests;
            }
        }
        for (id, group) in self.model.groups.iter() {
            assert_eq!(group.allocated, *at(&mut allocated, id.index()), "requests in {id:?}");
        }
    }
}

/// The entry of a table that grows as needed.
fn at(table: &mut Vec<u32>, index: usize) -> &mut u32 {
    if index >= table.len() {
        table.resize(index + 1, 0);
    }
    &mut table[index]
}
