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
//! be kept for that player for ever, and no other queue would get a turn.

use super::raise::{INTERACTIVE_COEFFICIENT, SOFT_RT_SECTORS_PER_S};
use crate::{
    model::{clock::Clock, queue::Queue, request::NewRequest},
    policy::budget::{
        queue::BudgetQueue,
        state::{Budget, Durations},
    },
    quirks::{Quirk, Quirks},
    units::{Ticks, Time},
};

/// When the process asked for a request that has come, on the coarse clock. The reference takes it
/// that it did so just now.
#[inline]
pub(super) fn asked(clock: &Clock, quirks: Quirks, new: &NewRequest) -> Time {
    if quirks.has(Quirk::PausesAreTheSchedulers) {
        clock.tick
    } else {
        clock.coarse(new.asked_at.min(clock.now))
    }
}

impl Budget {
    /// The end of a slot of a queue as raising sees it (spec 3.7, steps 3 and 4).
    #[inline]
    pub(crate) fn note_slot_end(&self, clock: &Clock, state: &mut Queue<Budget>, raised: bool) {
        if !raised {
            state.policy.raise.stamp = clock.tick;
        }
        if self.quirks.has(Quirk::PausesAreTheSchedulers) && state.is_empty() {
            // The reference sees the end of a batch, unless requests are in flight.
            if state.in_flight == 0 {
                state.policy.note_batch(clock.ticks, &self.durations, clock.tick);
            } else {
                state.policy.raise.soft_rt_update_pending = true;
            }
        }
    }

    /// They are complete. The reference leaves interactively raised queues out (spec 3.17, step 6).
    #[inline]
    pub(crate) fn note_drained(&self, clock: &Clock, state: &mut Queue<Budget>) {
        if self.quirks.has(Quirk::PausesAreTheSchedulers)
            && state.policy.raise.soft_rt_update_pending
            && state.is_empty()
            && state.policy.coefficient() != INTERACTIVE_COEFFICIENT
        {
            state.policy.note_batch(clock.ticks, &self.durations, clock.tick);
        }
    }
}

impl BudgetQueue {
    /// It is not punished for the time that it waited for the disk, if it is raised for being soft
    /// real-time (spec 3.4).
    #[inline]
    pub(crate) fn excuse_wait(&mut self, tick: Time) {
        let quiet = self.slot.phase.last_busy();
        let is_soft_rt_raised = self.is_soft_rt_raised();
        let stamp = &mut self.raise.stamp;
        if is_soft_rt_raised && *stamp < tick && quiet < tick {
            *stamp = if quiet > *stamp { *stamp + tick.since(quiet) } else { tick };
        }
    }

    /// A batch of requests ended: when may the next one come, to look soft real-time? What earlier
    /// ones demand holds on.
    pub(super) fn note_batch(&mut self, ticks: Ticks, durations: &Durations, end: Time) {
        // A queue that is never empty may be served for days: this stops at its bounds.
        let sectors = self.backlog.service.amount();
        let paced_ticks = durations.ticks_per_s.saturating_mul(sectors) / SOFT_RT_SECTORS_PER_S;
        let paced = self.backlog.start + ticks.tick() * paced_ticks;
        let next_start = &mut self.raise.soft_rt_next_start;
        *next_start = (*next_start).max(paced).max(end.plus(durations.player_pause));
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
