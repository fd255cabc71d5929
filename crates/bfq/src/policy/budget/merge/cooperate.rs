// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue to merge with, if any (spec 5.2, 5.3).

use super::CLOSE;
use crate::{
    fair::Service,
    model::ids::{ProcessId, QueueId},
    policy::budget::state::Scheduler,
    units::{Class, Sector},
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
            return Some(self.end_of_chain(queue));
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
        if self.is_too_late_to_merge(queue) || self.policy.competition.busy.total() == 1 {
            return None;
        }
        if let Some(serving) = self.policy.slot.in_service.filter(|&serving| serving != queue)
            && self.is_close_to_slot(sector)
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

    /// Whether a sector is close to the end of the last request of the present slot. Before there
    /// is one, the reference takes that to be at the start of the disk, and so it is here: I/O in
    /// the first sectors counts as close to any slot that has just begun.
    fn is_close_to_slot(&self, sector: Sector) -> bool {
        let position = self.policy.slot.last_position.or_first();
        sector.distance(position) <= CLOSE
    }

    /// Only I/O that just (re)started may be merged: later, a merge would mix weights.
    pub(crate) fn is_too_late_to_merge(&self, queue: QueueId) -> bool {
        let state = &self.model.queues[queue];
        state.policy.backlog.service > Service::ZERO
            && self
                .clock
                .tick
                .is_more_than(self.policy.durations.merge_window, state.policy.backlog.first_io_at)
    }

    fn are_compatible(&self, queue: QueueId, other: QueueId) -> bool {
        let class = self.class(queue);
        !self.is_too_late_to_merge(other)
            && class != Class::Idle
            && class == self.class(other)
            && [queue, other].iter().all(|&queue| {
                let state = &self.model.queues[queue];
                state.sync && !state.history.seeks.is_seeky()
            })
    }

    /// The last queue of a chain of scheduled merges.
    pub(crate) fn end_of_chain(&self, queue: QueueId) -> QueueId {
        let mut queue = queue;
        while let Some(target) = self.model.queues[queue].policy.merge.target {
            queue = target;
        }
        queue
    }

    /// Schedules the merge of `queue` into `other` (or where that one is going); returns the target
    /// if it is possible.
    pub(crate) fn schedule_merge(&mut self, queue: QueueId, other: QueueId) -> Option<QueueId> {
        if self.model.queues[other].references.processes == 0 {
            return None;
        }
        let mut target = other;
        while let Some(next) = self.model.queues[target].policy.merge.target {
            if next == queue {
                return None;
            }
            target = next;
        }
        let references = self.model.queues[queue].references.processes;
        if target == queue
            || target == self.model.fallback
            || references == 0
            || self.model.queues[target].references.processes == 0
            || self.model.queues[queue].group != self.model.queues[target].group
            // A process finds its queues by actuator; the reference does not look (spec 9).
            || self.model.queues[queue].actuator != self.model.queues[target].actuator
        {
            return None;
        }
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
        self.leave_positions(queue);
        let next = self.model.queues[queue].waiting.next;
        let Some(next) = next.filter(|_| {
            queue != self.model.fallback
                && !self.is_too_late_to_merge(queue)
                && self.class(queue) != Class::Idle
        }) else {
            return;
        };
        let sector = self.model.requests[next].sector;
        let group = self.model.queues[queue].group;
        self.model.groups[group].policy.positions.insert(&mut self.model.queues, queue, sector);
    }

    /// Takes a queue out of the position tree of its group.
    pub(crate) fn leave_positions(&mut self, queue: QueueId) {
        if self.model.queues[queue].policy.merge.position.is_some() {
            let group = self.model.queues[queue].group;
            self.model.groups[group].policy.positions.remove(&mut self.model.queues, queue);
        }
    }
}
