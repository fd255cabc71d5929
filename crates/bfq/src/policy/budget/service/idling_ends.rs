// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk is kept idle no more: a request has come, or the idle timer has run out (spec 3.13,
//! 3.14).

use crate::{
    model::ids::QueueId,
    policy::budget::state::Scheduler,
    why::{Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// The disk is kept idle no more for the queue in service, which has got a request.
    #[inline]
    pub(super) fn end_idling(&mut self, queue: QueueId) {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it is not waited for");
        self.policy.slot.stop_waiting(&mut self.model.queues[queue].policy);
        if self.model.detailed.on {
            self.note_idling_ends(queue, self.policy.slot.idling_since);
        }
    }

    /// No request came while the disk was kept idle.
    pub(crate) fn idled_for_long(&mut self) {
        let Some(queue) = self.policy.slot.in_service else {
            debug_assert!(
                self.policy.slot.idle_timer.is_none(),
                "the idle timer runs for no queue"
            );
            return;
        };
        let state = &mut self.model.queues[queue];
        debug_assert!(state.policy.slot.waits_for_request, "the timer ran");
        self.policy.slot.stop_waiting(&mut state.policy);
        let timed_out = state.policy.has_timed_out(self.clock.tick);
        let empty = state.is_empty();
        let since = Some(self.policy.slot.idling_since);
        if timed_out {
            self.expire(queue, Reason::BudgetTimeout, since);
        } else if empty {
            self.expire(queue, Reason::TooIdle, since);
        }
        self.want_kick();
    }
}
