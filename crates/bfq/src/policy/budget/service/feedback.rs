// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets: how much service a queue gets in a slot, learnt from how it used the last one (spec
//! 3.8, 3.10).

use super::budgets;
use crate::{
    model::ids::QueueId,
    policy::budget::state::Scheduler,
    quirks::Quirk,
    units::Sectors,
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// Tunes the maximum budget to what the device delivers at its peak rate within the timeout
    /// (spec 3.10), unless the user has set one.
    pub(crate) fn tune_max_budget(&mut self) {
        if let Some(user) = self.tunables.max_budget {
            self.policy.disk.budgets.set_max(budgets::charge(user, 1));
            return;
        }
        let sectors = self.policy.disk.peak_rate.rate().sectors_in(self.tunables.timeout);
        self.policy.disk.budgets.set_max(budgets::charge(sectors.max(Sectors::of(1)), 1));
        self.tell(|s| Decision::MaxBudget { budget: s.policy.disk.budgets.max() });
    }

    /// Computes the next budget of the queue whose slot ends (spec 3.8). `charge_is_guess`: its
    /// service says nothing about what it used.
    pub(crate) fn feed_back_budget(
        &mut self,
        queue: QueueId,
        reason: Reason,
        charge_is_guess: bool,
    ) {
        let min = self.policy.disk.budgets.min();
        let raised = self.is_raised(queue);
        let sync = self.model.queues[queue].sync;
        self.tell(|s| Decision::Feedback {
            queue,
            budget: s.leaf(queue).budget(),
            left: s.leaf(queue).budget_left(),
            max_budget: if raised {
                min.times(2)
            } else {
                s.model.queues[queue].policy.slot.max_budget
            },
            min_budget: min,
            sync,
            seeky: s.model.queues[queue].history.seeks.is_seeky(),
        });
        let budget = if !sync {
            self.policy.disk.budgets.max()
        } else if raised {
            min.times(2)
        } else if reason == Reason::Preempted {
            return;
        } else {
            let service = self.leaf(queue).service();
            let state = &self.model.queues[queue];
            let ran_dry = reason == Reason::NoMoreRequests;
            let tells_nothing =
                ran_dry && charge_is_guess && self.policy.competition.busy.raised() == 0;
            if tells_nothing && !self.policy.quirks.has(Quirk::GuessIsFedBack) {
                // docs/decisions.md, "A charge that is a guess is no budget".
                state.policy.slot.max_budget
            } else {
                self.policy.disk.budgets.feedback(
                    state.policy.slot.max_budget,
                    reason,
                    state.in_flight,
                    service,
                )
            }
        };
        let capped = self.policy.disk.budgets.is_trusted() && self.tunables.max_budget.is_none();
        let budget = if capped { budget.min(self.policy.disk.budgets.max()) } else { budget };
        self.model.queues[queue].policy.slot.max_budget = budget;
        let next = self.model.queues[queue].waiting.next;
        if let Some(next) = next {
            let state = &self.model.queues[queue];
            let charge = self.policy.charge(&self.model.requests, state, next);
            self.policy.fair.set_budget(state.policy.entity, budget.max(charge));
        }
        self.tell(|s| Decision::NextBudget {
            queue,
            next: next.map_or(Sectors::NONE, |next| s.model.requests[next].sectors()),
            budget: s.leaf(queue).budget(),
        });
    }
}
