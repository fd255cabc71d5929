// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device-wide part of budgets: how large they may be, and how the next one follows from the
//! last (spec 3.8).

use crate::{fair::Service, units::Sectors, why::Reason};

/// The largest budget before anything was measured.
const DEFAULT_MAX: Service = charge(Sectors::of(16384), 1);
/// No budget or charge is larger: the reference counts in 32 bits.
const MOST: u64 = i32::MAX as u64;
/// The least budget is this part of the largest.
const MIN_PART: i64 = 32;
/// The measured maximum counts once the average of assigned budgets exceeds this: from the 11th
/// slot on.
const TRUSTED_AVERAGE: u32 = 194;

/// The service that sectors are, each counted `factor` times: this policy shares sectors.
#[inline]
pub(crate) const fn charge(sectors: Sectors, factor: u64) -> Service {
    // A request has less than 2³² sectors, a budget less than 2⁴⁸, so the product fits.
    let charged = sectors.count() * factor;
    Service::of(if charged > MOST { MOST } else { charged })
}

/// The device-wide part of budgets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budgets {
    max: Service,
    /// Smoothed number of budgets assigned, times 256.
    assigned_average: u32,
}

impl Budgets {
    pub const fn new() -> Self {
        Budgets { max: DEFAULT_MAX, assigned_average: 0 }
    }

    /// The largest budget of the device, in sectors.
    pub fn max(&self) -> Service {
        self.max
    }

    /// Sets the largest budget of the device, in sectors; at least 1.
    pub fn set_max(&mut self, max: Service) {
        debug_assert!(max > Service::ZERO, "a budget of {max} sectors");
        self.max = max;
    }

    /// Counts a budget assigned.
    pub fn on_assignment(&mut self) {
        self.assigned_average = (7 * self.assigned_average + 256) / 8;
        debug_assert!(self.assigned_average < 256, "an average of more than one");
    }

    /// Whether the largest budget counts: it was measured, and slots have shown what is used.
    pub fn is_trusted(&self) -> bool {
        self.assigned_average >= TRUSTED_AVERAGE
    }

    fn base(&self) -> Service {
        if self.is_trusted() { self.max } else { DEFAULT_MAX }
    }

    /// The least budget a queue gets, in sectors: a fixed part of the largest one.
    pub fn min(&self) -> Service {
        self.base().over(MIN_PART)
    }

    /// The first budget of a queue.
    pub fn initial(&self) -> Service {
        self.base().times(2).over(3)
    }

    /// `budget` times `factor`, at most the largest.
    fn grown(&self, budget: Service, factor: u32) -> Service {
        budget.times(factor).min(self.max)
    }

    /// The next budget of a sync queue that is not raised.
    pub fn feedback(
        &self,
        budget: Service,
        reason: Reason,
        in_flight: u32,
        service: Service,
    ) -> Service {
        debug_assert!(budget >= Service::ZERO && service >= Service::ZERO);
        let min = self.min();
        match reason {
            Reason::TooIdle if in_flight > 0 => self.grown(budget, 2),
            Reason::TooIdle if budget > min.times(5) => budget - min.times(4),
            Reason::TooIdle => min,
            Reason::BudgetTimeout => self.grown(budget, 2),
            Reason::BudgetExhausted => self.grown(budget, 4),
            Reason::NoMoreRequests => service.max(min),
            Reason::Preempted => budget,
        }
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
        assert_eq!((budgets.min(), budgets.initial()), (Service::of(512), Service::of(10922)));
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
            let [budget, service, expected] = [budget, service, expected].map(Service::of);
            let next = budgets.feedback(budget, reason, in_flight, service);
            assert_eq!(next, expected, "{budget} {reason:?}");
        }
    }
}
