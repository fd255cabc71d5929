// SPDX-License-Identifier: MIT OR Apache-2.0
//! The process of a queue ends (spec 2.3).

use crate::{
    fair::Service,
    model::ids::QueueId,
    policy::budget::state::Scheduler,
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
