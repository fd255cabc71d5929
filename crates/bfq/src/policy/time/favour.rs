// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `strict=0` leaves to queues that are expected back: for a small part of the time a flash
//! disk may do less than it could, so that who waits for each read gets more than one between two
//! requests of others. That time is spent in one piece. If each read took some of it as soon as
//! there is enough, it would go to the reads that come between others anyway.

use super::time_budget::TimeBudget;
use crate::units::{Span, Time};

/// One part in this number of the time may be lost.
const PART_OF_TIME: u64 = 20;
/// So much is saved up for that, and then spent.
const SAVED: Span = Span::from_ms(10);

/// How long others may still be held back with `strict=0`.
#[derive(Debug)]
pub(super) struct Favour {
    budget: TimeBudget,
    /// What was saved is being spent.
    is_being_spent: bool,
    /// Since when something has been held back that the device had room for.
    since: Option<Time>,
}

impl Favour {
    /// Nothing is held back at `now`.
    pub const fn new(now: Time) -> Self {
        Favour {
            budget: TimeBudget::new(now, SAVED, PART_OF_TIME),
            is_being_spent: true,
            since: None,
        }
    }

    /// Whether something may be held back: from when all is saved until all is spent.
    pub fn has_time(&mut self, now: Time) -> bool {
        let least = if self.is_being_spent { Span::from_ns(1) } else { SAVED };
        self.is_being_spent = self.budget.has(now, least);
        self.is_being_spent
    }

    /// Something is held back that the device has room for.
    pub fn begin(&mut self, now: Time) {
        self.since.get_or_insert(now);
    }

    /// A request goes to the device, or nothing is held back any more.
    pub fn end(&mut self, now: Time) {
        if let Some(since) = self.since.take() {
            self.budget.spend_or_owe(now.since(since));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the waits are, and however often one of them is prolonged, which counts once.
    #[test]
    fn a_twentieth_of_the_time_may_be_lost() {
        for wait in [10, 100, 400, 5_000].map(Span::from_us) {
            let mut now = Time::ZERO;
            let (mut favour, mut lost) = (Favour::new(now), Span::ZERO);
            while now.since(Time::ZERO) < Span::from_s(10) {
                if favour.has_time(now) {
                    favour.begin(now);
                    favour.begin(now + wait / 2);
                    lost += wait;
                }
                now = now + wait;
                favour.end(now);
            }
            let bound = SAVED + now.since(Time::ZERO) / PART_OF_TIME;
            let (least, most) = (bound - SAVED - wait, bound + wait);
            assert!((least..=most).contains(&lost), "{lost:?} of {bound:?}, {wait:?} each");
        }
    }

    /// What was held back is withdrawn, so nothing is lost in the hour after that.
    #[test]
    fn what_is_withdrawn_is_held_back_no_more() {
        let mut favour = Favour::new(Time::ZERO);
        favour.begin(Time::ZERO);
        favour.end(Time::ZERO + Span::from_ms(1));
        let later = Time::ZERO + Span::from_s(3600);
        favour.end(later);
        assert!(favour.has_time(later));
    }
}
