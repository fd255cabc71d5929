// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue leaves behind when it goes, and who is looked at then (spec 2.3).

use crate::{
    fair::Service,
    model::{Model, ids::QueueId},
    policy::budget::state::{Budget, Scheduler},
    quirks::Quirk,
    why::{Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
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
        self.model.groups[group].policy.forget_created(queue);
        if queue != self.model.fallback {
            self.stop_serving(queue);
        }
    }
}

impl Budget {
    /// Nothing of a queue that is about to be freed is left.
    pub(crate) fn forget_queue(&mut self, model: &mut Model<Budget>, queue: QueueId) {
        let state = &model.queues[queue];
        debug_assert!(!state.policy.busy && state.in_flight == 0, "{queue:?} is needed");
        debug_assert!(state.policy.merge.position.is_none(), "{queue:?} is in a tree");
        debug_assert_ne!(self.slot.in_service, Some(queue), "{queue:?} has the device");
        self.burst.unlist(&mut model.queues, queue);
        model.queues.set_waker(queue, None);
        while let Some(woken) = model.queues[queue].policy.waking.woken.front() {
            model.queues.set_waker(woken, None);
        }
        self.last_completed = self.last_completed.filter(|&last| last != queue);
        self.competition.unmark_pending(model, queue);
        let state = &model.queues[queue];
        model.groups[state.group].policy.forget_created(queue);
        self.fair.remove_leaf(state.policy.entity);
    }
}
