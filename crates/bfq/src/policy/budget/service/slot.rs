// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slot of a queue: how it begins, when its time is up, and when the disk is kept idle in it
//! (spec 3.3, 3.4).

use crate::{
    model::{clock::Clock, queue::Queue},
    policy::budget::{
        queue::{BudgetQueue, Phase},
        state::{Budget, Slot},
    },
    quirks::Quirk,
    units::{LastEnd, Span, Time},
};

impl Budget {
    /// The slot of a queue begins (spec 3.4); `timeout` is the time that it has at its base weight.
    #[inline]
    pub(super) fn begin_slot(&mut self, clock: &Clock, timeout: Span, state: &mut BudgetQueue) {
        debug_assert!(state.busy, "it has nothing to be served");
        debug_assert!(self.slot.idle_timer.is_none(), "the idle timer runs for another queue");
        state.excuse_wait(clock.tick);
        let leaf = self.fair.entity(state.entity);
        let factor = if !self.may_be_long(state) || state.raise.is_soft_rt() {
            1
        } else {
            u64::from(leaf.weight().over(leaf.base_weight()))
        };
        state.slot.fifo_checked = false;
        state.slot.phase = Phase::Slot { deadline: clock.tick + timeout * factor };
        self.disk.budgets.on_assignment();
        self.slot.start = clock.now;
        self.slot.last_position = LastEnd::NONE;
    }

    /// Whether the slot of a queue may last for more than one timeout. A queue that lost its raise
    /// while it waited, by a merge, has its weight until it is served: in the reference that alone
    /// counts (docs/decisions.md, "A queue that lost its raise").
    #[inline]
    fn may_be_long(&self, state: &BudgetQueue) -> bool {
        state.is_raised() || self.quirks.has(Quirk::LostRaisesLengthenSlots)
    }

    /// Whether the timeout is to be acted upon: not while waiting for a request with little of
    /// the budget used.
    #[inline]
    pub(super) fn may_time_out(&self, clock: &Clock, state: &Queue<Budget>) -> bool {
        state.policy.has_timed_out(clock.tick) && {
            let leaf = self.leaf(state);
            !state.policy.slot.waits_for_request || leaf.budget_left() >= leaf.budget().over(3)
        }
    }
}

impl BudgetQueue {
    /// Whether the time of the slot is up, if the queue is in service.
    #[inline]
    pub(super) fn has_timed_out(&self, tick: Time) -> bool {
        self.slot.phase.last_busy() <= tick
    }
}

impl Slot {
    /// The queue in service, which is this one, is waited for no more.
    #[inline]
    pub(super) fn stop_waiting(&mut self, state: &mut BudgetQueue) {
        debug_assert!(self.in_service.is_some(), "no queue is waited for");
        debug_assert_eq!(self.idle_timer.is_some(), state.slot.waits_for_request);
        self.idle_timer = None;
        state.slot.waits_for_request = false;
    }
}

#[cfg(test)]
#[path = "slot_tests.rs"]
mod tests;
