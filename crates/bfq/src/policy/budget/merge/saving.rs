// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue knows is saved at a merge, for the split (spec 5.7).

use super::saved::SavedState;
use crate::{
    model::{Model, clock::Clock, device::Device, ids::QueueId, queue::Queue},
    policy::budget::{
        latency::raise::{Cause, INTERACTIVE_COEFFICIENT, Raise},
        state::Budget,
    },
    tunables::Tunables,
    units::Weight,
};

impl Budget {
    /// Saves what a queue knows for the process that owns it (spec 5.7).
    pub(super) fn save_state(
        &mut self,
        model: &mut Model<Budget>,
        clock: &Clock,
        device: &Device,
        tunables: &Tunables,
        queue: QueueId,
    ) {
        let state = &model.queues[queue];
        let Some(process) = state.owner else { return };
        let mut saved = state.known(self.leaf(state).base_weight());
        if state.policy.burst.just_created
            && !state.policy.burst.in_large_burst
            && tunables.low_latency
        {
            // It would have been raised had it not been merged so early.
            let period = self.interactive_period(clock, device);
            saved.coefficient = INTERACTIVE_COEFFICIENT;
            saved.raise.cause = Some(Cause::Interactive { period });
            saved.raise.stamp = clock.tick;
            saved.raise.interactive_origin = None;
        }
        let process = model.processes.at_mut(process, state.actuator);
        self.saved.keep(&mut process.policy.saved, saved);
    }
}

impl Queue<Budget> {
    /// What it knows, as its process keeps it.
    fn known(&self, base_weight: Weight) -> SavedState {
        SavedState {
            base_weight,
            short_think_time: self.policy.short_think_time,
            think_time: self.history.think_time,
            last_completion: self.history.last_completion,
            io_bound: self.history.io_bound,
            injection: self.policy.injection,
            in_large_burst: self.policy.burst.in_large_burst,
            was_in_burst_list: self.policy.burst.is_listed(),
            coefficient: self.policy.coefficient(),
            raise: self.policy.raise,
        }
    }

    /// It knows again what was saved, but for what its leaf does. The `reference` keeps the last
    /// completion among the statistics of the think time.
    pub(super) fn learn_again(&mut self, saved: &SavedState, reference: bool) {
        self.policy.short_think_time = saved.short_think_time;
        self.history.io_bound = saved.io_bound;
        self.history.think_time = saved.think_time;
        if reference {
            self.history.last_completion = saved.last_completion;
        }
        self.policy.injection = saved.injection;
        let before = self.policy.raise;
        self.policy.raise = Raise {
            soft_rt_update_pending: before.soft_rt_update_pending,
            soft_rt_next_start: before.soft_rt_next_start,
            ..saved.raise
        };
    }
}
