// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process gives up a queue, and what was taken in advance for a merge (spec 5.4–5.6).

use crate::{
    fair::Owner,
    model::ids::{ProcessId, QueueId},
    policy::budget::{service::busy::Leaving, state::Scheduler},
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// A process gives up a queue.
    pub(crate) fn release_from_process(&mut self, queue: QueueId) {
        self.stop_serving(queue);
        if self.model.queues.contains(queue) {
            self.drop_process_reference(queue);
        }
    }

    /// A queue that a process gives up leaves scheduling if nothing is left in it.
    pub(crate) fn stop_serving(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        if state.policy.busy && state.is_empty() && self.policy.slot.in_service != Some(queue) {
            let forgotten = self.make_idle(queue, Leaving::Emptied);
            self.model.leave_positions(queue);
            self.free_forgotten(forgotten);
        }
    }

    /// Drops the references that were taken in advance along the chain of merges of `queue`.
    pub(crate) fn drop_chain_references(&mut self, queue: QueueId) {
        let mut next = self.model.queues[queue].policy.merge.target;
        while let Some(target) = next {
            next = self.model.queues[target].policy.merge.target;
            self.drop_process_reference(target);
        }
    }

    /// Forgets the queue that a process's own might have been merged into.
    pub(crate) fn cancel_stable_merge(&mut self, process: ProcessId, actuator: u8) {
        if let Some(last) =
            self.model.processes.at_mut(process, actuator).policy.stable_candidate.take()
        {
            debug_assert!(self.model.queues[last].references.pins > 0, "{last:?} was not pinned");
            self.model.queues[last].references.pins -= 1;
            self.free_if_unreferenced(last);
        }
    }
}
