// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue leaves behind when it goes, and who is looked at then (spec 2.3).

use crate::{
    fair::Service,
    model::ids::QueueId,
    policy::budget::state::Scheduler,
    quirks::Quirk,
    why::{Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// Nothing of a queue that is about to be freed is left.
    pub(crate) fn forget_queue(&mut self, queue: QueueId) {
        self.policy.burst.unlist(&mut self.model.queues, queue);
        self.model.queues.set_waker(queue, None);
        while let Some(woken) = self.model.queues[queue].policy.waking.woken.front() {
            self.model.queues.set_waker(woken, None);
        }
        if self.policy.last_completed == Some(queue) {
            self.policy.last_completed = None;
        }
        self.unmark_pending(queue);
        let state = &self.model.queues[queue];
        let (entity, group) = (state.policy.entity, state.group);
        let group = &mut self.model.groups[group].policy;
        if group.last_created == Some(queue) {
            group.last_created = None;
        }
        self.policy.fair.remove_leaf(entity);
    }

    /// The process of a queue has ended.
    pub(crate) fn end_of_process(&mut self, queue: QueueId) {
        if self.policy.slot.in_service == Some(queue) {
            let entity = self.model.queues[queue].policy.entity;
            let exists = self.end_slot(queue, Reason::BudgetTimeout);
            debug_assert!(exists, "its process still refers to it");
            if !self.policy.quirks.has(Quirk::ServiceOfEndedStays) {
                // Its service was accounted when it left the tree (spec 10.2, row 22).
                self.policy.fair.set_service(entity, Service::ZERO);
                self.policy.fair.clear_service_of_ancestors(entity);
            }
            self.want_kick();
        }
        self.drop_chain_references(queue);
        let group = self.model.queues[queue].group;
        let group = &mut self.model.groups[group].policy;
        if group.last_created == Some(queue) {
            group.last_created = None;
        }
        if queue != self.model.fallback {
            self.stop_serving(queue);
        }
    }
}
