// SPDX-License-Identifier: MIT OR Apache-2.0
//! A merge is scheduled: from now on, what comes for a queue goes to another one (spec 5.3).

use crate::{
    model::{Model, ids::QueueId},
    policy::budget::state::{Budget, Scheduler},
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// Schedules the merge of `queue` into `other` (or where that one is going); returns the target
    /// if it is possible.
    pub(crate) fn schedule_merge(&mut self, queue: QueueId, other: QueueId) -> Option<QueueId> {
        let target = self.model.target_of_merge(queue, other)?;
        self.model.send_to(queue, target);
        self.tell(|_| Decision::MergeScheduled { queue, target });
        Some(target)
    }
}

impl Model<Budget> {
    /// The processes of `queue` will move to `target`, and are referred to there from now on.
    fn send_to(&mut self, queue: QueueId, target: QueueId) {
        debug_assert_eq!(self.end_of_chain(target), target, "it moves on");
        debug_assert!(self.queues[queue].policy.merge.target.is_none(), "it moves already");
        let references = self.queues[queue].references.processes;
        self.queues[queue].policy.merge.target = Some(target);
        self.queues[target].references.processes += references;
    }

    /// The last queue of a chain of scheduled merges.
    pub(super) fn end_of_chain(&self, queue: QueueId) -> QueueId {
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
