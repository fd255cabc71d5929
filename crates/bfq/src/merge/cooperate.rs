//! Which queue to merge with, if any (spec 5.2, 5.3).

use super::CLOSE_SECTORS;
use crate::{
    queue::{ProcessId, QueueId},
    scheduler::Scheduler,
    units::Class,
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// The queue to which I/O of `process` at `sector` goes instead of `queue`, after a merge that
    /// this very question may decide. None: it stays.
    #[inline(always)]
    pub(crate) fn find_cooperator(
        &mut self,
        queue: QueueId,
        process: ProcessId,
        sector: u64,
    ) -> Option<QueueId> {
        if self.queues[queue].target.is_some() {
            return Some(self.end_of_chain(queue));
        }
        if self.flash_with_queueing || queue == self.fallback {
            return None;
        }
        self.seek_cooperator(queue, process, sector)
    }

    #[inline(never)]
    fn seek_cooperator(
        &mut self,
        queue: QueueId,
        process: ProcessId,
        sector: u64,
    ) -> Option<QueueId> {
        if let Some(decided) = self.decide_stable_merge(queue, process) {
            return decided;
        }
        if self.is_too_late_to_merge(queue) || self.busy.total() == 1 {
            return None;
        }
        if let Some(serving) = self.in_service.filter(|&serving| serving != queue)
            && sector.abs_diff(self.in_service_last_position) <= CLOSE_SECTORS
            && self.queues[serving].group == self.queues[queue].group
            && self.are_compatible(queue, serving)
            && let Some(target) = self.schedule_merge(queue, serving)
        {
            return Some(target);
        }
        let group = self.queues[queue].group;
        let closest = self.groups[group].positions.closest(&self.queues, sector)?;
        if closest == queue || !self.are_compatible(queue, closest) {
            return None;
        }
        self.schedule_merge(queue, closest)
    }

    /// Only I/O that just (re)started may be merged: later, a merge would mix weights.
    pub(crate) fn is_too_late_to_merge(&self, queue: QueueId) -> bool {
        let state = &self.queues[queue];
        state.service_since_backlogged > 0
            && self.tick.is_more_than(self.durations.merge_window_ns, state.first_io_at)
    }

    fn are_compatible(&self, queue: QueueId, other: QueueId) -> bool {
        let class = self.class(queue);
        !self.is_too_late_to_merge(other)
            && class != Class::Idle
            && class == self.class(other)
            && [queue, other].iter().all(|&queue| {
                let state = &self.queues[queue];
                state.sync && !state.seeks.is_seeky()
            })
    }

    /// The last queue of a chain of scheduled merges.
    pub(crate) fn end_of_chain(&self, queue: QueueId) -> QueueId {
        let mut queue = queue;
        while let Some(target) = self.queues[queue].target {
            queue = target;
        }
        queue
    }

    /// Schedules the merge of `queue` into `other` (or where that one is going); returns the target
    /// if it is possible.
    pub(crate) fn schedule_merge(&mut self, queue: QueueId, other: QueueId) -> Option<QueueId> {
        if self.queues[other].process_references == 0 {
            return None;
        }
        let mut target = other;
        while let Some(next) = self.queues[target].target {
            if next == queue {
                return None;
            }
            target = next;
        }
        let references = self.queues[queue].process_references;
        if target == queue
            || target == self.fallback
            || references == 0
            || self.queues[target].process_references == 0
            || self.queues[queue].group != self.queues[target].group
            // A process finds its queues by actuator; the reference does not look (spec 9).
            || self.queues[queue].actuator != self.queues[target].actuator
        {
            return None;
        }
        self.queues[queue].target = Some(target);
        self.queues[target].process_references += references;
        self.tell(|_| Decision::MergeScheduled { queue, target });
        Some(target)
    }

    /// Brings a queue's entry in the position tree up to date (spec 5.3).
    #[inline(always)]
    pub(crate) fn update_position(&mut self, queue: QueueId) {
        if !self.flash_with_queueing {
            self.sort_into_positions(queue);
        }
    }

    #[inline(never)]
    fn sort_into_positions(&mut self, queue: QueueId) {
        self.leave_positions(queue);
        let next = self.queues[queue].waiting.next;
        let Some(next) = next.filter(|_| {
            queue != self.fallback
                && !self.is_too_late_to_merge(queue)
                && self.class(queue) != Class::Idle
        }) else {
            return;
        };
        let sector = self.requests[next].what.sector;
        let group = self.queues[queue].group;
        self.groups[group].positions.insert(&mut self.queues, queue, sector);
    }

    /// Takes a queue out of the position tree of its group.
    pub(crate) fn leave_positions(&mut self, queue: QueueId) {
        if self.queues[queue].position.is_some() {
            let group = self.queues[queue].group;
            self.groups[group].positions.remove(&mut self.queues, queue);
        }
    }
}
