// SPDX-License-Identifier: MIT OR Apache-2.0
//! Points in time, lengths of time, and the coarse clock of ticks (spec 0.2).

use core::{
    num::{NonZeroU32, NonZeroU64},
    ops::{Add, AddAssign, Div, Mul, Sub},
};

/// Nanoseconds in a microsecond.
const NS_PER_US: u64 = 1000;
/// Nanoseconds in a millisecond.
const NS_PER_MS: u64 = 1_000_000;
/// Nanoseconds in a second.
const NS_PER_S: u64 = 1_000_000_000;

/// A length of time: nanoseconds, from none to 584 years. Arithmetic stops at these bounds.
///
/// Not the `Duration` of `core`, which is two fields and takes several times the instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest span there is, 2⁶⁴ − 1 ns; the arithmetic of spans stops there.
    pub const MAX: Span = Span(u64::MAX);

    /// A span of `ns` nanoseconds.
    #[inline]
    pub const fn from_ns(ns: u64) -> Span {
        Span(ns)
    }

    /// A span of `us` microseconds.
    #[inline]
    pub const fn from_us(us: u64) -> Span {
        Span(us.saturating_mul(NS_PER_US))
    }

    /// A span of `ms` milliseconds.
    #[inline]
    pub const fn from_ms(ms: u64) -> Span {
        Span(ms.saturating_mul(NS_PER_MS))
    }

    /// A span of `s` seconds.
    #[inline]
    pub const fn from_s(s: u64) -> Span {
        Span(s.saturating_mul(NS_PER_S))
    }

    /// Its length in nanoseconds.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Whether two times can be so far apart: whether it is below 2⁶³ ns.
    #[inline]
    const fn is_possible(self) -> bool {
        self.0 <= i64::MAX as u64
    }

    /// Its length in whole microseconds.
    #[inline]
    pub const fn as_us(self) -> u64 {
        self.0 / NS_PER_US
    }

    /// Its length in whole milliseconds.
    #[inline]
    pub const fn as_ms(self) -> u64 {
        self.0 / NS_PER_MS
    }

    /// Without what is beyond whole microseconds.
    #[inline]
    pub const fn whole_us(self) -> Span {
        Span(self.0 - self.0 % NS_PER_US)
    }

    /// Without what is beyond whole milliseconds.
    #[inline]
    pub const fn whole_ms(self) -> Span {
        Span(self.0 - self.0 % NS_PER_MS)
    }

    /// The sum of spans that are known to be far from the bound: only tests look for it.
    #[inline]
    pub(crate) const fn plus(self, more: Span) -> Span {
        Span(self.0 + more.0)
    }

    /// The multiple of a span that is known to be far from the bound: only tests look for it.
    #[inline]
    pub(crate) const fn times(self, factor: u64) -> Span {
        Span(self.0 * factor)
    }

    /// The sum as a counter of 64 bits shows it, which runs over.
    #[inline]
    pub const fn wrapping_add(self, more: Span) -> Span {
        Span(self.0.wrapping_add(more.0))
    }

    /// The multiple as a counter of 64 bits shows it, which runs over.
    #[inline]
    pub const fn wrapping_mul(self, factor: u64) -> Span {
        Span(self.0.wrapping_mul(factor))
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, more: Span) -> Span {
        Span(self.0.saturating_add(more.0))
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, more: Span) {
        *self = *self + more;
    }
}

impl Sub for Span {
    type Output = Span;
    /// The difference; none if `less` is the longer one.
    #[inline]
    fn sub(self, less: Span) -> Span {
        Span(self.0.saturating_sub(less.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    /// The `part`-th part, rounded down; `part` is not 0.
    #[inline]
    fn div(self, part: u64) -> Span {
        Span(self.0 / part)
    }
}

impl Div for Span {
    type Output = u64;
    /// How often `step`, which is not [`Span::ZERO`], fits into it.
    #[inline]
    fn div(self, step: Span) -> u64 {
        self.0 / step.0
    }
}

/// A point in time: nanoseconds since an origin of the host's choice.
///
/// Signed, so that [`Time::LONG_AGO`] lies before every time a host can pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The time at which the host's clock began to count.
    pub const ZERO: Time = Time(0);
    /// A time so far in the past that any span has elapsed since ("minus infinity").
    pub const LONG_AGO: Time = Time(i64::MIN / 4);
    /// The latest time a host may pass; later ones are taken for this one (146 years).
    const MAX: i64 = i64::MAX / 2;

    /// The time `ns` nanoseconds after the origin.
    pub const fn from_ns(ns: u64) -> Time {
        if ns > Self::MAX as u64 { Time(Self::MAX) } else { Time(ns as i64) }
    }

    /// Nanoseconds since the origin; 0 for times before it.
    pub const fn as_ns(self) -> u64 {
        if self.0 < 0 { 0 } else { self.0 as u64 }
    }

    /// The time from `earlier` to `self`, none if `earlier` is the later one.
    #[inline]
    pub const fn since(self, earlier: Time) -> Span {
        // No overflow here and below: the latest and the earliest time are less than 2⁶³ apart.
        if self.0 > earlier.0 { Span((self.0 - earlier.0) as u64) } else { Span::ZERO }
    }

    /// The time that is later by a span of two years at most. The sum may be beyond the latest
    /// time, by no more than that, so that times keep their order.
    #[inline]
    pub(crate) const fn plus(self, span: Span) -> Time {
        debug_assert!(span.0 <= Self::MAX as u64 / 64, "a long span");
        Time(self.0 + span.0 as i64)
    }

    /// Whether strictly more than `span` separates `self` from the earlier `start`.
    #[inline]
    pub const fn is_more_than(self, span: Span, start: Time) -> bool {
        span.is_possible() && self.0 - start.0 > span.0 as i64
    }

    /// Whether at least `span` separates `self` from the earlier `start`.
    #[inline]
    pub const fn is_at_least(self, span: Span, start: Time) -> bool {
        span.is_possible() && self.0 - start.0 >= span.0 as i64
    }
}

impl Time {
    /// The sum with a span that is longer than the time from the origin to the latest time.
    #[cold]
    fn add_long(self, span: Span) -> Time {
        Time(self.0.saturating_add_unsigned(span.0).min(Self::MAX))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// The time that is later by `span`; stops at the latest representable time.
    #[inline]
    fn add(self, span: Span) -> Time {
        if span.0 > Self::MAX as u64 {
            return self.add_long(span);
        }
        // No overflow: both are below 2⁶².
        Time((self.0 + span.0 as i64).min(Self::MAX))
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    /// The time that is earlier by `span`; stops at [`Time::LONG_AGO`].
    fn sub(self, span: Span) -> Time {
        let earlier = self.0.saturating_sub(i64::try_from(span.0).unwrap_or(i64::MAX));
        Time(earlier.max(Self::LONG_AGO.0))
    }
}

/// The coarse clock on which the long periods are measured (spec 0.2): time in whole ticks.
///
/// A tick is a whole number of nanoseconds, and a second a whole number of ticks. At a rate such as
/// 300 Hz both cannot be exact: there the clock runs fast by less than a nanosecond a tick, and
/// periods are converted by their number of ticks, so that what is whole ticks stays that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    hz: NonZeroU32,
    tick_ns: NonZeroU64,
}

/// The fastest clock.
const MOST_HZ: NonZeroU32 = NonZeroU32::new(1_000_000).unwrap();

impl Ticks {
    /// A clock of `hz` ticks a second; 1 to 1,000,000, values outside are moved to the nearest.
    pub const fn of_hz(hz: u32) -> Ticks {
        let hz = match NonZeroU32::new(hz) {
            Some(hz) if hz.get() <= MOST_HZ.get() => hz,
            Some(_) => MOST_HZ,
            None => NonZeroU32::MIN,
        };
        match NonZeroU64::new(NS_PER_S / hz.get() as u64) {
            Some(tick_ns) => Ticks { hz, tick_ns },
            None => Ticks { hz, tick_ns: NonZeroU64::MIN },
        }
    }

    /// The length of a tick.
    pub const fn tick(self) -> Span {
        Span(self.tick_ns.get())
    }

    /// Ticks in a second.
    pub(crate) const fn per_second(self) -> u64 {
        self.hz.get() as u64
    }

    /// `now` as the coarse clock shows it: rounded down to a tick.
    pub fn coarse(self, now: Time) -> Time {
        if now.0 <= 0 { now } else { Time((now.as_ns() - now.as_ns() % self.tick_ns) as i64) }
    }

    /// A span as whole ticks, rounded up.
    pub fn rounded_up(self, span: Span) -> Span {
        let (ticks, rest) = self.ticks_in(span);
        self.tick() * (ticks + rest.div_ceil(NS_PER_S))
    }

    /// A span as whole ticks, rounded down.
    pub(crate) fn rounded_down(self, span: Span) -> Span {
        let (ticks, rest) = self.ticks_in(span);
        self.tick() * (ticks + rest / NS_PER_S)
    }

    /// The ticks in the whole seconds of a span, and those in its rest, times 10⁹.
    fn ticks_in(self, span: Span) -> (u64, u64) {
        // No overflow: a span has less than 2³⁵ seconds, and a second at most 2²⁰ ticks.
        let hz = self.per_second();
        (span.0 / NS_PER_S * hz, span.0 % NS_PER_S * hz)
    }

    /// A span of whole ticks as users see it: in milliseconds, rounded up.
    pub const fn shown(self, span: Span) -> Span {
        // No overflow: a tick has at least 1000 ns, so this is at most the span's length in ns.
        let thousandths = span.0 / self.tick_ns.get() * 1000;
        Span::from_ms(thousandths.div_ceil(self.per_second()))
    }

    /// A second's `n`-th part as whole ticks, rounded down, but at least one.
    pub const fn second_over(self, n: u64) -> Span {
        let ticks = self.per_second() / n;
        Span((if ticks == 0 { 1 } else { ticks }) * self.tick_ns.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_round_as_the_reference_does() {
        for (hz, timeout_ms) in [(100, 120), (250, 124), (1000, 125)] {
            assert_eq!(Ticks::of_hz(hz).second_over(8), Span::from_ms(timeout_ms), "HZ {hz}");
        }
        assert_eq!(Ticks::of_hz(1).second_over(8), Span::from_s(1), "never no time at all");
        let (ticks, span) = (Ticks::of_hz(250), Span::from_ms(125));
        assert_eq!(ticks.rounded_up(span), Span::from_ms(128));
        assert_eq!(ticks.rounded_down(span), Span::from_ms(124));
        assert_eq!(ticks.rounded_up(Span::from_ms(124)), Span::from_ms(124));
        assert_eq!(Ticks::of_hz(1000).coarse(Time::from_ns(1_999_999)), Time::from_ns(1_000_000));
    }

    #[test]
    fn what_is_whole_ticks_stays_that() {
        for (hz, ms, ticks) in [
            (300, 10, 3),
            (300, 11, 4),
            (300, 100, 30),
            (300, 180, 54),
            (300, 300, 90),
            (300, 600, 180),
            (300, 2000, 600),
            (300, 25_000, 7500),
            (300, 3_600_000, 1_080_000),
            (250, 10, 3),
            (100, 10, 1),
            (1000, 10, 10),
            (1024, 125, 128),
            (60, 50, 3),
        ] {
            let clock = Ticks::of_hz(hz);
            let rounded = clock.rounded_up(Span::from_ms(ms));
            assert_eq!(rounded, clock.tick() * ticks, "{ms} ms at {hz} Hz");
        }
        let clock = Ticks::of_hz(300);
        assert_eq!(clock.rounded_down(Span::from_ms(10)), clock.tick() * 3);
        assert_eq!(clock.rounded_down(Span::from_ms(8)), clock.tick() * 2);
        assert_eq!([8, 10, 5].map(|n| clock.second_over(n) / clock.tick()), [37, 30, 60]);
        assert_eq!([3, 37, 30].map(|n| clock.shown(clock.tick() * n).as_ms()), [10, 124, 100]);
        assert_eq!(
            (Ticks::of_hz(0), Ticks::of_hz(u32::MAX)),
            (Ticks::of_hz(1), Ticks::of_hz(1_000_000))
        );
        assert_eq!(Ticks::of_hz(1_000_000).rounded_up(Span::MAX), Span::MAX);
    }

    #[test]
    fn elapsed_is_strict_or_not_as_named() {
        let (start, ten) = (Time::from_ns(100), Span::from_ns(10));
        assert!(!Time::from_ns(110).is_more_than(ten, start));
        assert!(Time::from_ns(110).is_at_least(ten, start));
        assert!(!Time::from_ns(90).is_at_least(Span::ZERO, start));
        assert!(Time::ZERO.is_more_than(Span::MAX / 8, Time::LONG_AGO));
        assert_eq!(Time::from_ns(u64::MAX) + Span::MAX, Time::from_ns(u64::MAX));
        assert_eq!(Time::ZERO - Span::MAX, Time::LONG_AGO);
    }

    #[test]
    fn spans_stop_at_their_bounds_or_run_over_as_named() {
        let ten = Span::from_ns(10);
        assert_eq!(ten - Span::from_ns(11), Span::ZERO);
        assert_eq!([Span::MAX + ten, Span::MAX * 2, Span::from_s(u64::MAX)], [Span::MAX; 3]);
        assert_eq!(Span::MAX.wrapping_add(ten), Span::from_ns(9));
        assert_eq!(Span::MAX.wrapping_mul(5), Span::MAX - Span::from_ns(4));
        assert_eq!((ten * 7 / 4, ten / Span::from_ns(4)), (Span::from_ns(17), 2));
        let span = Span::from_ns(1_999_999);
        assert_eq!((span.as_us(), span.as_ms()), (1999, 1));
        assert_eq!((span.whole_us(), span.whole_ms()), (Span::from_us(1999), Span::from_ms(1)));
    }
}
