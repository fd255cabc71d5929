// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast the device can be: the peak-rate estimator (spec 3.11).
//!
//! Dispatches are observed in windows of about a second; a window counts only if it is long and
//! sequential enough to show what the device can do.

use super::rate::{FRACTION_BITS, Rate};
use crate::units::{Sectors, Span, Time};

/// A window of fewer dispatches says nothing.
const MIN_SAMPLES: u32 = 32;
const MIN_WINDOW: Span = Span::from_ms(300);
/// A window is closed once it is so long.
const WINDOW: Span = Span::from_s(1);
/// An idle device closes the window.
const DEVICE_IDLE: Span = Span::from_ms(100);
/// A dispatch so soon after a completion continues what the device was doing.
const IMMEDIATE: Span = Span::from_ms(2);
/// The number of dispatches among which the largest request is looked for.
const LARGEST_OF: u32 = 32;
/// Rates above this are taken for errors: 20 sectors a microsecond.
const MAX_RATE: u64 = 20 << FRACTION_BITS;
/// Slower than this since the last completion, even the largest request was no peak.
const SLOW_RATE: u64 = 64;
/// This holds from the first microsecond beyond 2000 on.
const LEAST_SLOW_GAP: Span = Span::from_us(2001);

/// What the estimator reports about its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowStart {
    pub samples: u32,
    pub sectors: Sectors,
}

/// What a dispatch or completion led to, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateEvent {
    /// The estimate was computed anew.
    pub updated: bool,
    /// The window that began, or ended for good.
    pub window: WindowStart,
}

/// One dispatch as the estimator sees it, before it counts as in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dispatch {
    pub sectors: Sectors,
    /// It is a seek from the end of the last dispatched request of the device.
    pub seek: bool,
    /// Requests in the device.
    pub in_flight: u32,
    /// The device's last completion.
    pub last_completion: Time,
}

/// The estimator of the peak rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeakRate {
    rate: Rate,
    /// A last completion before the window began wraps around (spec 10.2, row 27).
    wraps_before_window: bool,
    /// Start of the window, while it has samples.
    first: Time,
    /// The last dispatch, once there is a window.
    last: Time,
    samples: u32,
    sequential: u32,
    total: Sectors,
    largest: Sectors,
    elapsed: Span,
}

impl PeakRate {
    pub const fn new(reference: Rate, wraps_before_window: bool) -> Self {
        PeakRate {
            rate: Rate::new(2 * reference.get() / 3),
            wraps_before_window,
            first: Time::ZERO,
            last: Time::ZERO,
            samples: 0,
            sequential: 0,
            total: Sectors::NONE,
            largest: Sectors::NONE,
            elapsed: Span::ZERO,
        }
    }

    /// The estimate at present.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Takes a dispatch into the estimate; an event tells that a window ended or began.
    #[inline]
    pub fn on_dispatch(&mut self, now: Time, dispatch: Dispatch) -> Option<RateEvent> {
        let previous = core::mem::replace(&mut self.last, now);
        debug_assert!(previous <= now, "time goes back");
        if self.samples == 0 {
            return Some(RateEvent { updated: false, window: self.start_window(now, dispatch) });
        }
        let was_idle = dispatch.in_flight == 0 && now.is_more_than(DEVICE_IDLE, previous);
        if !was_idle {
            self.add_sample(now, dispatch);
            if self.elapsed < WINDOW {
                return None;
            }
        }
        let updated = self.close_window(dispatch.last_completion);
        Some(RateEvent { updated, window: self.start_window(now, dispatch) })
    }

    /// Observes a completion; `previous` is the one before it.
    #[inline]
    pub fn on_completion(&mut self, now: Time, previous: Time) -> Option<RateEvent> {
        let gap = now.since(previous);
        if gap < LEAST_SLOW_GAP { None } else { self.after_gap(gap, previous) }
    }

    #[inline(never)]
    fn after_gap(&mut self, gap: Span, previous: Time) -> Option<RateEvent> {
        if Rate::number_of(self.largest, gap) >= SLOW_RATE {
            return None;
        }
        let updated = self.close_window(previous);
        self.samples = 0;
        let window = WindowStart { samples: 0, sectors: self.total };
        Some(RateEvent { updated, window })
    }

    fn start_window(&mut self, now: Time, dispatch: Dispatch) -> WindowStart {
        self.first = now;
        self.samples = 1;
        self.sequential = 0;
        self.total = dispatch.sectors;
        self.largest = dispatch.sectors;
        WindowStart { samples: 1, sectors: self.total }
    }

    #[inline]
    fn add_sample(&mut self, now: Time, dispatch: Dispatch) {
        debug_assert!(self.samples > 0, "there is no window to add to");
        self.samples += 1;
        let continues =
            dispatch.in_flight > 0 || !now.is_at_least(IMMEDIATE, dispatch.last_completion);
        if continues && !dispatch.seek {
            self.sequential += 1;
        }
        self.total += dispatch.sectors;
        self.largest = if self.samples.is_multiple_of(LARGEST_OF) {
            dispatch.sectors
        } else {
            self.largest.max(dispatch.sectors)
        };
        self.elapsed = now.since(self.first);
    }

    /// Folds the window into the estimate; returns whether it was worth it.
    ///
    /// The weight of the window grows with its sequential share and its length, from 1/10 to 1/2.
    fn close_window(&mut self, last_completion: Time) -> bool {
        if self.samples < MIN_SAMPLES || self.elapsed < MIN_WINDOW {
            return false;
        }
        debug_assert!(self.sequential <= self.samples && self.largest <= self.total);
        let completed = if last_completion < self.first && self.wraps_before_window {
            Span::MAX - self.first.since(last_completion)
        } else {
            last_completion.since(self.first)
        };
        self.elapsed = self.elapsed.max(completed);
        let rate = Rate::number_of(self.total, self.elapsed);
        let mostly_sequential = self.sequential >= self.samples * 3 / 4;
        if (!mostly_sequential && rate <= u64::from(self.rate.get())) || rate > MAX_RATE {
            return false;
        }
        let share = u64::from(9 * self.sequential / self.samples);
        let weight = (self.elapsed.wrapping_mul(share) / WINDOW).min(8) as u32;
        let divisor = 10 - weight;
        let kept = self.rate.get() * (divisor - 1) / divisor;
        self.rate = Rate::new((kept + rate as u32 / divisor).max(1));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `samples` dispatches of 512 sectors, evenly spread over `elapsed_ns`, of which all but
    /// the first few are sequential, then one that closes the window.
    fn window(rate: &mut PeakRate, samples: u32, sequential: u32, elapsed_ns: u64) -> bool {
        for n in 0..samples {
            let now = Time::from_ns(u64::from(n) * elapsed_ns / u64::from(samples - 1));
            let dispatch = Dispatch {
                sectors: Sectors::of(512),
                seek: n < samples - sequential,
                in_flight: 1,
                last_completion: now,
            };
            if rate.on_dispatch(now, dispatch).is_some_and(|event| event.updated) {
                return true;
            }
        }
        false
    }

    #[test]
    fn windows_as_recorded() {
        // Spec 13.2: t1 on hdd at 1.001 s, t5 on flat at 1.000 s.
        let mut hdd = PeakRate::new(Rate::new(14000), false);
        assert_eq!(hdd.rate().get(), 9333);
        assert!(window(&mut hdd, 342, 333, 1_000_780_000));
        assert_eq!(hdd.rate().get(), 10399);
        let mut flat = PeakRate::new(Rate::new(33000), false);
        flat.first = Time::ZERO;
        flat.samples = 763;
        flat.sequential = 762;
        flat.total = Sectors::of(195_328);
        flat.elapsed = Span::from_us(1_000_338);
        assert!(flat.close_window(Time::ZERO));
        assert_eq!(flat.rate().get(), 17398);
    }

    #[test]
    fn a_seeky_window_cannot_lower_the_estimate() {
        let mut rate = PeakRate::new(Rate::new(14000), false);
        assert!(!window(&mut rate, 100, 50, 1_000_000_000));
        assert_eq!(rate.rate().get(), 9333);
    }

    #[test]
    fn short_windows_say_nothing() {
        let mut rate = PeakRate::new(Rate::new(14000), false);
        assert!(!window(&mut rate, 31, 31, 1_000_000_000), "too few samples");
        let mut rate = PeakRate::new(Rate::new(14000), false);
        assert!(!window(&mut rate, 100, 100, 200_000_000), "too short");
    }
}
