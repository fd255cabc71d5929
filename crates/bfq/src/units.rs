// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time, weights and I/O priorities: the quantities that the modules of the scheduler exchange
//! (spec 0.2, 0.3, 2.1).

use core::{
    num::NonZeroU64,
    ops::{Add, Sub},
};

/// Nanoseconds in a millisecond.
pub const NS_PER_MS: u64 = 1_000_000;
/// Nanoseconds in a second.
pub const NS_PER_S: u64 = 1_000_000_000;

/// A point in time: nanoseconds since an origin of the host's choice.
///
/// Signed, so that [`Time::LONG_AGO`] lies before every time a host can pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The host's origin.
    pub const ZERO: Time = Time(0);
    /// A time so far in the past that any duration has elapsed since ("minus infinity").
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

    /// Nanoseconds from `earlier` to `self`, 0 if `earlier` is the later one.
    #[inline]
    pub const fn since_ns(self, earlier: Time) -> u64 {
        // No overflow: the latest and the earliest time are less than 2⁶³ apart.
        if self.0 > earlier.0 { (self.0 - earlier.0) as u64 } else { 0 }
    }

    /// Whether strictly more than `ns` nanoseconds separate `self` from the earlier `start`.
    #[inline]
    pub const fn is_more_than(self, ns: u64, start: Time) -> bool {
        self.since_ns(start) > ns
    }

    /// Whether at least `ns` nanoseconds separate `self` from the earlier `start`.
    #[inline]
    pub const fn is_at_least(self, ns: u64, start: Time) -> bool {
        self.0 >= start.0 && self.since_ns(start) >= ns
    }
}

impl Add<u64> for Time {
    type Output = Time;
    /// Adds nanoseconds; stops at the latest representable time.
    fn add(self, ns: u64) -> Time {
        Time(self.0.saturating_add_unsigned(ns).min(Self::MAX))
    }
}

impl Sub<u64> for Time {
    type Output = Time;
    /// Subtracts nanoseconds; stops at [`Time::LONG_AGO`].
    fn sub(self, ns: u64) -> Time {
        let earlier = self.0.saturating_sub(i64::try_from(ns).unwrap_or(i64::MAX));
        Time(earlier.max(Self::LONG_AGO.0))
    }
}

/// The coarse clock on which the long periods are measured (spec 0.2): time in whole ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    tick_ns: NonZeroU64,
}

impl Ticks {
    /// A clock of `hz` ticks a second; 1 to 1,000,000, values outside are moved to the nearest.
    pub const fn of_hz(hz: u32) -> Ticks {
        let hz = if hz == 0 {
            1
        } else if hz > 1_000_000 {
            1_000_000
        } else {
            hz
        };
        match NonZeroU64::new(NS_PER_S / hz as u64) {
            Some(tick_ns) => Ticks { tick_ns },
            None => Ticks { tick_ns: NonZeroU64::MIN },
        }
    }

    /// The length of a tick.
    pub const fn tick_ns(self) -> u64 {
        self.tick_ns.get()
    }

    /// Whole ticks in a second.
    pub(crate) fn per_second(self) -> u64 {
        NS_PER_S / self.tick_ns
    }

    /// `now` as the coarse clock shows it: rounded down to a tick.
    pub fn coarse(self, now: Time) -> Time {
        if now.0 <= 0 { now } else { Time::from_ns(now.as_ns() - now.as_ns() % self.tick_ns) }
    }

    /// A duration as whole ticks, rounded up.
    pub(crate) fn rounded_up(self, ns: u64) -> u64 {
        let ticks = ns / self.tick_ns + u64::from(ns % self.tick_ns > 0);
        ticks.saturating_mul(self.tick_ns())
    }

    /// A duration in milliseconds as whole ticks, rounded up.
    pub fn of_ms(self, ms: u64) -> u64 {
        self.rounded_up(ms.saturating_mul(NS_PER_MS))
    }

    /// A second's `n`-th part as whole ticks, rounded down, but at least one.
    pub const fn second_over(self, n: u64) -> u64 {
        let ticks = NS_PER_S / n / self.tick_ns();
        (if ticks == 0 { 1 } else { ticks }) * self.tick_ns()
    }
}

/// Scheduling class of a queue. A class is served only while the ones before it have nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Served before all others.
    RealTime,
    /// The default of most processes.
    BestEffort,
    /// Served when nothing else wants the disk (and a little otherwise, spec 1.10).
    Idle,
}

impl Class {
    /// All classes, in the order of service.
    pub const ALL: [Class; 3] = [Class::RealTime, Class::BestEffort, Class::Idle];

    /// Position in [`Class::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Number of priority levels inside a class.
pub const IOPRIO_LEVELS: u8 = 8;
/// Weight between two neighbouring priority levels.
const WEIGHT_PER_LEVEL: u32 = 10;

/// Class and level of a process: level 0 is the highest, 7 the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ioprio {
    class: Class,
    level: u8,
}

impl Ioprio {
    /// Best effort, level 4.
    pub const DEFAULT: Ioprio = Ioprio { class: Class::BestEffort, level: 4 };

    /// A priority. Levels beyond 7 count as 7; the idle class has only level 7 (spec 2.1).
    pub const fn new(class: Class, level: u8) -> Ioprio {
        let lowest = IOPRIO_LEVELS - 1;
        let level = if matches!(class, Class::Idle) || level > lowest { lowest } else { level };
        Ioprio { class, level }
    }

    /// The priority of a process that never chose one: from its nice value (-20..=19) and CPU
    /// scheduling policy. A CPU-idle process keeps the level of its nice value.
    pub const fn from_cpu(nice: i8, policy: CpuPolicy) -> Ioprio {
        let nice = if nice < -20 {
            -20
        } else if nice > 19 {
            19
        } else {
            nice
        };
        let class = match policy {
            CpuPolicy::RealTime => Class::RealTime,
            CpuPolicy::Normal => Class::BestEffort,
            CpuPolicy::Idle => Class::Idle,
        };
        Ioprio { class, level: ((nice + 20) / 5) as u8 }
    }

    /// The scheduling class.
    pub const fn class(self) -> Class {
        self.class
    }

    /// The level, 0..=7.
    pub const fn level(self) -> u8 {
        self.level
    }

    /// Weight of a queue of this level: 80 at level 0, 10 at level 7.
    pub const fn weight(self) -> u32 {
        (IOPRIO_LEVELS - self.level) as u32 * WEIGHT_PER_LEVEL
    }
}

/// CPU scheduling policy of a process, as far as its default I/O priority depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CpuPolicy {
    /// The usual time sharing.
    #[default]
    Normal,
    /// Real-time or deadline.
    RealTime,
    /// Only when the CPU is idle.
    Idle,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_round_as_the_reference_does() {
        for (hz, timeout_ms) in [(100, 120), (250, 124), (1000, 125)] {
            assert_eq!(Ticks::of_hz(hz).second_over(8), timeout_ms * NS_PER_MS, "HZ {hz}");
        }
        assert_eq!(Ticks::of_hz(1).second_over(8), NS_PER_S, "never no time at all");
        assert_eq!(Ticks::of_hz(250).of_ms(125), 128 * NS_PER_MS);
        assert_eq!(Ticks::of_hz(1000).coarse(Time::from_ns(1_999_999)), Time::from_ns(1_000_000));
    }

    #[test]
    fn elapsed_is_strict_or_not_as_named() {
        let start = Time::from_ns(100);
        assert!(!Time::from_ns(110).is_more_than(10, start));
        assert!(Time::from_ns(110).is_at_least(10, start));
        assert!(!Time::from_ns(90).is_at_least(0, start));
        assert!(Time::ZERO.is_more_than(u64::MAX / 8, Time::LONG_AGO));
        assert_eq!(Time::from_ns(u64::MAX) + u64::MAX, Time::from_ns(u64::MAX));
        assert_eq!(Time::ZERO - u64::MAX, Time::LONG_AGO);
    }

    #[test]
    fn weights_of_priorities() {
        assert_eq!(Ioprio::DEFAULT.weight(), 40);
        assert_eq!(Ioprio::new(Class::RealTime, 0).weight(), 80);
        assert_eq!(Ioprio::new(Class::BestEffort, 200).weight(), 10);
        assert_eq!(Ioprio::new(Class::Idle, 0).level(), 7);
        assert_eq!(Ioprio::from_cpu(0, CpuPolicy::Normal), Ioprio::DEFAULT);
        assert_eq!(Ioprio::from_cpu(-20, CpuPolicy::RealTime).level(), 0);
        assert_eq!(Ioprio::from_cpu(19, CpuPolicy::Idle).level(), 7);
    }
}
