// SPDX-License-Identifier: MIT OR Apache-2.0
//! A shared queue turned out not to be sequential: its processes part (spec 5.5, 5.7).

use super::saved::SavedState;
use crate::{
    calls::Birth,
    model::{
        Model,
        ids::{ProcessId, QueueId},
        queue::Queue,
    },
    policy::budget::{
        counters::Counter,
        latency::raise::{Cause, INTERACTIVE_COEFFICIENT, Raise},
        queue::Sharing,
        state::{Budget, Scheduler},
    },
    quirks::Quirk,
    units::Weight,
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
        let waker = self.model.queues[queue].policy.waking.waker;
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
            if let Some(waker) = waker
                && self.model.queues.contains(waker)
                && self.model.queues[waker].references.processes > 0
            {
                self.model.queues.set_waker(new, Some(waker));
            }
        }
        self.model.queues[queue].references.pins -= 1;
        self.free_if_unreferenced(queue);
        new
    }

    /// Saves what a queue knows for the process that owns it (spec 5.7).
    pub(crate) fn save_state(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        let Some(process) = state.owner else { return };
        let mut saved = state.known(self.policy.fair.entity(state.policy.entity).base_weight());
        if state.policy.burst.just_created
            && !state.policy.burst.in_large_burst
            && self.tunables.low_latency
        {
            // It would have been raised had it not been merged so early.
            let period = self.policy.interactive_period(&self.clock, &self.device);
            saved.coefficient = INTERACTIVE_COEFFICIENT;
            saved.raise.cause = Some(Cause::Interactive { period });
            saved.raise.stamp = self.clock.tick;
            saved.raise.interactive_origin = None;
        }
        let process = self.model.processes.at_mut(process, state.actuator);
        self.policy.saved.keep(&mut process.policy.saved, saved);
    }

    /// Restores what a process knew when it was merged into its queue of after the split.
    fn restore_state(&mut self, process: ProcessId, queue: QueueId) {
        let actuator = self.model.queues[queue].actuator;
        let place = self.model.processes.at(process, actuator).policy.saved;
        let Some(&saved) = self.policy.saved.of(place) else { return };
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

impl Queue<Budget> {
    /// What it knows, as its process keeps it.
    fn known(&self, base_weight: Weight) -> SavedState {
        SavedState {
            base_weight,
            short_think_time: self.policy.short_think_time,
            think_time: self.history.think_time,
            last_completion: self.history.last_completion,
            io_bound: self.history.io_bound,
            injection: self.policy.injection,
            in_large_burst: self.policy.burst.in_large_burst,
            was_in_burst_list: self.policy.burst.is_listed(),
            coefficient: self.policy.coefficient(),
            raise: self.policy.raise,
        }
    }

    /// It knows again what was saved, but for what its leaf does. The `reference` keeps the last
    /// completion among the statistics of the think time.
    fn learn_again(&mut self, saved: &SavedState, reference: bool) {
        self.policy.short_think_time = saved.short_think_time;
        self.history.io_bound = saved.io_bound;
        self.history.think_time = saved.think_time;
        if reference {
            self.history.last_completion = saved.last_completion;
        }
        self.policy.injection = saved.injection;
        let before = self.policy.raise;
        self.policy.raise = Raise {
            soft_rt_update_pending: before.soft_rt_update_pending,
            soft_rt_next_start: before.soft_rt_next_start,
            ..saved.raise
        };
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
