// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Budget Fair Queueing counts.

use crate::why::{InjectionRule, Reason};

/// A thing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is documented in STATISTICS")]
pub(crate) enum Counter {
    SlotsTooIdle,
    SlotsTimedOut,
    SlotsExhausted,
    SlotsEmptied,
    SlotsPreempted,
    SlowSlots,
    Idlings,
    InjectedOwnAsync,
    InjectedWaker,
    InjectedWoken,
    InjectedLimit,
    InjectedActuator,
    InteractiveRaises,
    SoftRtRaises,
    AsyncRaises,
    LargeBurstQueues,
    Merges,
    Splits,
}

/// How many counters there are: one for each variant of [`Counter`].
pub(super) const COUNTERS: usize = Counter::Splits as usize + 1;

impl Counter {
    /// Slots that ended for a reason.
    pub const fn of_reason(reason: Reason) -> Counter {
        match reason {
            Reason::TooIdle => Counter::SlotsTooIdle,
            Reason::BudgetTimeout => Counter::SlotsTimedOut,
            Reason::BudgetExhausted => Counter::SlotsExhausted,
            Reason::NoMoreRequests => Counter::SlotsEmptied,
            Reason::Preempted => Counter::SlotsPreempted,
        }
    }

    /// Requests injected by a rule.
    pub const fn of_injection(rule: InjectionRule) -> Counter {
        match rule {
            InjectionRule::OwnAsync => Counter::InjectedOwnAsync,
            InjectionRule::Waker => Counter::InjectedWaker,
            InjectionRule::Woken => Counter::InjectedWoken,
            InjectionRule::Limit => Counter::InjectedLimit,
            InjectionRule::Actuator => Counter::InjectedActuator,
        }
    }
}

/// How often each counted event has happened since the scheduler was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters([u64; COUNTERS]);

impl Counters {
    pub const fn new() -> Self {
        Counters([0; COUNTERS])
    }

    pub fn count(&mut self, counter: Counter) {
        self.0[counter as usize] += 1;
    }

    /// How often it was counted.
    pub fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}
