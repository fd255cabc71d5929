// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of the members of a level that are of one class: their virtual time, and a count by
//! which a member that was away for long is known.
//!
//! Virtual time wraps, and its order ends where two times are 2⁶³ apart (`virtual_time.rs`). A
//! member that is idle keeps its time, and its level may go on by that much meanwhile: in 39 hours
//! of service at weight 1, in 65 days of a single queue. The time of such a member would seem to be
//! one to come, for which it would have to wait as long. So the clock counts the quarters of the
//! wrap that it has come through. A member that was last active two or more quarters ago was away
//! for more than one quarter, 2⁶²; for any other its level has gone on by less than 2⁶³, so the
//! order holds.

use super::virtual_time::{VirtualSpan, VirtualTime};

/// The virtual time of a class of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelClock {
    now: VirtualTime,
    quarters: u32,
}

impl LevelClock {
    /// That of a level to which no member has come yet.
    pub const START: LevelClock = LevelClock { now: VirtualTime::START, quarters: 0 };

    /// The virtual time of the level: how far its fair schedule has come.
    #[inline]
    pub const fn now(&self) -> VirtualTime {
        self.now
    }

    /// How many quarters of the wrap it has come through.
    #[inline]
    pub const fn quarters(&self) -> u32 {
        self.quarters
    }

    /// It is as late as `time` now, if it was not yet.
    #[inline]
    pub fn advance_to(&mut self, time: VirtualTime) {
        self.set(self.now.later(time));
    }

    /// Lets the virtual time run on by `span`; it may wrap.
    #[inline]
    pub fn pass(&mut self, span: VirtualSpan) {
        self.set(self.now + span);
    }

    /// No step is as long as a quarter, so no step can leave one out.
    #[inline]
    fn set(&mut self, now: VirtualTime) {
        debug_assert!(now.ahead_of(self.now) >> 62 == 0, "a step of a quarter or more");
        self.quarters = self.quarters.wrapping_add(u32::from(now.quarter() != self.now.quarter()));
        self.now = now;
    }

    /// Whether the time of a member says nothing any more, as it was away for too long: it was last
    /// active when the clock had come through `seen` quarters.
    #[inline]
    pub const fn has_left_behind(&self, seen: u32) -> bool {
        self.quarters.wrapping_sub(seen) >= 2
    }

    /// One that is at `now`.
    #[cfg(test)]
    pub const fn at(now: VirtualTime) -> LevelClock {
        LevelClock { now, quarters: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Span, Weight};

    /// The largest step: there are 64 in a quarter.
    fn step() -> VirtualSpan {
        VirtualSpan::of(Span::MAX, Weight::MIN)
    }

    /// While it is not left behind, its time is not one to come.
    #[test]
    fn who_was_away_for_two_quarters_is_left_behind() {
        let mut clock = LevelClock::START;
        let seen = clock.quarters();
        for steps in 1..=4 * 64 {
            clock.pass(step());
            assert_eq!(clock.has_left_behind(seen), steps >= 2 * 64, "{steps} steps");
            assert!(steps >= 2 * 64 || VirtualTime::START.is_before(clock.now()), "{steps} steps");
        }
        assert_eq!(clock.quarters(), 4);
    }
}
