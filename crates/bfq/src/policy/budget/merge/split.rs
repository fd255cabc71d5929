// SPDX-License-Identifier: MIT OR Apache-2.0
//! A shared queue turned out not to be sequential: its processes part (spec 5.5, 5.7).

use crate::{
    calls::Birth,
    model::{
        Model,
        ids::{ProcessId, QueueId},
    },
    policy::budget::{
        counters::Counter,
        queue::Sharing,
        state::{Budget, Scheduler},
    },
    quirks::Quirk,
    why::{Decision, Observer},
};

impl Model<Budget> {
    /// Whether a process has to leave the queue it uses, which is parting, at its next request.
    pub(crate) fn leaves(&self, process: ProcessId, queue: QueueId) -> bool {
        let actuator = self.queues[queue].actuator;
        !self.processes.at(process, actuator).policy.stably_merged
    }
}

impl<O: Observer> Scheduler<O> {
    /// Gives a process a queue of its own again, with what its own one knew; returns it.
    #[cold]
    pub(crate) fn split_and_restore(&mut self, process: ProcessId, shared: QueueId) -> QueueId {
        let queue = self.split(process, shared);
        let actuator = self.model.queues[queue].actuator;
        let linked = self.model.processes.at(process, actuator).link(true);
        debug_assert_eq!(linked, Some(queue), "its requests go elsewhere");
        if self.model.queues[queue].is_for_one() && queue != self.model.fallback {
            self.set_owner(queue, Some(process));
            self.restore_state(process, queue);
        }
        queue
    }

    /// Gives a process a queue of its own again; returns it.
    fn split(&mut self, process: ProcessId, queue: QueueId) -> QueueId {
        debug_assert_eq!(self.model.queues[queue].policy.merge.sharing, Sharing::Parting);
        self.policy.counters.count(Counter::Splits);
        self.tell(|_| Decision::Split { queue, process });
        let actuator = self.model.queues[queue].actuator;
        if self.model.queues[queue].policy.burst.in_large_burst
            && let place = self.model.processes.at(process, actuator).policy.saved
            && let Some(saved) = self.policy.saved.of_mut(place)
        {
            saved.in_large_burst = true;
        }
        let state = &mut self.model.queues[queue];
        if state.references.processes == 1 && state.policy.merge.target.is_none() {
            state.policy.merge.sharing = Sharing::Unshared;
            self.set_owner(queue, Some(process));
            return queue;
        }
        self.detach(process, queue)
    }

    fn detach(&mut self, process: ProcessId, queue: QueueId) -> QueueId {
        let actuator = self.model.queues[queue].actuator;
        self.link(process, None, true, actuator);
        self.drop_chain_references(queue);
        // Kept alive until the waker has been handed on.
        self.model.queues[queue].references.pins += 1;
        self.release_from_process(queue);
        let new = self.queue_for(process, true, actuator, Birth::Again);
        if new != self.model.fallback {
            let place = self.model.processes.at(process, actuator).policy.saved;
            if let Some(saved) = self.policy.saved.of(place) {
                self.policy.burst.restore(&mut self.model.queues, new, saved);
            }
            self.model.queues[new].policy.merge.split_at = self.clock.tick;
            if !self.policy.quirks.has(Quirk::SplitRestoresCompletion) {
                let last_completion = self.model.queues[queue].history.last_completion;
                self.model.queues[new].history.last_completion = last_completion;
            }
            // Asked only now: what the process gave up may have held the waker.
            if let Some(waker) = self.model.queues[queue].policy.waking.waker
                && self.model.queues[waker].references.processes > 0
            {
                self.model.queues.set_waker(new, Some(waker));
            }
        }
        self.model.queues[queue].references.pins -= 1;
        self.free_if_unreferenced(queue);
        new
    }

    /// Restores what a process knew when it was merged into its queue of after the split.
    fn restore_state(&mut self, process: ProcessId, queue: QueueId) {
        let actuator = self.model.queues[queue].actuator;
        let place = self.model.processes.at(process, actuator).policy.saved;
        let Some(&saved) = self.policy.saved.of(place) else { return };
        debug_assert_eq!(self.model.queues[queue].owner, Some(process), "it is another's");
        let reference = self.policy.quirks.has(Quirk::SplitRestoresCompletion);
        let state = &mut self.model.queues[queue];
        state.learn_again(&saved, reference);
        let entity = state.policy.entity;
        if self.tunables.low_latency {
            self.raising(queue).set_coefficient(saved.coefficient);
        }
        self.policy.fair.request_weight(entity, saved.base_weight);
        self.raising(queue).end_if_over();
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
