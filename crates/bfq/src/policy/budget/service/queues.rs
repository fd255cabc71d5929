// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue leaves behind when it goes (spec 2.3).

use crate::{
    model::{Model, ids::QueueId},
    policy::budget::state::Budget,
};

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
        let state = &mut model.queues[queue];
        self.competition.unmark_pending(&mut model.groups, state);
        model.groups[state.group].policy.forget_created(queue);
        self.fair.remove_leaf(state.policy.entity);
    }
}
