// SPDX-License-Identifier: MIT OR Apache-2.0
//! What visits in the slots of others may take of the time of a disk with moving parts, and whether
//! it is of use that the disk reads ahead after one.

use crate::units::{Span, Time};

/// Whether a queue gains by it that the disk reads ahead after its visits.
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// The disk did: the next visit tells.
    is_tried: bool,
    /// So many visits pass before it is tried again.
    skipped: u8,
    /// So many will, if it is no use the next time.
    skips_next: u8,
}

/// No more visits pass before reading ahead is tried again.
const MOST_SKIPPED: u8 = 64;

impl ReadAhead {
    /// It is tried at the first visit.
    pub const fn new() -> Self {
        ReadAhead { is_tried: false, skipped: 0, skips_next: 1 }
    }

    /// A visit is over, and the head moved for it or did not. Returns whether the disk is to read
    /// ahead now.
    pub fn judge(&mut self, moved: bool) -> bool {
        let was_tried = core::mem::take(&mut self.is_tried);
        if !moved {
            self.skips_next = 1;
            return false;
        }
        if was_tried {
            self.skipped = self.skips_next;
            self.skips_next = (2 * self.skips_next).min(MOST_SKIPPED);
        }
        self.is_tried = self.skipped == 0;
        self.skipped = self.skipped.saturating_sub(1);
        self.is_tried
    }
}

/// All visits may take so much at once.
const MOST_VISITS: Span = Span::from_ms(100);
/// And of the time that passes, one part in so many: each takes the head there and back, so they
/// cost throughput.
const PART_OF_TIME: u64 = 4;

/// The time that all guests together may still take.
#[derive(Debug)]
pub(super) struct VisitBudget {
    left: Span,
    counted: Time,
}

impl VisitBudget {
    /// A full one.
    pub const fn new(now: Time) -> Self {
        VisitBudget { left: MOST_VISITS, counted: now }
    }

    /// Whether there is time left for another visit, which may take more than that.
    pub fn are_left(&mut self, now: Time) -> bool {
        let more = now.since(self.counted) / PART_OF_TIME;
        // What is less than a nanosecond is counted the next time.
        self.counted = self.counted + more * PART_OF_TIME;
        self.left = (self.left + more).min(MOST_VISITS);
        self.left > Span::ZERO
    }

    /// A visit took so much.
    pub fn take(&mut self, taken: Span) {
        self.left = self.left - taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn visits_take_a_quarter_of_the_time() {
        let at = |ms: u64| Time::from_ns(ms * 1_000_000);
        let mut budget = VisitBudget::new(at(0));
        budget.take(MOST_VISITS - Span::from_ns(1));
        assert!(budget.are_left(at(0)));
        budget.take(Span::from_ms(20));
        assert!(!budget.are_left(at(0)), "nothing is owed");
        assert!(budget.are_left(at(1)));
        budget.take(Span::from_us(250));
        assert!(!budget.are_left(at(1)));
        // It fills up, and no further.
        assert!(budget.are_left(at(10_000)));
        budget.take(MOST_VISITS);
        assert!(!budget.are_left(at(10_000)));
    }

    #[test]
    fn what_is_no_use_is_tried_more_and_more_rarely() {
        let mut ahead = ReadAhead::new();
        let tried: Vec<_> = (0..20).filter(|_| ahead.judge(true)).collect();
        assert_eq!(tried, [0, 2, 5, 10, 19]);
        // It is of use once, and is tried at each way from then on, until it is not.
        while !ahead.judge(true) {}
        assert!(!ahead.judge(false));
        assert!(ahead.judge(true));
        assert!(!ahead.judge(false));
        assert!(ahead.judge(true));
        assert!(!ahead.judge(true));
        assert!(ahead.judge(true));
    }
}
