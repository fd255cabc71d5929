//! Every invariant of the scheduler, asserted by walking its whole state.
//!
//! For tests, simulators and fuzzers; a call takes time in proportion to everything there is.

use alloc::vec::Vec;

use crate::{
    queue::{QueueId, request::RequestState},
    scheduler::Scheduler,
    units::Class,
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// Asserts every invariant.
    ///
    /// # Panics
    /// If one is broken; the message says which.
    pub fn check(&self) {
        self.fair.check();
        let mut totals = Totals::default();
        let mut next = self.queues.next_key(None);
        while let Some(queue) = next {
            self.check_queue(queue, &mut totals);
            next = self.queues.next_key(next);
        }
        self.check_totals(&totals);
        self.check_requests();
        self.check_links();
        self.check_groups();
        self.check_statistics();
    }

    fn check_queue(&self, queue: QueueId, totals: &mut Totals) {
        self.queues[queue].waiting.check(&self.requests);
        let state = &self.queues[queue];
        let leaf = self.leaf(queue);
        let serving = self.in_service == Some(queue);
        assert_eq!(self.queue_of(state.entity), queue, "{queue:?}");
        assert_eq!(leaf.level(), self.groups[state.group].level, "{queue:?} and its group differ");
        assert!(state.is_empty() || state.busy, "{queue:?} has requests but is not busy");
        assert!(!serving || state.busy, "{queue:?} is in service but not busy");
        let active = self.fair.is_active(state.entity);
        assert!(!state.busy || active || serving, "{queue:?} is busy but not in a tree");
        assert!(state.busy || !active, "{queue:?} is active but not busy");
        let own = state.waiting.len() + state.in_flight;
        assert!(state.request_references >= own, "{queue:?} counts too few requests");
        let counted = state.busy || state.in_flight > 0;
        if !self.behaviour.is_reference() {
            assert_eq!(state.counted_pending, counted, "{queue:?} pending");
        }
        assert!(state.counted_weight.is_none_or(|weight| weight == leaf.weight()), "{queue:?}");
        assert!(!state.waits_for_request || serving, "{queue:?} is waited for out of service");
        if let Some(target) = state.target {
            assert!(self.queues.contains(target) && target != queue, "{queue:?}'s target is gone");
        }
        if let Some(waker) = state.waker {
            assert!(self.queues.contains(waker), "{queue:?}'s waker is gone");
            let mut woken = self.queues[waker].woken.iter(&self.queues);
            assert!(woken.any(|woken| woken == queue), "{queue:?} is not on its waker's list");
        }
        totals.queued += state.waiting.len();
        totals.in_flight += state.in_flight;
        totals.raised += u32::from(state.busy && leaf.coefficient() > 1);
        totals.pending += u32::from(state.counted_pending);
        totals.counted += u32::from(state.counted_weight.is_some());
        if state.busy {
            totals.busy[leaf.class().index()] += 1;
        }
    }

    fn check_totals(&self, totals: &Totals) {
        assert_eq!(self.queued, totals.queued, "waiting requests");
        assert_eq!(self.in_flight, totals.in_flight, "requests in flight");
        let by_actuator: u32 = self.in_flight_by_actuator.iter().sum();
        assert_eq!(self.in_flight, by_actuator, "requests in flight, by actuator");
        assert_eq!(self.busy.total(), totals.busy.iter().sum::<u32>(), "busy queues");
        let classes = totals.busy.iter().filter(|&&busy| busy > 0).count();
        assert_eq!(self.busy.classes() as usize, classes, "classes with busy queues");
        for class in Class::ALL {
            assert_eq!(self.busy.of(class), totals.busy[class.index()], "busy {class:?} queues");
        }
        if !self.busy.raised_miscounted {
            assert_eq!(self.busy.raised, totals.raised as i32, "raised busy queues");
        }
        let pending: u32 = self.groups.iter().map(|(_, group)| group.pending_queues).sum();
        assert_eq!(pending, totals.pending, "pending queues");
        let pending_groups = self.groups.iter().filter(|(_, group)| group.pending_queues > 0);
        assert_eq!(self.pending_groups, pending_groups.count() as u32, "pending groups");
        assert_eq!(self.weight_counters.total(), totals.counted, "counted weights");
        if let Some(queue) = self.in_service {
            assert!(self.queues.contains(queue));
            let state = &self.queues[queue];
            assert_eq!(self.idle_timer.is_some(), state.waits_for_request, "idle timer");
        } else {
            assert!(self.idle_timer.is_none(), "the idle timer runs for nobody");
        }
    }

    /// Each request is where its state says, counted by its queue and its process.
    fn check_requests(&self) {
        let mut direct = 0;
        let mut waiting = 0;
        let mut references: Vec<u32> = Vec::new();
        let mut of_processes: Vec<u32> = Vec::new();
        for (id, request) in self.requests.iter() {
            match request.state {
                RequestState::Absent => assert!(request.queue.is_none(), "{id:?}"),
                RequestState::Direct => direct += 1,
                RequestState::Waiting => waiting += 1,
                RequestState::Dispatched => {}
            }
            if let Some(queue) = request.queue {
                assert!(self.queues.contains(queue), "the queue of {id:?} is gone");
                *at(&mut references, queue.index()) += 1;
            }
            if let Some(process) = request.what.process.filter(|_| request.queue.is_some()) {
                *at(&mut of_processes, process.index()) += 1;
            }
        }
        assert_eq!(direct, self.direct.iter(&self.requests).count());
        assert_eq!(waiting, self.queued, "requests that wait");
        for (queue, state) in self.queues.iter() {
            assert_eq!(state.request_references, *at(&mut references, queue.index()), "{queue:?}");
            assert_eq!(self.leaf(queue).coefficient(), state.coefficient, "{queue:?}");
            for id in state.waiting.iter(&self.requests) {
                let request = &self.requests[id];
                assert_eq!((request.state, request.queue), (RequestState::Waiting, Some(queue)));
            }
        }
        for (process, state) in self.processes.iter() {
            assert_eq!(state.requests, *at(&mut of_processes, process.index()), "{process:?}");
        }
    }

    /// References counted from the side of those who hold them (spec 2.3).
    fn check_links(&self) {
        let mut links: Vec<u32> = Vec::new();
        let mut stable: Vec<u32> = Vec::new();
        for (process, _) in self.processes.iter() {
            for actuator in 0..self.actuators as u8 {
                let seat = self.processes.seat(process, actuator);
                for queue in [seat.sync, seat.asynchronous].into_iter().flatten() {
                    *at(&mut links, queue.index()) += 1;
                }
                if let Some(queue) = seat.stable_candidate {
                    *at(&mut stable, queue.index()) += 1;
                }
            }
        }
        for (_, group) in self.groups.iter() {
            for queue in group.async_queues().iter().flatten() {
                *at(&mut links, queue.index()) += 1;
            }
        }
        *at(&mut links, self.fallback.index()) += 1;
        for (_, state) in self.queues.iter() {
            if let Some(target) = state.target {
                // Taken in advance, for the processes that are on their way.
                *at(&mut links, target.index()) += state.process_references;
            }
        }
        for (queue, state) in self.queues.iter() {
            assert_eq!(state.process_references, *at(&mut links, queue.index()), "{queue:?}");
            assert_eq!(state.stable_references, *at(&mut stable, queue.index()), "{queue:?}");
            let referenced = state.process_references > 0
                || state.request_references > 0
                || state.stable_references > 0
                || state.counted_weight.is_some()
                || self.in_service == Some(queue)
                || self.leaf(queue).is_scheduled();
            assert!(referenced, "{queue:?} exists for nobody");
        }
        assert!(self.last_completed.is_none_or(|queue| self.queues.contains(queue)));
        self.check_owners();
    }

    /// Each process lists the queues that it owns.
    fn check_owners(&self) {
        let mut listed = 0;
        for (process, state) in self.processes.iter() {
            for queue in state.owned.iter(&self.queues) {
                assert_eq!(self.queues[queue].owner, Some(process), "{queue:?}");
                listed += 1;
            }
        }
        let owned = self.queues.iter().filter(|(_, state)| state.owner.is_some());
        assert_eq!(listed, owned.count(), "queues with an owner");
    }

    /// Groups live as long as somebody names them.
    fn check_groups(&self) {
        let mut references: Vec<u32> = Vec::new();
        for (_, process) in self.processes.iter() {
            *at(&mut references, process.group.index()) += 1;
        }
        for (_, queue) in self.queues.iter() {
            *at(&mut references, queue.group.index()) += 1;
        }
        for (id, group) in self.groups.iter() {
            *at(&mut references, id.index()) += u32::from(group.online);
            if let Some(parent) = group.parent {
                *at(&mut references, parent.index()) += 1;
                assert!(!group.online || self.groups[parent].online, "{id:?} hangs in the air");
            }
        }
        self.check_allocated();
        for (id, group) in self.groups.iter() {
            assert_eq!(group.references, *at(&mut references, id.index()), "{id:?}");
            group.positions.check(&self.queues);
            let scheduled = group.entity.is_some_and(|e| self.fair.entity(e).is_scheduled());
            assert!(group.online || !scheduled, "{id:?} is gone but scheduled");
            let last = group.last_created;
            assert!(last.is_none_or(|queue| self.queues.contains(queue)), "{id:?}");
        }
    }

    /// Each group counts the requests of its queues and of the groups below it.
    fn check_allocated(&self) {
        let mut allocated: Vec<u32> = Vec::new();
        for (_, queue) in self.queues.iter() {
            for group in self.group_and_ancestors(queue.group) {
                *at(&mut allocated, group.index()) += queue.request_references;
            }
        }
        for (id, group) in self.groups.iter() {
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

/// What the counters should say.
#[derive(Default)]
struct Totals {
    queued: u32,
    in_flight: u32,
    raised: u32,
    pending: u32,
    counted: u32,
    busy: [u32; 3],
}
