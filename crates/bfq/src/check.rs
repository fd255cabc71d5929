//! Every invariant of the scheduler, asserted by walking its whole state.
//!
//! For tests, simulators and fuzzers; a call takes time in proportion to everything there is.

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
        let mut next = self.groups.next_key(None);
        while let Some(group) = next {
            self.groups[group].positions.check(&self.queues);
            next = self.groups.next_key(next);
        }
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
        for class in Class::ALL {
            assert_eq!(self.busy.of(class), totals.busy[class.index()], "busy {class:?} queues");
        }
        assert_eq!(self.busy.raised, totals.raised, "raised busy queues");
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

    fn check_requests(&self) {
        let mut direct = 0;
        for (id, request) in self.requests.iter() {
            match request.state {
                RequestState::Absent => assert!(request.queue.is_none(), "{id:?}"),
                RequestState::Direct => direct += 1,
                RequestState::Waiting => {
                    let queue = request.queue.filter(|&queue| self.queues.contains(queue));
                    let Some(queue) = queue else { panic!("{id:?} waits in no queue") };
                    let mut waiting = self.queues[queue].waiting.iter(&self.requests);
                    assert!(waiting.any(|other| other == id), "{id:?} is not in its queue");
                }
                RequestState::Dispatched => {}
            }
        }
        assert_eq!(direct, self.direct.iter(&self.requests).count());
    }

    /// References counted from the side of those who hold them.
    fn check_links(&self) {
        for (queue, state) in self.queues.iter() {
            let mut links = 0;
            let mut stable = 0;
            for (process, _) in self.processes.iter() {
                for actuator in 0..self.actuators as u8 {
                    let seat = self.processes.seat(process, actuator);
                    links += u32::from(seat.sync == Some(queue));
                    links += u32::from(seat.asynchronous == Some(queue));
                    stable += u32::from(seat.stable_candidate == Some(queue));
                }
            }
            for (_, group) in self.groups.iter() {
                let own = group.async_queues().iter().flatten().filter(|&&other| other == queue);
                links += own.count() as u32;
            }
            let fallback = u32::from(queue == self.fallback);
            let references = state.process_references;
            assert!(references >= links + fallback, "{queue:?}: {references} < {links}");
            assert_eq!(state.stable_references, stable, "{queue:?}");
            let requests = self.requests.iter().filter(|(_, r)| r.queue == Some(queue)).count();
            assert_eq!(state.request_references, requests as u32, "{queue:?}");
        }
    }
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
