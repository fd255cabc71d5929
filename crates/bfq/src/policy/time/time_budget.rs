// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of the time that passes, which may be spent on something, or saved up to a bound.

use crate::units::{Span, Time};

/// Time that may still be spent.
#[derive(Debug)]
pub(super) struct TimeBudget {
    left: Span,
    /// Until when the time that passes has been added; later than now while something is owed.
    counted: Time,
    /// The most that may be saved.
    most: Span,
    /// One part in this number of the time that passes is added.
    part_of_time: u64,
}

impl TimeBudget {
    /// A budget with all of `most` left at `now`, to which one part in `part_of_time` of the time
    /// that passes is added.
    ///
    /// # Panics
    /// If `part_of_time` is 0.
    pub const fn new(now: Time, most: Span, part_of_time: u64) -> Self {
        assert!(part_of_time > 0, "a part of the time");
        TimeBudget { left: most, counted: now, most, part_of_time }
    }

    /// Whether `least` may be spent now.
    pub fn has(&mut self, now: Time, least: Span) -> bool {
        debug_assert!(self.left <= self.most, "{self:?}");
        let more = now.since(self.counted) / self.part_of_time;
        // What is less than a nanosecond is counted the next time.
        self.counted = self.counted + more.times(self.part_of_time);
        self.left = self.left.plus(more).min(self.most);
        self.left >= least
    }

    /// From when on `least` may be spent, if nothing else is.
    pub fn has_from(&self, least: Span) -> Time {
        self.counted + (least - self.left) * self.part_of_time
    }

    /// So much was spent. What is more than was left is not owed.
    pub fn spend(&mut self, spent: Span) {
        self.left = self.left - spent;
    }

    /// So much was spent. What is more than was left is taken from the time to come.
    pub fn spend_or_owe(&mut self, spent: Span) {
        let owed = spent - self.left;
        self.left = self.left - spent;
        self.counted = self.counted + owed * self.part_of_time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_time_may_be_spent() {
        const NS: Span = Span::from_ns(1);
        let most = Span::from_ms(100);
        let at = |ms: u64| Time::from_ns(ms * 1_000_000);
        let mut budget = TimeBudget::new(at(0), most, 4);
        assert!(budget.has(at(0), most));
        budget.spend(most - NS);
        assert!(budget.has(at(0), NS));
        budget.spend(Span::from_ms(20));
        assert!(!budget.has(at(0), NS), "nothing is owed");
        assert!(budget.has(at(1), Span::from_us(250)));
        budget.spend(Span::from_us(250));
        assert!(!budget.has(at(1), NS));
        // Now 20 ms are owed, which pass in four times as long.
        budget.spend_or_owe(Span::from_ms(20));
        assert!(!budget.has(at(81), NS));
        assert!(budget.has(at(85), Span::from_ms(1)));
        assert_eq!(budget.has_from(Span::from_ms(2)), at(89));
        // It fills up, and no further.
        assert!(budget.has(at(10_000), most));
        budget.spend(most);
        assert!(!budget.has(at(10_000), NS));
    }
}
