// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stable merge: queues created shortly after each other by the same task share one queue for
//! good (spec 5.6).

use super::STABLE;
use crate::{
    model::{
        Model,
        ids::{ProcessId, QueueId},
        queue::Queue,
    },
    policy::budget::{
        latency::periods::BURST_WINDOW,
        state::{Budget, Scheduler},
    },
    why::Observer,
};

const _: () = assert!(BURST_WINDOW.as_ns() < STABLE.as_ns());

impl<O: Observer> Scheduler<O> {
    /// A sync queue was created for a process: is it one of a series? Returns the queue that
    /// the process gets.
    pub(crate) fn consider_stable_merge(&mut self, process: ProcessId, queue: QueueId) -> QueueId {
        debug_assert!(self.model.queues[queue].sync, "an async queue is shared anyway");
        let group = self.model.queues[queue].group;
        let last = self.model.groups[group].policy.last_created;
        let Some(last) = last.filter(|&last| {
            let [new, old] = [queue, last].map(|queue| &self.model.queues[queue]);
            self.policy.are_of_a_series(new, old)
        }) else {
            self.model.groups[group].policy.last_created = Some(queue);
            return queue;
        };
        let created_at = self.model.queues[queue].created_at;
        if created_at.is_more_than(
            self.policy.durations.latency.burst_window,
            self.model.queues[last].created_at,
        ) {
            return queue;
        }
        if self.policy.disk.is_flash_with_queueing {
            return self.merge_stably_at_once(process, queue, last);
        }
        let actuator = self.model.queues[queue].actuator;
        self.model.queues[last].references.pins += 1;
        self.cancel_stable_merge(process, actuator);
        self.model.processes.at_mut(process, actuator).policy.stable_candidate = Some(last);
        queue
    }

    /// On flash that queues commands there is nothing to wait for.
    fn merge_stably_at_once(
        &mut self,
        process: ProcessId,
        queue: QueueId,
        last: QueueId,
    ) -> QueueId {
        debug_assert_eq!(self.model.queues[queue].references.processes, 0, "it is new");
        // The process is linked to the queue for the moment, as a merge expects it.
        let actuator = self.model.queues[queue].actuator;
        self.model.queues[queue].references.processes += 1;
        self.link(process, Some(queue), true, actuator);
        let Some(target) = self.schedule_merge(queue, last) else {
            self.model.queues[queue].references.processes -= 1;
            self.link(process, None, true, actuator);
            return queue;
        };
        self.model.flag_stably_merged(process, queue, target);
        self.merge_queues(process, queue, target);
        // The merge left the process's reference with the target; the caller takes it.
        self.model.queues[target].references.processes -= 1;
        self.link(process, None, true, actuator);
        target
    }

    /// Decides a delayed stable merge whose time has come. None: nothing was to be decided.
    pub(crate) fn decide_stable_merge(
        &mut self,
        queue: QueueId,
        process: ProcessId,
    ) -> Option<Option<QueueId>> {
        let state = &self.model.queues[queue];
        let actuator = state.actuator;
        let candidate = self.model.processes.at(process, actuator).policy.stable_candidate?;
        debug_assert!(self.model.queues[candidate].references.pins > 0, "it may be gone");
        let delay = self.policy.durations.stable;
        if !state.sync
            || state.policy.burst.just_created
            || !self.clock.tick.is_more_than(delay, state.policy.merge.split_at)
            || !self.clock.tick.is_more_than(delay, state.created_at)
        {
            return None;
        }
        let fruitless = self.policy.boosts(&self.device, &self.model.queues[queue])
            || self.model.queues[queue].references.processes == 0
            || self.model.queues[candidate].references.processes == 0;
        let target = if fruitless { None } else { self.schedule_merge(queue, candidate) };
        if let Some(target) = target {
            self.model.flag_stably_merged(process, queue, target);
        }
        self.cancel_stable_merge(process, actuator);
        Some(target)
    }
}

impl Budget {
    /// Whether a queue was created soon enough after the `old` one, and is like it.
    fn are_of_a_series(&self, new: &Queue<Budget>, old: &Queue<Budget>) -> bool {
        debug_assert!(new.sync, "an async queue has no process to merge");
        let [one, two] = [new, old].map(|queue| self.leaf(queue));
        !new.created_at.is_more_than(self.durations.stable, old.created_at)
            && new.group == old.group
            && new.actuator == old.actuator
            && one.base_weight() == two.base_weight()
            && one.class() == two.class()
    }
}

impl Model<Budget> {
    /// A process, and the owner of the queue that it moves to, share that for good.
    fn flag_stably_merged(&mut self, process: ProcessId, queue: QueueId, target: QueueId) {
        debug_assert_ne!(queue, target, "a queue is merged into itself");
        let actuator = self.queues[queue].actuator;
        self.processes.at_mut(process, actuator).policy.stably_merged = true;
        let target = &self.queues[target];
        if let Some(owner) = target.owner {
            self.processes.at_mut(owner, target.actuator).policy.stably_merged = true;
        }
    }
}
