// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets: how much service a queue gets in a slot, learnt from how it used the last one (spec
//! 3.8, 3.10).

use super::{budgets, peak_rate};
use crate::{
    fair::Service,
    model::{ids::QueueId, queue::Queue, request::Requests},
    policy::budget::state::{Budget, Disk, Scheduler},
    quirks::Quirk,
    tunables::Tunables,
    units::Sectors,
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// Acts on what the estimator of the peak rate found.
    #[inline(never)]
    pub(crate) fn follow_rate(&mut self, event: peak_rate::RateEvent) {
        if event.updated && self.tunables.max_budget.is_none() {
            self.tune_max_budget();
        }
        let peak_rate::WindowStart { samples, sectors } = event.window;
        self.tell(|_| Decision::RateReset { samples, sectors });
    }

    /// Tunes the maximum budget (spec 3.10).
    pub(crate) fn tune_max_budget(&mut self) {
        self.policy.disk.tune_max_budget(&self.tunables);
        if self.tunables.max_budget.is_none() {
            self.tell(|s| Decision::MaxBudget { budget: s.policy.disk.budgets.max() });
        }
    }

    /// Computes the next budget of the queue whose slot ends (spec 3.8). `charge_is_guess`: its
    /// service says nothing about what it used.
    pub(crate) fn feed_back_budget(
        &mut self,
        queue: QueueId,
        reason: Reason,
        charge_is_guess: bool,
    ) {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot to learn from");
        self.tell(|s| s.policy.feedback(queue, &s.model.queues[queue]));
        let state = &mut self.model.queues[queue];
        let Some(budget) = self.policy.next_budget(state, reason, charge_is_guess) else { return };
        let is_measured = self.tunables.max_budget.is_none();
        self.policy.assign_budget(&self.model.requests, state, budget, is_measured);
        self.tell(|s| {
            let state = &s.model.queues[queue];
            let next = state.waiting.next;
            Decision::NextBudget {
                queue,
                next: next.map_or(Sectors::NONE, |next| s.model.requests[next].sectors()),
                budget: s.policy.leaf(state).budget(),
            }
        });
    }
}

impl Disk {
    /// Tunes the maximum budget to what the device delivers at its peak rate within the timeout,
    /// unless the user has set one.
    fn tune_max_budget(&mut self, tunables: &Tunables) {
        let sectors = match tunables.max_budget {
            Some(user) => user,
            None => self.peak_rate.rate().sectors_in(tunables.shown_timeout()).max(Sectors::of(1)),
        };
        self.budgets.set_max(budgets::charge(sectors, 1));
    }
}

impl Budget {
    /// What the next budget of a queue is computed from, to be told.
    fn feedback(&self, queue: QueueId, state: &Queue<Budget>) -> Decision {
        let leaf = self.leaf(state);
        let min = self.disk.budgets.min();
        let raised = state.policy.is_raised();
        Decision::Feedback {
            queue,
            budget: leaf.budget(),
            left: leaf.budget_left(),
            max_budget: if raised { min.times(2) } else { state.policy.slot.max_budget },
            min_budget: min,
            sync: state.sync,
            seeky: state.history.seeks.is_seeky(),
        }
    }

    /// The next budget of a queue whose slot ends; none: it keeps the one that it has.
    #[inline]
    fn next_budget(
        &self,
        state: &Queue<Budget>,
        reason: Reason,
        charge_is_guess: bool,
    ) -> Option<Service> {
        let budgets = &self.disk.budgets;
        if !state.sync {
            return Some(budgets.max());
        }
        if state.policy.is_raised() {
            return Some(budgets.min().times(2));
        }
        if reason == Reason::Preempted {
            return None;
        }
        let budget = state.policy.slot.max_budget;
        let ran_dry = reason == Reason::NoMoreRequests;
        let tells_nothing = ran_dry && charge_is_guess && self.competition.busy.raised() == 0;
        if tells_nothing && !self.quirks.has(Quirk::GuessIsFedBack) {
            // docs/decisions.md, "A charge that is a guess is no budget".
            return Some(budget);
        }
        let service = self.leaf(state).service();
        Some(budgets.feedback(budget, reason, state.in_flight, service))
    }

    /// A queue has this budget from now on, at most the largest one if that `is_measured`, and more
    /// if its next request needs more.
    #[inline]
    fn assign_budget(
        &mut self,
        requests: &Requests,
        state: &mut Queue<Budget>,
        budget: Service,
        is_measured: bool,
    ) {
        debug_assert!(self.slot.in_service.is_some(), "no slot ends");
        let capped = is_measured && self.disk.budgets.is_trusted();
        let budget = if capped { budget.min(self.disk.budgets.max()) } else { budget };
        state.policy.slot.max_budget = budget;
        if let Some(next) = state.waiting.next {
            let charge = self.charge(requests, state, next);
            self.fair.set_budget(state.policy.entity, budget.max(charge));
        }
    }
}
