// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue to merge with, if any (spec 5.2, 5.3).

use super::CLOSE;
use crate::{
    model::{
        clock::Clock,
        ids::{ProcessId, QueueId},
        queue::Queue,
    },
    policy::budget::state::{Budget, Scheduler, Slot},
    units::{Class, Sector},
    why::Observer,
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
        debug_assert!(self.model.queues[queue].policy.merge.target.is_none(), "it moves already");
        if let Some(decided) = self.decide_stable_merge(queue, process) {
            return decided;
        }
        let state = &self.model.queues[queue];
        if state.policy.is_too_late_to_merge(self.clock.tick, &self.policy.durations)
            || self.policy.competition.busy.total() == 1
        {
            return None;
        }
        let group = state.group;
        if let Some(serving) = self.policy.slot.in_service.filter(|&serving| serving != queue)
            && self.policy.slot.is_close_to(sector)
            && let in_service = &self.model.queues[serving]
            && in_service.group == group
            && self.policy.are_compatible(&self.clock, state, in_service)
            && let Some(target) = self.schedule_merge(queue, serving)
        {
            return Some(target);
        }
        let positions = &self.model.groups[group].policy.positions;
        let closest = positions.closest(&self.model.queues, sector)?;
        let [state, other] = [queue, closest].map(|queue| &self.model.queues[queue]);
        if closest == queue || !self.policy.are_compatible(&self.clock, state, other) {
            return None;
        }
        self.schedule_merge(queue, closest)
    }
}

impl Budget {
    /// Whether what waits in one queue may go to the other.
    fn are_compatible(&self, clock: &Clock, queue: &Queue<Budget>, other: &Queue<Budget>) -> bool {
        let class = self.leaf(queue).class();
        !other.policy.is_too_late_to_merge(clock.tick, &self.durations)
            && class != Class::Idle
            && class == self.leaf(other).class()
            && [queue, other].iter().all(|queue| queue.sync && !queue.history.seeks.is_seeky())
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
