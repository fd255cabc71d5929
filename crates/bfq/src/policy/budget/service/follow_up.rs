// SPDX-License-Identifier: MIT OR Apache-2.0
//! What follows when an operation on the hierarchy has moved a queue: it is told, the counts that
//! the symmetry test reads are brought in line, and queues that nothing refers to any more go.

use crate::{
    fair::{EntityId, Finish, Hierarchy, One, Owner, Reweighed},
    policy::budget::state::Scheduler,
    why::{Decision, Observer},
};

impl<O: Observer> Owner for Scheduler<O> {
    type InService = One;

    #[inline(always)]
    fn hierarchy(&mut self) -> &mut Hierarchy {
        &mut self.policy.fair
    }

    #[inline(always)]
    fn wants_finishes(&self) -> bool {
        self.observer.is_watching()
    }

    fn finish_computed(&mut self, finish: Finish) {
        let queue = self.policy.queue_of(finish.entity);
        let Finish { start, finish, amount, weight, .. } = finish;
        let decision = Decision::Finish { queue, start, finish, amount, weight };
        self.observer.decided(self.clock.now, &decision);
    }

    /// The queue counts under its new weight, and, if it is counted as busy, in its new class.
    fn reweighed(&mut self, before: Reweighed) {
        let queue = self.policy.queue_of(before.leaf);
        let leaf = self.policy.fair.entity(before.leaf);
        let (weight, class) = (leaf.weight(), leaf.class());
        debug_assert!((weight, class) != (before.weight, before.class), "{queue:?} is as before");
        if weight != before.weight {
            let state = &mut self.model.queues[queue].policy;
            self.policy.competition.uncount_weight(state);
            self.policy.competition.count_weight(state, &self.policy.fair);
        }
        if class != before.class && self.model.queues[queue].policy.busy {
            self.policy.competition.busy.remove(before.class);
            self.policy.competition.busy.add(class);
        }
    }

    /// A queue that the trees remember no more goes, if nothing else refers to it.
    fn forgotten(&mut self, leaf: EntityId) {
        let queue = self.policy.queue_of(leaf);
        self.free_if_unreferenced(queue);
    }
}
