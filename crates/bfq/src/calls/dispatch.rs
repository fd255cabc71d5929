// SPDX-License-Identifier: MIT OR Apache-2.0
//! The next request for the device, and when to ask for it (spec 3.1).

use crate::{
    model::{
        Model,
        ids::{QueueId, RequestId},
        request::RequestState,
    },
    scheduler::{Policy, Scheduler},
    units::Time,
    why::{Decision, Observer},
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// The request to give to the device now, or none. None does not mean that nothing waits: the
    /// disk may be kept idle on purpose (see [`Scheduler::has_work`]).
    pub fn dispatch(&mut self, now: Time) -> Option<RequestId> {
        self.clock.go_on(now);
        if !self.model.direct.is_empty() {
            return self.dispatch_direct();
        }
        P::dispatch(self)
    }

    /// Whether requests wait, even if [`Scheduler::dispatch`] gives none at the moment.
    pub fn has_work(&self) -> bool {
        !self.model.direct.is_empty() || self.model.load.queued > 0
    }

    #[cold]
    fn dispatch_direct(&mut self) -> Option<RequestId> {
        let id = self.model.direct.pop_front(&mut self.model.requests)?;
        self.tell(|_| Decision::ServedFirst { request: id });
        let request = &mut self.model.requests[id];
        debug_assert_eq!(request.state, RequestState::Direct, "{id:?} goes before all");
        request.state = RequestState::Dispatched;
        if let Some(queue) = request.queue {
            self.model.queues[queue].count_dispatch(&mut self.model.load);
            P::bypassed(self, queue, id);
        }
        Some(id)
    }

    /// Takes the next request of a queue out, to give it to the device; none if none waits. For
    /// policies that charge nothing.
    // Policies call it at one place or two, for each request: a call would look the queue up again.
    #[inline(always)]
    pub fn send_next(&mut self, queue: QueueId) -> Option<RequestId> {
        let id = self.model.queues[queue].waiting.next?;
        if self.model.detailed.on {
            self.note_dispatch(queue, id);
        }
        let (now, seeks) = (self.clock.now, &self.tunables.back_seeks);
        let Model { queues, requests, load, .. } = &mut self.model;
        let (state, request) = (&mut queues[queue], &mut requests[id]);
        debug_assert_eq!(request.state, RequestState::Waiting, "{id:?} is sent once");
        debug_assert_eq!(request.queue, Some(queue), "{id:?} waits elsewhere");
        request.state = RequestState::Dispatched;
        state.waiting.take_next(requests, id, Some(now), seeks);
        load.queued -= 1;
        state.count_dispatch(load);
        Some(id)
    }

    /// Takes a waiting request out of its queue.
    pub fn take_out(&mut self, queue: QueueId, id: RequestId) {
        let (now, seeks) = (self.clock.now, &self.tunables.back_seeks);
        debug_assert_eq!(self.model.requests[id].queue, Some(queue), "{id:?} waits elsewhere");
        let waiting = &mut self.model.queues[queue].waiting;
        waiting.remove(&mut self.model.requests, id, Some(now), seeks);
        self.model.load.queued -= 1;
    }

    /// When [`Scheduler::on_timer`] wants to be called.
    pub fn next_timer(&self) -> Option<Time> {
        self.policy.next_timer()
    }

    /// The timer set by [`Scheduler::next_timer`] fires. A call before its time does nothing.
    pub fn on_timer(&mut self, now: Time) {
        self.clock.go_on(now);
        let now = self.clock.now;
        if self.policy.next_timer().is_some_and(|timer| timer <= now) {
            P::on_timer(self);
        }
    }

    /// Asks the host to run dispatching again, if anything waits.
    pub fn want_kick(&mut self) {
        if self.model.load.queued > 0 {
            self.tell(|_| Decision::Kick);
            self.model.kick = true;
        }
    }

    /// Whether the host is asked to run dispatching again; asking clears it.
    pub fn take_kick(&mut self) -> bool {
        core::mem::take(&mut self.model.kick)
    }
}
