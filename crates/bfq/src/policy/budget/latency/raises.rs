// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raises, seen from the device: who is looked at when (spec 4.4, 4.7, 4.9).

use super::raising::Raising;
use crate::{
    fair::Owner,
    model::ids::{GroupId, QueueId},
    policy::budget::state::Scheduler,
    quirks::Quirk,
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// What the raise of a queue hangs on, to change it.
    #[inline]
    pub(crate) fn raising(&mut self, queue: QueueId) -> Raising<'_, O> {
        Raising {
            queue,
            state: &mut self.model.queues[queue].policy,
            policy: &mut self.policy,
            clock: &self.clock,
            device: &self.device,
            observer: &mut self.observer,
        }
    }

    /// After a dispatch from the queue in service: does its raise go on (spec 4.4)?
    pub(crate) fn check_raise(&mut self, queue: QueueId) {
        self.raising(queue).go_on_or_end();
        let leaf = self.policy.leaf(&self.model.queues[queue]);
        if (leaf.weight() > leaf.base_weight()) != (leaf.coefficient() > 1) {
            let entity = self.model.queues[queue].policy.entity;
            let changed = self.policy.fair.apply_weight(entity);
            let forgotten = self.follow_up(changed);
            self.free_forgotten(forgotten);
        }
    }

    /// `low_latency` is turned off: all raises end (spec 4.9, mended).
    pub(crate) fn end_all_raises(&mut self) {
        if self.policy.quirks.has(Quirk::EndsSupposedRaises) {
            self.end_raises_as_reference();
            return;
        }
        let mut next = self.model.queues.next_key(None);
        while let Some(queue) = next {
            if self.model.queues[queue].policy.is_raised() {
                self.raising(queue).end();
            }
            next = self.model.queues.next_key(Some(queue));
        }
    }

    /// The reference ends a raise of every queue that is in a tree, raised or not, then of every
    /// async queue, and of the root group's once more; not of the one in service, which is in no
    /// tree (spec 10.2, row 6).
    fn end_raises_as_reference(&mut self) {
        let mut next = self.model.queues.next_key(None);
        while let Some(queue) = next {
            if self.policy.leaf(&self.model.queues[queue]).is_in_tree() {
                self.raising(queue).end_supposed();
            }
            next = self.model.queues.next_key(Some(queue));
        }
        let mut next = self.model.groups.next_key(None);
        while let Some(group) = next {
            self.end_raises_of_async_queues(group);
            next = self.model.groups.next_key(Some(group));
        }
        self.end_raises_of_async_queues(self.model.root);
    }

    fn end_raises_of_async_queues(&mut self, group: GroupId) {
        for at in 0..self.model.groups[group].async_queues().len() {
            if let Some(queue) = self.model.groups[group].async_queues()[at] {
                self.raising(queue).end_supposed();
            }
        }
    }
}

#[cfg(test)]
#[path = "raises_tests.rs"]
mod tests;
