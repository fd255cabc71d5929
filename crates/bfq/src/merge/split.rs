//! A shared queue turned out not to be sequential: its processes part (spec 5.5, 5.7).

use super::saved::SavedState;
use crate::{
    latency::INTERACTIVE_COEFFICIENT,
    queue::{ProcessId, QueueId},
    scheduler::Scheduler,
    statistics::Counter,
    units::Time,
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// Whether a process has to leave the queue it uses at its next request.
    #[inline]
    pub(crate) fn wants_split(&self, process: ProcessId, queue: QueueId) -> bool {
        let state = &self.queues[queue];
        state.shared
            && state.to_be_split
            && !self.processes.seat(process, state.actuator).stably_merged
    }

    /// Gives a process a queue of its own again, with what its own one knew; returns it.
    #[cold]
    pub(crate) fn split_and_restore(&mut self, process: ProcessId, shared: QueueId) -> QueueId {
        let queue = self.split(process, shared);
        if self.queues[queue].is_for_one() && queue != self.fallback {
            self.set_owner(queue, Some(process));
            self.restore_state(process, queue);
        }
        queue
    }

    /// Gives a process a queue of its own again; returns it.
    fn split(&mut self, process: ProcessId, queue: QueueId) -> QueueId {
        self.counters.count(Counter::Splits);
        self.tell(|_| Decision::Split { queue, process });
        let actuator = self.queues[queue].actuator;
        if self.queues[queue].in_large_burst
            && let Some(saved) = self.processes.saved_mut(process, actuator)
        {
            saved.in_large_burst = true;
        }
        let state = &mut self.queues[queue];
        if state.process_references == 1 && state.target.is_none() {
            state.shared = false;
            state.to_be_split = false;
            self.set_owner(queue, Some(process));
            return queue;
        }
        self.detach(process, queue)
    }

    fn detach(&mut self, process: ProcessId, queue: QueueId) -> QueueId {
        let actuator = self.queues[queue].actuator;
        let waker = self.queues[queue].waker;
        self.link(process, None, true, actuator);
        self.drop_chain_references(queue);
        // Kept alive until the waker has been handed on.
        self.queues[queue].stable_references += 1;
        self.release_from_process(queue);
        let new = self.queue_for(process, true, actuator, true);
        if new != self.fallback {
            self.restore_burst(process, new);
            self.queues[new].split_at = self.tick;
            if let Some(waker) = waker
                && self.queues.contains(waker)
                && self.queues[waker].process_references > 0
            {
                self.set_waker(new, Some(waker));
            }
        }
        self.queues[queue].stable_references -= 1;
        self.free_if_unreferenced(queue);
        new
    }

    fn restore_burst(&mut self, process: ProcessId, queue: QueueId) {
        let actuator = self.queues[queue].actuator;
        let Some(saved) = self.processes.saved(process, actuator).copied() else { return };
        if saved.in_large_burst || (saved.was_in_burst_list && self.burst.is_large()) {
            self.queues[queue].in_large_burst = true;
        } else {
            self.queues[queue].in_large_burst = false;
            if saved.was_in_burst_list {
                self.burst.relist(&mut self.queues, queue);
            }
        }
    }

    /// Saves what a queue knows for the process that owns it (spec 5.7).
    pub(crate) fn save_state(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        let Some(process) = state.owner else { return };
        let mut raise = state.raise;
        let mut coefficient = self.coefficient(queue);
        if state.just_created && !state.in_large_burst && self.tunables.low_latency {
            // It would have been raised had it not been merged so early.
            coefficient = INTERACTIVE_COEFFICIENT;
            raise.period_ns = self.interactive_period_ns();
            raise.stamp = self.tick;
            raise.interactive_origin = Time::LONG_AGO;
        }
        let saved = SavedState {
            base_weight: self.leaf(queue).base_weight(),
            short_think_time: state.short_think_time,
            think_time: state.think_time,
            last_completion: state.last_completion,
            io_bound: state.io_bound,
            injection: state.injection,
            in_large_burst: state.in_large_burst,
            was_in_burst_list: self.burst.lists(&self.queues, queue),
            coefficient,
            raise,
        };
        let actuator = state.actuator;
        *self.processes.saved_mut(process, actuator) = Some(saved);
    }

    /// Restores what a process knew when it was merged into its queue of after the split.
    fn restore_state(&mut self, process: ProcessId, queue: QueueId) {
        let actuator = self.queues[queue].actuator;
        let Some(saved) = self.processes.saved(process, actuator).copied() else { return };
        let before = self.coefficient(queue);
        let busy = self.queues[queue].busy;
        let reference = self.behaviour.is_reference();
        let state = &mut self.queues[queue];
        state.short_think_time = saved.short_think_time;
        state.io_bound = saved.io_bound;
        state.think_time = saved.think_time;
        if reference {
            // The reference keeps it among the statistics of the think time.
            state.last_completion = saved.last_completion;
        }
        state.injection = saved.injection;
        let pending = state.raise.soft_rt_update_pending;
        let next_start = state.raise.soft_rt_next_start;
        state.raise = saved.raise;
        state.raise.soft_rt_update_pending = pending;
        state.raise.soft_rt_next_start = next_start;
        let entity = state.entity;
        if self.tunables.low_latency {
            self.set_coefficient(queue, saved.coefficient);
        }
        self.fair.request_weight(entity, saved.base_weight);
        self.end_restored_raise(queue);
        let after = self.coefficient(queue);
        if busy && before == 1 && after > 1 {
            self.busy.raised += 1;
        } else if busy && before > 1 && after == 1 {
            self.busy.raised -= 1;
        }
    }

    /// A restored raise may be over by now.
    fn end_restored_raise(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        let over = self.tick.is_more_than(state.raise.period_ns, state.raise.stamp);
        if self.coefficient(queue) == 1 || !(state.in_large_burst || over) {
            return;
        }
        if state.raise.is_soft_rt() && !state.in_large_burst && !self.is_interactive_over(queue) {
            self.switch_back_to_interactive(queue);
        } else {
            self.set_coefficient(queue, 1);
        }
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
