// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue becomes busy or stops being it: it enters the trees or leaves them, and counts among its
//! competitors or not (spec 1.16, 3.15 step 6).

use crate::{
    fair::{EntityId, Forgotten, Owner},
    model::ids::QueueId,
    policy::budget::state::Scheduler,
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// A queue, whose leaf this is, becomes busy: it enters the trees. `continues`: see spec 1.6.
    #[inline]
    pub(super) fn make_busy(&mut self, queue: QueueId, entity: EntityId, continues: bool) {
        debug_assert!(!self.model.queues[queue].policy.busy, "{queue:?} is busy");
        self.tell(|_| Decision::Busy { queue });
        let changed = self.policy.fair.activate(entity, continues, self.clock.tick);
        let forgotten = self.follow_up(changed);
        let state = &mut self.model.queues[queue];
        state.policy.busy = true;
        let class = self.policy.fair.entity(entity).class();
        self.policy.competition.busy.add(class);
        if state.policy.is_raised() {
            self.policy.competition.busy.change_raised(1);
        }
        if state.in_flight == 0 {
            self.policy.start_counting(&mut self.model.groups, state);
        }
        if let Some(waker) = state.policy.waking.waker {
            self.model.queues.set_waker(queue, Some(waker));
        }
        self.free_forgotten(forgotten);
        debug_assert!(self.policy.fair.is_active(entity), "{queue:?} is in no tree");
    }

    /// A queue stops being busy; `how` it leaves the trees.
    // Inlined: a dispatch that takes the last request of a queue has just looked the queue up.
    #[inline(always)]
    pub(crate) fn make_idle(&mut self, queue: QueueId, how: Leaving) -> Forgotten {
        self.tell(|_| Decision::Idle { queue });
        if self.model.detailed.on {
            self.note_dequeue(queue);
        }
        let state = &mut self.model.queues[queue];
        debug_assert!(state.policy.busy && state.is_empty(), "{queue:?} has to be served");
        let state = &mut state.policy;
        state.busy = false;
        let entity = state.entity;
        let class = self.policy.fair.entity(entity).class();
        self.policy.competition.busy.remove(class);
        if state.is_raised() {
            self.policy.competition.busy.change_raised(-1);
        }
        let changed = match how {
            Leaving::Expired => self.policy.fair.deactivate_expired(entity, self.clock.tick),
            Leaving::Emptied => self.policy.fair.deactivate(entity, true, self.clock.tick),
        };
        let forgotten = self.follow_up(changed);
        let state = &mut self.model.queues[queue];
        if state.in_flight == 0 {
            self.policy.stop_counting(&mut self.model.groups, state);
        }
        debug_assert!(!self.policy.fair.is_active(entity), "{queue:?} is in a tree still");
        forgotten
    }
}

/// How a queue leaves the trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// Its slot ended while it had no request waiting.
    Expired,
    /// It lost its last request while it was not in service.
    Emptied,
}
