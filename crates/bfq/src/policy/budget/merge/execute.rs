// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process moves from its queue to the one that it is merged into (spec 5.4).

use crate::{
    model::ids::{ProcessId, QueueId},
    policy::budget::{counters::Counter, queue::Sharing, state::Scheduler},
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// Moves `process` from `queue` to `target`, step by step along the chain of scheduled merges:
    /// references were taken for it in advance at each of them.
    pub(crate) fn merge_queues(&mut self, process: ProcessId, queue: QueueId, target: QueueId) {
        let mut queue = queue;
        while queue != target {
            let next = self.model.queues[queue].policy.merge.target.unwrap_or(target);
            self.merge_into(process, queue, next);
            queue = next;
        }
    }

    fn merge_into(&mut self, process: ProcessId, queue: QueueId, target: QueueId) {
        debug_assert_ne!(queue, target, "a queue is merged into itself");
        debug_assert!(self.model.queues[target].references.processes > 0, "it was expected there");
        self.policy.counters.count(Counter::Merges);
        self.tell(|_| Decision::Merged { queue, target, process });
        for queue in [queue, target] {
            self.policy.save_state(
                &mut self.model,
                &self.clock,
                &self.device,
                &self.tunables,
                queue,
            );
        }
        let io_bound = self.model.queues[queue].history.io_bound.is_io_bound;
        self.model.queues[target].history.io_bound.is_io_bound |= io_bound;
        self.model.queues[queue].history.io_bound.is_io_bound = false;
        self.model.queues.inherit_waker(queue, target);
        self.inherit_raise(queue, target);
        let actuator = self.model.queues[queue].actuator;
        self.link(process, Some(target), true, actuator);
        if self.model.processes.at(process, actuator).policy.stable_candidate == Some(target) {
            self.cancel_stable_merge(process, actuator);
        }
        let sharing = &mut self.model.queues[target].policy.merge.sharing;
        if *sharing == Sharing::Unshared {
            *sharing = Sharing::Shared;
        }
        self.set_owner(target, None);
        self.set_owner(queue, None);
        let group = self.model.queues[queue].group;
        if self.model.groups[group].policy.last_created == Some(queue) {
            self.model.groups[group].policy.last_created = Some(target);
        }
        self.release_from_process(queue);
    }

    /// Redirects the request to the queue that its own is merged into (spec 2.11, step 4).
    pub(crate) fn follow_merge(
        &mut self,
        process: ProcessId,
        queue: QueueId,
        target: QueueId,
    ) -> QueueId {
        debug_assert_ne!(queue, target, "it stays where it is");
        let state = &mut self.model.queues[target];
        state.references.requests += 1;
        let group = state.group;
        self.count_allocated(group, 1);
        if self.linked_queue(process, true, self.model.queues[queue].actuator) == Some(queue) {
            self.merge_queues(process, queue, target);
        }
        self.model.queues[queue].policy.burst.just_created = false;
        self.unrefer_request(queue);
        target
    }

    /// A bio's process moves along, if its I/O is sync.
    #[inline(never)]
    pub(crate) fn merge_for_bio(
        &mut self,
        process: ProcessId,
        queue: QueueId,
        target: QueueId,
        sync: bool,
    ) -> QueueId {
        if sync {
            self.merge_queues(process, queue, target);
        }
        target
    }

    /// The target takes over the raise of a queue that is merged into it (spec 5.4, steps 4 and 5).
    fn inherit_raise(&mut self, queue: QueueId, target: QueueId) {
        let state = &self.model.queues[queue].policy;
        if state.is_raised() {
            let (coefficient, raise) = (state.coefficient(), state.raise);
            self.raising(target).inherit(coefficient, &raise);
            self.raising(queue).set_coefficient(1);
        }
    }
}
