// SPDX-License-Identifier: MIT OR Apache-2.0
//! What visits in the slots of others take of the time of a disk with moving parts, and may take.

use crate::units::{Span, Time};

/// The most that all visits together may take at once.
const MOST_VISITS: Span = Span::from_ms(100);
/// They may take one part of this many of the time that passes: each takes the head there and back,
/// so they cost throughput.
const PART_OF_TIME: u64 = 4;

/// The visits of a queue since it came back after a pause.
#[derive(Debug)]
pub(super) struct Visits {
    /// What it was charged for them.
    pub charged: Span,
    /// It had nothing in the device, either, when it came back.
    pub rested: bool,
}

impl Visits {
    /// Those of one that comes back now.
    pub const fn new(rested: bool) -> Self {
        Visits { charged: Span::ZERO, rested }
    }
}

/// The time that all visitors together may still take.
#[derive(Debug)]
pub(super) struct VisitBudget {
    left: Span,
    counted: Time,
}

impl VisitBudget {
    /// A budget with all of [`MOST_VISITS`] left at `now`.
    pub const fn new(now: Time) -> Self {
        VisitBudget { left: MOST_VISITS, counted: now }
    }

    /// Whether there is time left for another visit, which may take more than that.
    pub fn has_time(&mut self, now: Time) -> bool {
        debug_assert!(now >= self.counted && self.left <= MOST_VISITS, "{self:?} at {now:?}");
        let more = now.since(self.counted) / PART_OF_TIME;
        // What is less than a nanosecond is counted the next time.
        self.counted = self.counted + more.times(PART_OF_TIME);
        self.left = (self.left + more).min(MOST_VISITS);
        self.left > Span::ZERO
    }

    /// A visit took `taken`.
    pub fn take(&mut self, taken: Span) {
        self.left = self.left - taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_take_a_quarter_of_the_time() {
        let at = |ms: u64| Time::from_ns(ms * 1_000_000);
        let mut budget = VisitBudget::new(at(0));
        budget.take(MOST_VISITS - Span::from_ns(1));
        assert!(budget.has_time(at(0)));
        budget.take(Span::from_ms(20));
        assert!(!budget.has_time(at(0)), "nothing is owed");
        assert!(budget.has_time(at(1)));
        budget.take(Span::from_us(250));
        assert!(!budget.has_time(at(1)));
        // It fills up, and no further.
        assert!(budget.has_time(at(10_000)));
        budget.take(MOST_VISITS);
        assert!(!budget.has_time(at(10_000)));
    }
}
