//! Budgets: how much service a queue gets in a slot, learnt from how it used the last one (spec
//! 3.8, 3.10).

use super::peak_rate::FRACTION_BITS;
use crate::{
    model::queue::QueueId,
    policy::budget::Scheduler,
    quirks::Quirk,
    units::NS_PER_MS,
    why::{Decision, Observer, Reason},
};

/// The largest budget before anything was measured.
const DEFAULT_MAX_SECTORS: i32 = 16384;
/// The least budget is this part of the largest.
const MIN_PART: i32 = 32;
/// The measured maximum counts once the average of assigned budgets exceeds this: from the 11th
/// slot on.
const TRUSTED_AVERAGE: u32 = 194;

/// The device-wide part of budgets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budgets {
    max_sectors: i32,
    /// Smoothed number of budgets assigned, times 256.
    assigned_average: u32,
}

impl Budgets {
    pub const fn new() -> Self {
        Budgets { max_sectors: DEFAULT_MAX_SECTORS, assigned_average: 0 }
    }

    /// The largest budget of the device, in sectors.
    pub fn max(&self) -> i32 {
        self.max_sectors
    }

    /// Counts a budget assigned.
    pub fn on_assignment(&mut self) {
        self.assigned_average = (7 * self.assigned_average + 256) / 8;
    }

    fn is_trusted(&self) -> bool {
        self.assigned_average >= TRUSTED_AVERAGE
    }

    fn base(&self) -> i32 {
        if self.is_trusted() { self.max_sectors } else { DEFAULT_MAX_SECTORS }
    }

    /// The least budget.
    pub fn min(&self) -> i32 {
        self.base() / MIN_PART
    }

    /// The first budget of a queue.
    pub fn initial(&self) -> i32 {
        // 2·base fits: base is at most 2³¹−1 as a user value, and is doubled in 64 bits.
        (2 * i64::from(self.base()) / 3) as i32
    }

    /// `budget` times `factor`, at most the largest.
    fn grown(&self, budget: i32, factor: i32) -> i32 {
        budget.saturating_mul(factor).min(self.max_sectors)
    }

    /// The next budget of a sync queue that is not raised.
    fn feedback(&self, budget: i32, reason: Reason, in_flight: u32, service: i32) -> i32 {
        let min = self.min();
        match reason {
            Reason::TooIdle if in_flight > 0 => self.grown(budget, 2),
            Reason::TooIdle if budget > min.saturating_mul(5) => budget - 4 * min,
            Reason::TooIdle => min,
            Reason::BudgetTimeout => self.grown(budget, 2),
            Reason::BudgetExhausted => self.grown(budget, 4),
            Reason::NoMoreRequests => service.max(min),
            Reason::Preempted => budget,
        }
    }
}

impl<O: Observer> Scheduler<O> {
    /// Tunes the maximum budget to what the device delivers at its peak rate within the timeout
    /// (spec 3.10), unless the user has set one.
    pub(crate) fn tune_max_budget(&mut self) {
        let user = self.tunables.max_budget_sectors;
        if user > 0 {
            self.policy.disk.budgets.max_sectors = user;
            return;
        }
        let timeout_ms = self.tunables.timeout_ns / NS_PER_MS;
        let rate = u64::from(self.policy.disk.peak_rate.rate());
        let sectors = rate.saturating_mul(1000).saturating_mul(timeout_ms) >> FRACTION_BITS;
        self.policy.disk.budgets.max_sectors = sectors.clamp(1, i32::MAX as u64) as i32;
        self.tell(|s| Decision::MaxBudget { sectors: s.policy.disk.budgets.max_sectors });
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
                min.saturating_mul(2)
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
            min.saturating_mul(2)
        } else if reason == Reason::Preempted {
            return;
        } else {
            let service = self.leaf(queue).service();
            let state = &self.model.queues[queue];
            let ran_dry = reason == Reason::NoMoreRequests;
            let tells_nothing =
                ran_dry && charge_is_guess && self.policy.competition.busy.raised == 0;
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
        let capped = self.policy.disk.budgets.is_trusted() && self.tunables.max_budget_sectors == 0;
        let budget = if capped { budget.min(self.policy.disk.budgets.max()) } else { budget };
        self.model.queues[queue].policy.slot.max_budget = budget;
        let next = self.model.queues[queue].waiting.next;
        if let Some(next) = next {
            let charge = self.charge(queue, next);
            let entity = self.model.queues[queue].policy.entity;
            self.policy.fair.set_budget(entity, budget.max(charge));
        }
        self.tell(|s| Decision::NextBudget {
            queue,
            next_sectors: next.map_or(0, |next| s.model.requests[next].what.sectors),
            budget: s.leaf(queue).budget(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_average_is_trusted_from_the_eleventh_slot() {
        let mut budgets = Budgets::new();
        let averages: Vec<u32> = (0..11)
            .map(|_| {
                assert!(!budgets.is_trusted());
                budgets.on_assignment();
                budgets.assigned_average
            })
            .collect();
        assert_eq!(averages, [32, 60, 84, 105, 123, 139, 153, 165, 176, 186, 194]);
        assert!(budgets.is_trusted());
    }

    #[test]
    fn a_budget_follows_its_use() {
        let budgets = Budgets::new();
        assert_eq!((budgets.min(), budgets.initial()), (512, 10922));
        for (budget, reason, in_flight, service, expected) in [
            (10922, Reason::BudgetExhausted, 0, 0, 16384),
            (1000, Reason::BudgetExhausted, 0, 0, 4000),
            (1000, Reason::BudgetTimeout, 0, 0, 2000),
            (16000, Reason::BudgetTimeout, 0, 0, 16384),
            (1000, Reason::TooIdle, 1, 0, 2000),
            (2561, Reason::TooIdle, 0, 0, 513),
            (2560, Reason::TooIdle, 0, 0, 512),
            (16384, Reason::NoMoreRequests, 0, 700, 700),
            (16384, Reason::NoMoreRequests, 0, 8, 512),
            (777, Reason::Preempted, 0, 8, 777),
        ] {
            let next = budgets.feedback(budget, reason, in_flight, service);
            assert_eq!(next, expected, "{budget} {reason:?}");
        }
    }
}
