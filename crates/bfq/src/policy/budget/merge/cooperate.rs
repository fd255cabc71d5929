// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue to merge with, if any (spec 5.2, 5.3).

use super::CLOSE;
use crate::{
    fair::Service,
    model::{
        Model,
        ids::{ProcessId, QueueId},
    },
    policy::budget::{
        queue::BudgetQueue,
        state::{Budget, Durations, Scheduler, Slot},
    },
    units::{Class, Sector, Time},
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// The queue to which I/O of `process` at `sector` goes instead of `queue`, after a merge that
    /// this very question may decide. None: it stays.
    #[inline]
    pub(crate) fn find_cooperator(
        &mut self,
        queue: QueueId,
        process: ProcessId,
        sector: Sector,
    ) -> Option<QueueId> {
        if self.model.queues[queue].policy.merge.target.is_some() {
            return Some(self.model.end_of_chain(queue));
        }
        if self.policy.disk.is_flash_with_queueing || queue == self.model.fallback {
            return None;
        }
        self.seek_cooperator(queue, process, sector)
    }

    #[inline(never)]
    fn seek_cooperator(
        &mut self,
        queue: QueueId,
        process: ProcessId,
        sector: Sector,
    ) -> Option<QueueId> {
        if let Some(decided) = self.decide_stable_merge(queue, process) {
            return decided;
        }
        let state = &self.model.queues[queue].policy;
        if state.is_too_late_to_merge(self.clock.tick, &self.policy.durations)
            || self.policy.competition.busy.total() == 1
        {
            return None;
        }
        if let Some(serving) = self.policy.slot.in_service.filter(|&serving| serving != queue)
            && self.policy.slot.is_close_to(sector)
            && self.model.queues[serving].group == self.model.queues[queue].group
            && self.are_compatible(queue, serving)
            && let Some(target) = self.schedule_merge(queue, serving)
        {
            return Some(target);
        }
        let group = self.model.queues[queue].group;
        let closest =
            self.model.groups[group].policy.positions.closest(&self.model.queues, sector)?;
        if closest == queue || !self.are_compatible(queue, closest) {
            return None;
        }
        self.schedule_merge(queue, closest)
    }

    fn are_compatible(&self, queue: QueueId, other: QueueId) -> bool {
        let class = self.class(queue);
        let other_state = &self.model.queues[other].policy;
        !other_state.is_too_late_to_merge(self.clock.tick, &self.policy.durations)
            && class != Class::Idle
            && class == self.class(other)
            && [queue, other].iter().all(|&queue| {
                let state = &self.model.queues[queue];
                state.sync && !state.history.seeks.is_seeky()
            })
    }

    /// Schedules the merge of `queue` into `other` (or where that one is going); returns the target
    /// if it is possible.
    pub(crate) fn schedule_merge(&mut self, queue: QueueId, other: QueueId) -> Option<QueueId> {
        let target = self.model.target_of_merge(queue, other)?;
        let references = self.model.queues[queue].references.processes;
        debug_assert_eq!(self.model.end_of_chain(target), target, "it moves on");
        debug_assert!(self.model.queues[queue].policy.merge.target.is_none(), "it moves already");
        self.model.queues[queue].policy.merge.target = Some(target);
        self.model.queues[target].references.processes += references;
        self.tell(|_| Decision::MergeScheduled { queue, target });
        Some(target)
    }

    /// Brings a queue's entry in the position tree up to date (spec 5.3).
    #[inline(always)]
    pub(crate) fn update_position(&mut self, queue: QueueId) {
        if !self.policy.disk.is_flash_with_queueing {
            self.sort_into_positions(queue);
        }
    }

    #[inline(never)]
    fn sort_into_positions(&mut self, queue: QueueId) {
        self.model.leave_positions(queue);
        let state = &self.model.queues[queue];
        let Some(next) = state.waiting.next.filter(|_| {
            queue != self.model.fallback
                && !state.policy.is_too_late_to_merge(self.clock.tick, &self.policy.durations)
                && self.class(queue) != Class::Idle
        }) else {
            return;
        };
        self.model.enter_positions(queue, next);
    }
}

impl Slot {
    /// Whether a sector is close to the end of the last request of the present slot. Before there
    /// is one, the reference takes that to be at the start of the disk, and so it is here: I/O in
    /// the first sectors counts as close to any slot that has just begun.
    fn is_close_to(&self, sector: Sector) -> bool {
        sector.distance(self.last_position.or_first()) <= CLOSE
    }
}

impl BudgetQueue {
    /// Only I/O that just (re)started may be merged: later, a merge would mix weights.
    fn is_too_late_to_merge(&self, tick: Time, durations: &Durations) -> bool {
        self.backlog.service > Service::ZERO
            && tick.is_more_than(durations.merge_window, self.backlog.first_io_at)
    }
}

impl Model<Budget> {
    /// The last queue of a chain of scheduled merges.
    fn end_of_chain(&self, queue: QueueId) -> QueueId {
        let mut queue = queue;
        while let Some(target) = self.queues[queue].policy.merge.target {
            queue = target;
        }
        queue
    }

    /// The queue that `queue` moves to if it is merged into `other`: where that one is going; none
    /// if it cannot be.
    fn target_of_merge(&self, queue: QueueId, other: QueueId) -> Option<QueueId> {
        if self.queues[other].references.processes == 0 {
            return None;
        }
        let mut target = other;
        while let Some(next) = self.queues[target].policy.merge.target {
            if next == queue {
                return None;
            }
            target = next;
        }
        let (from, to) = (&self.queues[queue], &self.queues[target]);
        let possible = target != queue
            && target != self.fallback
            && from.references.processes > 0
            && to.references.processes > 0
            && from.group == to.group
            // A process finds its queues by actuator; the reference does not look (spec 9).
            && from.actuator == to.actuator;
        possible.then_some(target)
    }
}
