// SPDX-License-Identifier: MIT OR Apache-2.0
//! Service: what entities are given, in the one unit that their policy shares.

use core::{
    fmt,
    ops::{Add, AddAssign, Sub},
};

/// An amount of service, in whatever its policy shares: sectors, nanoseconds. What is left of a
/// budget may be negative; nothing that is charged is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Service(i64);

impl Service {
    /// No service at all.
    pub const ZERO: Service = Service(0);
    /// The largest amount: 274 s of nanoseconds, 128 TiB of sectors. Larger ones are taken for it;
    /// `virtual_time` says what hangs on the bound.
    pub const MAX: Service = Service((1 << 38) - 1);

    /// The service of `units` units.
    pub const fn of(units: u64) -> Service {
        if units > Self::MAX.0 as u64 { Self::MAX } else { Service(units as i64) }
    }

    /// The service of `units` units, if that is an amount: at most [`Service::MAX`] of either sign.
    pub const fn of_signed(units: i64) -> Option<Service> {
        if units > Self::MAX.0 || units < -Self::MAX.0 { None } else { Some(Service(units)) }
    }

    /// The number of units.
    #[inline]
    pub const fn units(self) -> i64 {
        self.0
    }

    /// The number of units, 0 if it is negative.
    #[inline]
    pub const fn amount(self) -> u64 {
        if self.0 < 0 { 0 } else { self.0 as u64 }
    }

    /// `factor` times as much.
    pub const fn times(self, factor: u32) -> Service {
        Service::of(self.amount().saturating_mul(factor as u64))
    }

    /// The `part`-th part, rounded towards none.
    #[inline]
    pub const fn over(self, part: i64) -> Service {
        Service(self.0 / part)
    }
}

impl Add for Service {
    type Output = Service;
    /// The sum, at most [`Service::MAX`].
    #[inline]
    fn add(self, more: Service) -> Service {
        // Both are below 2⁴⁰ on either side of 0.
        Service(self.0 + more.0).min(Service::MAX)
    }
}

impl AddAssign for Service {
    #[inline]
    fn add_assign(&mut self, more: Service) {
        *self = *self + more;
    }
}

impl Sub for Service {
    type Output = Service;
    /// The difference, negative if `less` is the larger one.
    #[inline]
    fn sub(self, less: Service) -> Service {
        Service(self.0 - less.0).max(Service(-Service::MAX.0))
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_stop_at_the_bound() {
        let most = Service::MAX;
        assert_eq!([Service::of(u64::MAX), most + most, most.times(u32::MAX)], [most; 3]);
        assert_eq!((Service::ZERO - most) - most, Service::ZERO - most);
        assert_eq!((Service::of(3) - Service::of(5)).units(), -2);
        assert_eq!((Service::of(3) - Service::of(5)).amount(), 0);
        assert_eq!(Service::of_signed(most.units()), Some(most));
        assert_eq!(Service::of_signed(-1 - most.units()), None);
        assert_eq!(Service::of(7).over(3), Service::of(2));
    }
}
