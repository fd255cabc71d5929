// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a request that comes for a queue at rest looks like: does the queue deserve a raise (spec
//! 4.2)?

use super::soft_rt::asked;
use crate::{
    model::{clock::Clock, process::Processes, queue::Queue, request::NewRequest},
    policy::budget::state::Budget,
    quirks::Quirk,
    units::Ioprio,
};

/// What an arrival at a queue that is not busy looks like (spec 4.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Soon enough after the last completion to go on where the queue stopped.
    pub in_time: bool,
    /// Long enough without anything to do to be a fresh interaction.
    pub idle_for_long: bool,
    /// Its queue was created in a large burst, which it may be forgiven with this arrival.
    pub in_large_burst: bool,
    /// A user waits for it.
    pub interactive: bool,
    /// It keeps the pace of a player.
    pub soft_rt: bool,
    /// The raise of its queue may start, change or end.
    pub may_change_raise: bool,
}

impl Budget {
    /// Classifies a request that comes for a queue at rest.
    #[inline]
    pub(crate) fn classify_arrival(
        &self,
        processes: &Processes<Budget>,
        clock: &Clock,
        low_latency: bool,
        state: &mut Queue<Budget>,
        new: &NewRequest,
    ) -> Arrival {
        let asked = asked(clock, self.quirks, new);
        let (ticks, durations) = (clock.ticks, &self.durations);
        let notes_batch = low_latency && !self.quirks.has(Quirk::PausesAreTheSchedulers);
        let last_completion = state.history.last_completion;
        if notes_batch {
            state.policy.note_batch(ticks, durations, clock.coarse(last_completion));
        }
        debug_assert!(!state.policy.busy, "it is not at rest");
        let leaf = self.fair.entity(state.policy.entity);
        let idle_for_long = state.in_flight == 0
            && asked.is_more_than(durations.latency.min_idle, state.policy.slot.phase.last_busy());
        let in_large_burst = state.policy.burst.in_large_burst;
        let ordinary = !in_large_burst && leaf.requested_base_weight() == Ioprio::DEFAULT.weight();
        let interactive = ordinary && idle_for_long;
        let soft_rt = ordinary && state.keeps_pace(asked);
        let is_stably_merged = || {
            let at = |process| processes.at(process, state.actuator);
            new.process.is_some_and(|process| at(process).policy.stably_merged)
        };
        let one_process = || state.sync && (state.is_singly_owned() || is_stably_merged());
        let raised = state.policy.is_raised();
        let ends_raise = raised && in_large_burst;
        let deserves_raise = (interactive || soft_rt) && (raised || one_process());
        let may_change_raise = low_latency && (ends_raise || deserves_raise);
        let in_time = !clock.now.is_more_than(durations.in_time, last_completion);
        Arrival { in_time, idle_for_long, in_large_burst, interactive, soft_rt, may_change_raise }
    }
}
