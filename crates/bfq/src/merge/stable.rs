//! Stable merge: queues created shortly after each other by the same task share one queue for good
//! (spec 5.6).

use super::STABLE_MS;
use crate::{
    latency::BURST_WINDOW_MS,
    queue::{ProcessId, QueueId},
    scheduler::Scheduler,
    why::Observer,
};

const _: () = assert!(BURST_WINDOW_MS < STABLE_MS);

impl<O: Observer> Scheduler<O> {
    /// A sync queue was created for a process: is it one of a series? Returns the queue that the
    /// process gets.
    pub(crate) fn consider_stable_merge(&mut self, process: ProcessId, queue: QueueId) -> QueueId {
        let group = self.queues[queue].group;
        let last = self.groups[group].last_created;
        let Some(last) = last.filter(|&last| self.belongs_to_series(queue, last)) else {
            self.groups[group].last_created = Some(queue);
            return queue;
        };
        let created_at = self.queues[queue].created_at;
        if created_at.is_more_than(self.durations.burst_window_ns, self.queues[last].created_at) {
            return queue;
        }
        if self.flash_with_queueing {
            return self.merge_stably_at_once(process, queue, last);
        }
        let actuator = self.queues[queue].actuator;
        self.queues[last].stable_references += 1;
        self.cancel_stable_merge(process, actuator);
        self.processes.seat_mut(process, actuator).stable_candidate = Some(last);
        queue
    }

    fn belongs_to_series(&self, queue: QueueId, last: QueueId) -> bool {
        let (new, old) = (&self.queues[queue], &self.queues[last]);
        let level = |queue: QueueId| self.leaf(queue).base_weight();
        !new.created_at.is_more_than(self.durations.stable_ns, old.created_at)
            && new.group == old.group
            && new.actuator == old.actuator
            && level(queue) == level(last)
            && self.class(queue) == self.class(last)
    }

    /// On flash that queues commands there is nothing to wait for.
    fn merge_stably_at_once(
        &mut self,
        process: ProcessId,
        queue: QueueId,
        last: QueueId,
    ) -> QueueId {
        // The process is linked to the queue for the moment, as a merge expects it.
        let actuator = self.queues[queue].actuator;
        self.queues[queue].process_references += 1;
        self.link(process, Some(queue), true, actuator);
        let Some(target) = self.schedule_merge(queue, last) else {
            self.queues[queue].process_references -= 1;
            self.link(process, None, true, actuator);
            return queue;
        };
        self.flag_stably_merged(process, queue, target);
        self.merge_queues(process, queue, target);
        // The merge left the process's reference with the target; the caller takes it.
        self.queues[target].process_references -= 1;
        self.link(process, None, true, actuator);
        target
    }

    fn flag_stably_merged(&mut self, process: ProcessId, queue: QueueId, target: QueueId) {
        let actuator = self.queues[queue].actuator;
        self.processes.seat_mut(process, actuator).stably_merged = true;
        if let Some(owner) = self.queues[target].owner {
            let actuator = self.queues[target].actuator;
            self.processes.seat_mut(owner, actuator).stably_merged = true;
        }
    }

    /// Decides a delayed stable merge whose time has come. None: nothing was to be decided.
    pub(crate) fn decide_stable_merge(
        &mut self,
        queue: QueueId,
        process: ProcessId,
    ) -> Option<Option<QueueId>> {
        let state = &self.queues[queue];
        let actuator = state.actuator;
        let candidate = self.processes.seat(process, actuator).stable_candidate?;
        let delay_ns = self.durations.stable_ns;
        if !state.sync
            || state.just_created
            || !self.tick.is_more_than(delay_ns, state.split_at)
            || !self.tick.is_more_than(delay_ns, state.created_at)
        {
            return None;
        }
        let fruitless = self.boosts(queue)
            || self.queues[queue].process_references == 0
            || self.queues[candidate].process_references == 0;
        let target = if fruitless { None } else { self.schedule_merge(queue, candidate) };
        if let Some(target) = target {
            self.flag_stably_merged(process, queue, target);
        }
        self.cancel_stable_merge(process, actuator);
        Some(target)
    }

    /// Forgets the queue that a process's own might have been merged into.
    pub(crate) fn cancel_stable_merge(&mut self, process: ProcessId, actuator: u8) {
        if let Some(last) = self.processes.seat_mut(process, actuator).stable_candidate.take() {
            self.queues[last].stable_references -= 1;
            self.free_if_unreferenced(last);
        }
    }
}
