// SPDX-License-Identifier: MIT OR Apache-2.0
//! Soft real-time: which queues keep the pace of a player (spec 4.5).
//!
//! A player asks for a frame, gets it, pauses, and asks for the next one; and in the long run it
//! gets no more than a film needs. So there are two conditions on when a batch of requests comes:
//!
//! * *pace*: not before the sectors of the one before would have taken at 7000 a second;
//! * *pause*: more than `slice_idle` and four ticks after the end of the one before.
//!
//! A greedy process, which asks for more as soon as it has what it asked for, may be kept so
//! short that it keeps the pace. It is the pause that tells it apart: whatever the disk, the
//! scheduler and the pool make it wait for, it makes none, provided that a pause is what the
//! process itself makes of it. So we take it from the last completion to the moment when the
//! process asks for more.
//!
//! In the reference, the scheduler makes pauses longer and shorter (docs/decisions.md, row 30):
//!
//! * They begin when a slot ends that leaves the queue nothing to wait for (or at the completion
//!   after it). For a queue that is served in the turns of others none begins: the one before it
//!   goes on. The up to 20 ms for which the disk is kept idle for a player are taken off its pause.
//! * They end when the request arrives. Waiting for a place in the pool is a pause, too.
//!
//! What comes for a queue in service goes on with its batch. So a player that asks for n sectors
//! every T and gets them within L is found if n / 7000 s < T and L < T - 12 ms. Once it is raised,
//! the disk is kept idle for it for 20 ms after each frame, and its raise goes on if L < T - 20 ms,
//! for one frame in 300 ms at least. With T up to 20 ms it never does, and must not: the disk would
//! be kept for that player for ever, and nobody else would get a turn.

use super::raise::{INTERACTIVE_COEFFICIENT, SOFT_RT_SECTORS_PER_S};
use crate::{
    model::{ids::QueueId, queue::Queue, request::NewRequest},
    policy::budget::{
        queue::BudgetQueue,
        state::{Budget, Durations, Scheduler},
    },
    quirks::Quirk,
    units::{Ticks, Time},
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// When the process asked for a request that has come, on the coarse clock. The reference takes
    /// it that it did so just now.
    pub(super) fn asked(&self, new: &NewRequest) -> Time {
        if self.policy.quirks.has(Quirk::PausesAreTheSchedulers) {
            self.clock.tick
        } else {
            self.clock.ticks.coarse(new.asked_at.min(self.clock.now))
        }
    }

    /// The end of a slot of a queue, where the reference sees the end of a batch, unless requests
    /// are in flight.
    pub(super) fn note_batch_end_as_reference(&mut self, queue: QueueId) {
        if !self.policy.quirks.has(Quirk::PausesAreTheSchedulers)
            || !self.model.queues[queue].is_empty()
        {
            return;
        }
        let (clock, durations) = (self.clock, &self.policy.durations);
        let state = &mut self.model.queues[queue];
        if state.in_flight == 0 {
            state.policy.note_batch(clock.ticks, durations, clock.tick);
        } else {
            state.policy.raise.soft_rt_update_pending = true;
        }
    }

    /// They are complete. The reference leaves interactively raised queues out (spec 3.17, step 6).
    pub(crate) fn note_completion_as_reference(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        if self.policy.quirks.has(Quirk::PausesAreTheSchedulers)
            && state.policy.raise.soft_rt_update_pending
            && state.is_empty()
            && state.policy.coefficient != INTERACTIVE_COEFFICIENT
        {
            let (clock, durations) = (self.clock, &self.policy.durations);
            self.model.queues[queue].policy.note_batch(clock.ticks, durations, clock.tick);
        }
    }

    /// A soft real-time queue shows itself totally seeky (spec 4.5).
    pub(crate) fn leave_soft_rt(&mut self, queue: QueueId) {
        let (tick, period) = (self.clock.tick, self.interactive_period());
        if self.model.queues[queue].policy.raise.is_interactive_over(tick, period) {
            self.end_raise(queue);
        } else {
            self.switch_back_to_interactive(queue);
        }
    }

    /// A soft real-time queue is not punished for the time it waited for the disk (spec 3.4).
    pub(crate) fn excuse_soft_rt_wait(&mut self, queue: QueueId) {
        let tick = self.clock.tick;
        let raised = self.is_raised(queue);
        let state = &mut self.model.queues[queue];
        let quiesce = state.policy.slot.phase.last_busy();
        let raise = &mut state.policy.raise;
        if raised && raise.is_soft_rt() && raise.stamp < tick && quiesce < tick {
            raise.stamp =
                if quiesce > raise.stamp { raise.stamp + tick.since(quiesce) } else { tick };
        }
    }
}

impl BudgetQueue {
    /// A batch of requests ended: when may the next one come, to look soft real-time? What earlier
    /// ones demand holds on.
    pub(super) fn note_batch(&mut self, ticks: Ticks, durations: &Durations, end: Time) {
        let sectors = self.backlog.service.amount();
        let paced_ticks = durations.ticks_per_s.saturating_mul(sectors) / SOFT_RT_SECTORS_PER_S;
        let paced = self.backlog.start + ticks.tick() * paced_ticks;
        let next_start = &mut self.raise.soft_rt_next_start;
        *next_start = (*next_start).max(paced).max(end + durations.player_pause);
    }
}

impl Queue<Budget> {
    /// Whether what was `asked` for now comes as the next frame of a player does.
    pub(super) fn keeps_pace(&self, asked: Time) -> bool {
        self.in_flight == 0
            && !self.history.seeks.is_totally_seeky()
            && self.policy.raise.soft_rt_next_start < asked
    }
}

#[cfg(test)]
#[path = "soft_rt_tests.rs"]
mod tests;
