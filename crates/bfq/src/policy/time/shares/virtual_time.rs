// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time: what a node was charged over its weight.
//!
//! It counts nanoseconds of service over the weight, with 16 fractional bits in 64 bits that wrap
//! around. An order of two times exists while they are less than 2⁶³ apart: at weight 1 that is 39
//! hours of service, at the weight of a usual queue 65 days. How far apart are the active nodes of
//! a level?
//!
//! * One charge is at most 2⁴⁰ ns, so it is one step of at most 2⁵⁶.
//! * Behind the virtual time of the level, which is the least of them, no node is further than by
//!   the lag that it may keep when it comes or gets when its loan ends, and by its refunds.
//! * Ahead is a node that was served out of turn, by what `is_within` allows and one step; and one
//!   that was on loan, by what a loan allows. What exceeds the lead afterwards is a debt, no time.
//!
//! That is some steps, far from the 128 that reach 2⁶³. A node that is idle keeps its time, while
//! its level may go on by more than that: `level_clock.rs`.

use crate::units::{Span, Weight};
use core::{
    num::NonZeroU32,
    ops::{Add, AddAssign, Div, Mul, Sub, SubAssign},
};

/// Fractional bits of virtual time.
pub(super) const FRACTION_BITS: u32 = 16;
/// No request and no wait takes 18 minutes; if one does, the rest is not charged.
const MOST_AT_ONCE: Span = Span::from_ns(1 << 40);

const _: () = assert!(MOST_AT_ONCE.as_ns() << FRACTION_BITS <= 1 << 56);

/// A point in virtual time: it wraps around, and has an order with those less than 2⁶³ apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VirtualTime(u64);

impl VirtualTime {
    /// That of a level to which no member has come yet.
    pub const START: VirtualTime = VirtualTime(0);

    /// How far it lies behind an earlier one; negative if that is the later one.
    #[inline]
    pub const fn ahead_of(self, earlier: VirtualTime) -> i64 {
        self.0.wrapping_sub(earlier.0) as i64
    }

    /// Whether it comes first.
    #[inline]
    pub const fn is_before(self, other: VirtualTime) -> bool {
        self.ahead_of(other) < 0
    }

    /// The later of two.
    #[inline]
    pub const fn later(self, other: VirtualTime) -> VirtualTime {
        if other.is_before(self) { self } else { other }
    }

    /// In which quarter of the wrap it lies: 0 to 3.
    #[inline]
    pub const fn quarter(self) -> u64 {
        self.0 >> 62
    }

    /// What has passed since an earlier one; nothing if that is the later one.
    #[inline]
    pub const fn since(self, earlier: VirtualTime) -> VirtualSpan {
        let ahead = self.ahead_of(earlier);
        VirtualSpan(if ahead > 0 { ahead as u64 } else { 0 })
    }

    /// Whether it is at most `span` later than another one.
    #[inline]
    pub const fn is_within(self, span: VirtualSpan, other: VirtualTime) -> bool {
        debug_assert!(span.0 < 1 << 63, "an order exists");
        self.ahead_of(other) <= span.0 as i64
    }

    /// The service at the weight 1 that leads there, as long as it has not wrapped.
    #[cfg(test)]
    pub const fn at_weight_1(self) -> Span {
        Span::from_ns(self.0 >> FRACTION_BITS)
    }
}

impl Add<VirtualSpan> for VirtualTime {
    type Output = VirtualTime;
    #[inline]
    fn add(self, span: VirtualSpan) -> VirtualTime {
        VirtualTime(self.0.wrapping_add(span.0))
    }
}

impl AddAssign<VirtualSpan> for VirtualTime {
    #[inline]
    fn add_assign(&mut self, span: VirtualSpan) {
        *self = *self + span;
    }
}

impl Sub<VirtualSpan> for VirtualTime {
    type Output = VirtualTime;
    #[inline]
    fn sub(self, span: VirtualSpan) -> VirtualTime {
        VirtualTime(self.0.wrapping_sub(span.0))
    }
}

impl SubAssign<VirtualSpan> for VirtualTime {
    #[inline]
    fn sub_assign(&mut self, span: VirtualSpan) {
        *self = *self - span;
    }
}

/// A length of virtual time: service over weight. It does not wrap, but stops at its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VirtualSpan(u64);

impl VirtualSpan {
    /// No service at all.
    pub const ZERO: VirtualSpan = VirtualSpan(0);

    /// What a service takes at a weight; less than 2⁵⁷.
    #[inline]
    pub const fn of(service: Span, weight: Weight) -> VirtualSpan {
        VirtualSpan(at_weight_1(service) / weight.get() as u64)
    }

    /// The same for several that are served alike: by the sum of their weights.
    #[inline]
    pub const fn of_all(service: Span, weights: NonZeroU32) -> VirtualSpan {
        VirtualSpan(at_weight_1(service) / weights.get() as u64)
    }
}

const fn at_weight_1(service: Span) -> u64 {
    let service = if service.as_ns() < MOST_AT_ONCE.as_ns() { service } else { MOST_AT_ONCE };
    service.as_ns() << FRACTION_BITS
}

impl Add for VirtualSpan {
    type Output = VirtualSpan;
    #[inline]
    fn add(self, more: VirtualSpan) -> VirtualSpan {
        VirtualSpan(self.0.saturating_add(more.0))
    }
}

impl Sub for VirtualSpan {
    type Output = VirtualSpan;
    /// What is left; nothing if `less` is the longer one.
    #[inline]
    fn sub(self, less: VirtualSpan) -> VirtualSpan {
        VirtualSpan(self.0.saturating_sub(less.0))
    }
}

impl Mul<u64> for VirtualSpan {
    type Output = VirtualSpan;
    /// A small multiple of one step, which is far from the bound.
    #[inline]
    fn mul(self, factor: u64) -> VirtualSpan {
        VirtualSpan(self.0 * factor)
    }
}

impl Div<u64> for VirtualSpan {
    type Output = VirtualSpan;
    #[inline]
    fn div(self, part: u64) -> VirtualSpan {
        VirtualSpan(self.0 / part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Span = Span::from_ms(1);

    #[test]
    fn order_survives_the_wrap() {
        let step = VirtualSpan::of(MS * 100, Weight::MIN);
        let before = VirtualTime::START - step / 2;
        let after = before + step;
        assert!(before.is_before(after) && !after.is_before(before) && !after.is_before(after));
        assert_eq!((before.later(after), after.later(before)), (after, after));
        assert_eq!((after.since(before), before.since(after)), (step, VirtualSpan::ZERO));
        assert!(after.is_within(step, before) && !after.is_within(step / 2, before));
        assert!(before.is_within(VirtualSpan::ZERO, after));
    }

    #[test]
    fn service_counts_by_its_weight_up_to_a_bound() {
        let of = |service, weight| VirtualSpan::of(service, Weight::of(weight));
        assert_eq!(of(MS * 40, 40), of(MS, 1));
        assert_eq!(of(MS * 3, 1), of(MS, 1) * 3);
        assert_eq!(of(Span::MAX, 1), VirtualSpan(1 << 56));
        assert_eq!(VirtualSpan::of_all(MS, NonZeroU32::MIN), of(MS, 1));
        let all = VirtualSpan::of_all(MS * 30_000, NonZeroU32::new(30_000).expect("not 0"));
        assert_eq!(all, of(MS, 1));
    }
}
