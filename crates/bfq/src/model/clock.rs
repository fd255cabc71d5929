// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of the call being served, as the host tells it, and on the coarse clock (spec 0.2).

use crate::units::{Ticks, Time};

/// The scheduler's clock. It stands still between calls, and never runs backwards.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The latest time that a call told.
    pub(crate) now: Time,
    /// The same in whole ticks.
    pub(crate) tick: Time,
    /// The ticks of the host.
    pub(crate) ticks: Ticks,
}

impl Clock {
    /// A clock that shows `now`.
    pub(crate) fn new(now: Time, ticks: Ticks) -> Clock {
        Clock { now, tick: ticks.coarse(now), ticks }
    }

    /// The latest time that a call told.
    pub fn now(&self) -> Time {
        self.now
    }

    /// A time as the coarse clock shows it.
    #[inline]
    pub(crate) fn coarse(&self, time: Time) -> Time {
        // Most times are of the present tick, for which no division is needed.
        let is_present = (self.tick..=self.now).contains(&time);
        if is_present { self.tick } else { self.ticks.coarse(time) }
    }

    /// Goes on to the time of a call, if that is later.
    #[inline]
    pub(crate) fn go_on(&mut self, now: Time) {
        if now > self.now {
            self.now = now;
            if now.since(self.tick) >= self.ticks.tick() {
                self.tick = self.ticks.coarse(now);
            }
            debug_assert!(self.tick <= now, "the coarse clock is before the other one");
        }
    }
}
