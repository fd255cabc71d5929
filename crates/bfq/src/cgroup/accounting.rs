// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the figures of a group are counted, and how they are asked for (spec 6.7).
//!
//! The functions named `note_…` are called only while detailed statistics are on.

use super::statistics::{GroupAmounts, GroupClocks, GroupStatistics};
use crate::{
    errors::IdentityError,
    model::{
        attached::Attached,
        group::Group,
        ids::{GroupId, QueueId, RequestId},
        request::{Content, NewRequest, Operation, RequestState},
    },
    scheduler::{Policy, Scheduler},
    units::{Span, Time},
    why::Observer,
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Turns the costly statistics of groups on or off. They start from what they were when they
    /// were turned off; requests in the device at that time stay out of `io_service_time`, and
    /// those that wait have waited since then as far as `io_wait_time` goes.
    pub fn set_detailed_statistics(&mut self, now: Time, on: bool) {
        self.clock.go_on(now);
        if core::mem::replace(&mut self.model.detailed.on, on) == on {
            return;
        }
        let mut next = self.model.groups.next_key(None);
        while let Some(group) = next {
            self.model.groups[group].statistics.own.queued = Default::default();
            self.model.groups[group].clocks = GroupClocks::default();
            next = self.model.groups.next_key(next);
        }
        if !on {
            return;
        }
        let mut next = self.model.requests.next_key(None);
        while let Some(id) = next {
            let request = &self.model.requests[id];
            self.model.detailed.end_stage(id);
            if request.state == RequestState::Waiting
                && let Some(queue) = request.queue
            {
                self.model.detailed.begin_stage(id, self.clock.now);
                let group = self.model.queues[queue].group;
                let what = &self.model.requests[id].what();
                let queued = &mut self.model.groups[group].statistics.own.queued;
                queued.add(what.operation, what.sync, 1);
            }
            next = self.model.requests.next_key(next);
        }
    }

    /// Whether the costly statistics are on.
    pub fn has_detailed_statistics(&self) -> bool {
        self.model.detailed.on
    }

    /// What a group has done. See [`GROUP_STATISTICS`](super::statistics::GROUP_STATISTICS) for the
    /// figures that users know.
    ///
    /// # Errors
    /// If the group does not exist.
    pub fn group_statistics(&self, group: GroupId) -> Result<GroupStatistics, IdentityError> {
        self.known_group(group)?;
        Ok(self.model.groups[group].statistics)
    }

    /// What a group and all groups that are or were below it have done.
    ///
    /// # Errors
    /// If the group does not exist.
    pub fn recursive_group_statistics(
        &self,
        group: GroupId,
    ) -> Result<GroupAmounts, IdentityError> {
        self.known_group(group)?;
        let mut sum = GroupAmounts::default();
        for (id, other) in self.model.groups.iter() {
            let mut above = core::iter::successors(Some(id), |&id| self.model.groups[id].parent);
            if other.online && above.any(|above| above == group) {
                sum.add_all(&other.statistics.own);
                sum.add_all(&other.statistics.inherited);
            }
        }
        Ok(sum)
    }

    /// Clears the costly statistics of a group, except the number of requests that wait. What is
    /// always counted stays, too.
    ///
    /// # Errors
    /// If the group does not exist.
    pub fn reset_group_statistics(
        &mut self,
        now: Time,
        group: GroupId,
    ) -> Result<(), IdentityError> {
        self.clock.go_on(now);
        self.known_group(group)?;
        let now = self.clock.now;
        let state = &mut self.model.groups[group];
        state.statistics.reset_detailed();
        for clock in [&mut state.clocks.waiting_since, &mut state.clocks.empty_since] {
            *clock = clock.map(|_| now);
        }
        Ok(())
    }

    /// A request is about to be added to its queue.
    pub(crate) fn note_insertion(&mut self, queue: QueueId, id: RequestId, new: &NewRequest) {
        let now = self.clock.now;
        self.model.detailed.begin_stage(id, new.allocated_at);
        let group = self.model.queues[queue].group;
        let serving = self.policy.serving().map(|queue| self.model.queues[queue].group);
        self.model.groups[group].request_joins(now, &Content::of(new), serving == Some(group));
    }

    /// A waiting request of a queue is about to be dispatched.
    pub(crate) fn note_dispatch(&mut self, queue: QueueId, id: RequestId) {
        let now = self.clock.now;
        let group = self.model.queues[queue].group;
        let what = self.model.requests[id].what();
        let allocated_at = self.model.detailed.begin_stage(id, now).unwrap_or(now);
        let state = &mut self.model.groups[group];
        let statistics = &mut state.statistics;
        let waited = now.since(allocated_at);
        statistics.own.wait_time_ns.add(what.operation, what.sync, waited.as_ns());
        let queued = &statistics.own.queued;
        statistics.queue_size_sum += queued.of(Operation::Read) + queued.of(Operation::Write);
        statistics.queue_size_samples += 1;
        state.stop_waiting(now);
        state.request_leaves(now, &what);
        if state.statistics.own.queued.total() == 0 {
            state.clocks.empty_since = Some(now);
        }
    }

    /// A request of a queue is complete. What comes in late for a group that is gone
    /// is its ancestor's.
    pub(crate) fn note_completion(&mut self, queue: QueueId, id: RequestId) {
        let Some(since) = self.model.detailed.end_stage(id) else { return };
        let what = self.model.requests[id].what();
        let group = self.model.queues[queue].group;
        let served = self.clock.now.since(since);
        let amounts = self.late_amounts(group);
        amounts.service_time_ns.add(what.operation, what.sync, served.as_ns());
    }

    /// A waiting request leaves its queue undispatched; `merged` if another one absorbed it.
    pub(crate) fn note_removal(&mut self, queue: QueueId, id: RequestId, merged: bool) {
        self.model.detailed.end_stage(id);
        let what = &self.model.requests[id].what();
        let group = &mut self.model.groups[self.model.queues[queue].group];
        group.request_leaves(self.clock.now, what);
        if merged {
            group.statistics.own.merged.add(what.operation, what.sync, 1);
        }
    }

    /// The disk is no longer kept idle, as a request of the queue in service has come.
    pub(crate) fn note_idling_ends(&mut self, queue: QueueId, since: Time) {
        let group = self.model.queues[queue].group;
        let idled = self.clock.now.since(since);
        self.model.groups[group].statistics.idle += idled;
    }

    /// The slot of a queue ends.
    pub(crate) fn note_slot_ends(&mut self, queue: QueueId, start: Time) {
        let slot = self.clock.now.since(start);
        self.note_in_service(queue, slot);
    }

    /// A queue was in service for this time, or was charged for it.
    pub(crate) fn note_in_service(&mut self, queue: QueueId, time: Span) {
        self.late_amounts(self.model.queues[queue].group).in_service += time;
    }

    /// A queue is not busy any more.
    pub(crate) fn note_dequeue(&mut self, queue: QueueId) {
        let group = self.model.queues[queue].group;
        self.model.groups[group].statistics.dequeues += 1;
    }

    /// The requests that wait in a queue move with it.
    pub(crate) fn note_move(&mut self, queue: QueueId, from: GroupId, to: GroupId) {
        let serving = self.policy.serving().map(|queue| self.model.queues[queue].group);
        for id in self.model.queues[queue].waiting.iter(&self.model.requests) {
            let what = &self.model.requests[id].what();
            self.model.groups[from].request_leaves(self.clock.now, what);
            self.model.groups[to].request_joins(self.clock.now, what, serving == Some(to));
        }
    }

    /// Where to count what belongs to a group that may have gone offline.
    fn late_amounts(&mut self, group: GroupId) -> &mut GroupAmounts {
        let online = self.online_group(group);
        let statistics = &mut self.model.groups[online].statistics;
        if online == group { &mut statistics.own } else { &mut statistics.inherited }
    }

    /// Asserts that the numbers of waiting requests are right.
    pub(crate) fn check_statistics(&self) {
        if !self.model.detailed.on {
            return;
        }
        for (id, group) in self.model.groups.iter() {
            let mut queued = super::statistics::ByOperation::default();
            for (_, queue) in self.model.queues.iter().filter(|(_, queue)| queue.group == id) {
                for request in queue.waiting.iter(&self.model.requests) {
                    let what = &self.model.requests[request].what();
                    queued.add(what.operation, what.sync, 1);
                }
            }
            assert_eq!(group.statistics.own.queued, queued, "requests that wait in {id:?}");
            let empty = group.clocks.empty_since.is_none() || queued.total() == 0;
            assert!(empty, "{id:?} is said to be empty");
        }
    }
}

impl<A: Attached> Group<A> {
    /// Counts an inserted request.
    #[inline]
    pub fn count_insertion(&mut self, new: &NewRequest) {
        let own = &mut self.statistics.own;
        let bytes = new.length().as_bytes();
        own.service_bytes.add(new.operation, new.sync, bytes);
        own.serviced.add(new.operation, new.sync, 1);
    }

    /// A request begins to wait in the group, which is `served` or not.
    fn request_joins(&mut self, now: Time, what: &Content, served: bool) {
        self.statistics.own.queued.add(what.operation, what.sync, 1);
        if let Some(since) = self.clocks.empty_since.take() {
            self.statistics.empty += now.since(since);
        }
        if !served {
            self.clocks.waiting_since.get_or_insert(now);
        }
    }

    /// A request waits no more. With the last one, the group does not either.
    fn request_leaves(&mut self, now: Time, what: &Content) {
        self.statistics.own.queued.subtract(what.operation, what.sync, 1);
        if self.statistics.own.queued.total() == 0 {
            self.stop_waiting(now);
        }
    }

    fn stop_waiting(&mut self, now: Time) {
        if let Some(since) = self.clocks.waiting_since.take() {
            self.statistics.group_wait += now.since(since);
        }
    }
}
