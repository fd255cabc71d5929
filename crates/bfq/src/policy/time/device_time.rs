// SPDX-License-Identifier: MIT OR Apache-2.0
//! Amounts of the device's time: what is charged for it, or given back.

use crate::units::Span;
use core::ops::{Add, Neg, Sub};

/// An amount of the device's time in nanoseconds; a negative one is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeviceTime(i64);

impl DeviceTime {
    /// No time: neither charged nor given back.
    pub const ZERO: DeviceTime = DeviceTime(0);

    /// What has passed, or is taken to pass. Requests have less than 2³² sectors, so none is taken
    /// to need as much as 2⁶³ ns.
    #[inline]
    pub const fn of(span: Span) -> DeviceTime {
        debug_assert!(span.as_ns() < 1 << 63, "it would be negative");
        DeviceTime(span.as_ns() as i64)
    }

    /// An amount in nanoseconds.
    #[cfg(test)]
    pub const fn from_ns(ns: i64) -> DeviceTime {
        DeviceTime(ns)
    }

    /// Whether it is given back.
    #[inline]
    pub const fn is_refund(self) -> bool {
        self.0 < 0
    }

    /// How much is charged, or given back.
    #[inline]
    pub const fn amount(self) -> Span {
        Span::from_ns(self.0.unsigned_abs())
    }

    /// One part of `parts`, rounded towards nothing.
    #[inline]
    pub const fn over(self, parts: i64) -> DeviceTime {
        DeviceTime(self.0 / parts)
    }
}

impl Add for DeviceTime {
    type Output = DeviceTime;
    /// The sum, which stops at the bounds.
    #[inline]
    fn add(self, more: DeviceTime) -> DeviceTime {
        DeviceTime(self.0.saturating_add(more.0))
    }
}

impl Sub for DeviceTime {
    type Output = DeviceTime;
    /// What is still to be charged if `less` was charged before; negative if that was more.
    #[inline]
    fn sub(self, less: DeviceTime) -> DeviceTime {
        DeviceTime(self.0 - less.0)
    }
}

impl Neg for DeviceTime {
    type Output = DeviceTime;
    #[inline]
    fn neg(self) -> DeviceTime {
        DeviceTime(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_charged_too_much_is_given_back() {
        let [two, five] = [2, 5].map(DeviceTime::from_ns);
        assert_eq!((five - two).amount(), Span::from_ns(3));
        assert_eq!((two - five).amount(), Span::from_ns(3));
        assert!((two - five).is_refund() && (-two).is_refund() && !(five - two).is_refund());
        assert_eq!([five.over(2), (-five).over(2)], [two, -two]);
        assert_eq!(two + (-two), DeviceTime::ZERO);
        assert_eq!(DeviceTime::of(Span::from_ns(5)), five);
    }
}
