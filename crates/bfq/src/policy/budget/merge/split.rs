// SPDX-License-Identifier: MIT OR Apache-2.0
//! A shared queue turned out not to be sequential: its processes part (spec 5.5, 5.7).

use super::saved::SavedState;
use crate::{
    calls::Birth,
    model::ids::{ProcessId, QueueId},
    policy::budget::{
        counters::Counter,
        latency::raise::{Cause, INTERACTIVE_COEFFICIENT},
        queue::Sharing,
        state::Scheduler,
    },
    quirks::Quirk,
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// Whether a process has to leave the queue it uses, which is parting, at its next request.
    pub(crate) fn leaves(&self, process: ProcessId, queue: QueueId) -> bool {
        let actuator = self.model.queues[queue].actuator;
        !self.model.processes.at(process, actuator).policy.stably_merged
    }

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
        self.policy.counters.count(Counter::Splits);
        self.tell(|_| Decision::Split { queue, process });
        let actuator = self.model.queues[queue].actuator;
        if self.model.queues[queue].policy.burst.in_large_burst
            && let Some(saved) = self.model.processes.at(process, actuator).policy.saved
        {
            self.policy.saved[saved].in_large_burst = true;
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
            self.restore_burst(process, new);
            self.model.queues[new].policy.merge.split_at = self.clock.tick;
            if let Some(waker) = waker
                && self.model.queues.contains(waker)
                && self.model.queues[waker].references.processes > 0
            {
                self.set_waker(new, Some(waker));
            }
        }
        self.model.queues[queue].references.pins -= 1;
        self.free_if_unreferenced(queue);
        new
    }

    fn restore_burst(&mut self, process: ProcessId, queue: QueueId) {
        let actuator = self.model.queues[queue].actuator;
        let Some(saved) = self.remembered(process, actuator) else { return };
        if saved.in_large_burst || (saved.was_in_burst_list && self.policy.burst.is_large()) {
            self.model.queues[queue].policy.burst.in_large_burst = true;
        } else {
            self.model.queues[queue].policy.burst.in_large_burst = false;
            if saved.was_in_burst_list {
                self.policy.burst.relist(&mut self.model.queues, queue);
            }
        }
    }

    /// Keeps the state of a process's queue. Few processes ever share one, so there is memory for
    /// it only from then on; if there is none, the process will begin anew after the split.
    fn remember(&mut self, process: ProcessId, actuator: u8, state: SavedState) {
        let saved = &mut self.model.processes.at_mut(process, actuator).policy.saved;
        match *saved {
            Some(id) => self.policy.saved[id] = state,
            None => *saved = self.policy.saved.insert(state).ok(),
        }
    }

    /// What a process keeps of its queue while it shares another's.
    fn remembered(&self, process: ProcessId, actuator: u8) -> Option<SavedState> {
        let saved = self.model.processes.at(process, actuator).policy.saved;
        saved.map(|id| self.policy.saved[id])
    }

    /// A process is about to be freed, and what it remembers with it.
    pub(crate) fn forget(&mut self, process: ProcessId, actuator: u8) {
        let saved = &mut self.model.processes.at_mut(process, actuator).policy.saved;
        if let Some(id) = saved.take() {
            self.policy.saved.remove(id);
        }
    }

    /// Saves what a queue knows for the process that owns it (spec 5.7).
    pub(crate) fn save_state(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        let Some(process) = state.owner else { return };
        let mut raise = state.policy.raise;
        let mut coefficient = self.coefficient(queue);
        if state.policy.burst.just_created
            && !state.policy.burst.in_large_burst
            && self.tunables.low_latency
        {
            // It would have been raised had it not been merged so early.
            coefficient = INTERACTIVE_COEFFICIENT;
            raise.cause = Some(Cause::Interactive { period: self.interactive_period() });
            raise.stamp = self.clock.tick;
            raise.interactive_origin = None;
        }
        let saved = SavedState {
            base_weight: self.leaf(queue).base_weight(),
            short_think_time: state.policy.short_think_time,
            think_time: state.history.think_time,
            last_completion: state.history.last_completion,
            io_bound: state.history.io_bound,
            injection: state.policy.injection,
            in_large_burst: state.policy.burst.in_large_burst,
            was_in_burst_list: self.policy.burst.lists(&self.model.queues, queue),
            coefficient,
            raise,
        };
        let actuator = state.actuator;
        self.remember(process, actuator, saved);
    }

    /// Restores what a process knew when it was merged into its queue of after the split.
    fn restore_state(&mut self, process: ProcessId, queue: QueueId) {
        let actuator = self.model.queues[queue].actuator;
        let Some(saved) = self.remembered(process, actuator) else { return };
        let before = self.coefficient(queue);
        let busy = self.model.queues[queue].policy.busy;
        let reference = self.policy.quirks.has(Quirk::SplitRestoresCompletion);
        let state = &mut self.model.queues[queue];
        state.policy.short_think_time = saved.short_think_time;
        state.history.io_bound = saved.io_bound;
        state.history.think_time = saved.think_time;
        if reference {
            // The reference keeps it among the statistics of the think time.
            state.history.last_completion = saved.last_completion;
        }
        state.policy.injection = saved.injection;
        let pending = state.policy.raise.soft_rt_update_pending;
        let next_start = state.policy.raise.soft_rt_next_start;
        state.policy.raise = saved.raise;
        state.policy.raise.soft_rt_update_pending = pending;
        state.policy.raise.soft_rt_next_start = next_start;
        let entity = state.policy.entity;
        if self.tunables.low_latency {
            self.set_coefficient(queue, saved.coefficient);
        }
        self.policy.fair.request_weight(entity, saved.base_weight);
        self.end_restored_raise(queue);
        let after = self.coefficient(queue);
        if busy && before == 1 && after > 1 {
            self.policy.competition.busy.change_raised(1);
        } else if busy && before > 1 && after == 1 {
            self.policy.competition.busy.change_raised(-1);
        }
    }

    /// A restored raise may be over by now.
    fn end_restored_raise(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        let over =
            self.clock.tick.is_more_than(state.policy.raise.period(), state.policy.raise.stamp);
        if self.coefficient(queue) == 1 || !(state.policy.burst.in_large_burst || over) {
            return;
        }
        if state.policy.raise.is_soft_rt()
            && !state.policy.burst.in_large_burst
            && !state.policy.raise.is_interactive_over(self.clock.tick, self.interactive_period())
        {
            self.switch_back_to_interactive(queue);
        } else {
            self.set_coefficient(queue, 1);
        }
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
