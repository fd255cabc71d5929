// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arithmetic of virtual time (spec 1.2).
//!
//! Virtual time counts service per weight with 22 fractional bits in 64 bits that wrap around. An
//! order of two times exists while they are less than 2⁶³ apart. An amount of service is below
//! 2³⁸ units ([`Service::MAX`]) and a weight at least 1, so one step is less than 2⁶⁰. How far may
//! S and F of a scheduled entity be from V?
//!
//! * Behind: V passes F of one that waits by the charges that are under way when its turn comes,
//!   and of one that is idle by a single charge: then it is forgotten. S is at most one step (its
//!   budget, or its service) before F.
//! * Ahead: an entity is chosen at S ≤ V, or at the least S of those that wait. Its slot moves S by
//!   one step, what a group has promised to slots that go on by another one, and F lies one step
//!   before that. Only where an entity is in service and gets nothing does V stay behind the least
//!   S of the others: by what they get meanwhile.
//!
//! That is some steps of less than 2⁶⁰ each, which `check` sees to ([`FARTHEST`]), provided that
//! none gets more than [`Service::MAX`] in a slot, nor do the others of a level while it lasts.
//!
//! The finish time of an entity that was forgotten can be that old: if it then continues (spec
//! 1.6), it may be taken for a time to come, and the entity starts at the present.

use super::service::Service;

/// Fractional bits of virtual time.
pub const FRACTION_BITS: u32 = 22;

/// Farther than this from V, and on the same side of it, no time of a scheduled entity lies.
pub const FARTHEST: u64 = 1 << 62;

const _: () = assert!((Service::MAX.units() as u64) << FRACTION_BITS < FARTHEST / 4);

/// How far `service` (not negative) moves the virtual time of something of weight `weight`.
#[inline]
pub fn advance(service: Service, weight: u64) -> u64 {
    debug_assert!(service >= Service::ZERO && weight > 0, "advance({service}, {weight})");
    (service.amount() << FRACTION_BITS) / weight.max(1)
}

/// Whether `a` is later than `b`, across the wrap.
#[inline]
pub fn is_later(a: u64, b: u64) -> bool {
    (a.wrapping_sub(b) as i64) > 0
}

/// The later of two times.
pub fn later(a: u64, b: u64) -> u64 {
    if is_later(a, b) { a } else { b }
}

/// The earlier of two times.
pub fn earlier(a: u64, b: u64) -> u64 {
    if is_later(a, b) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_charge_stays_far_from_the_wrap() {
        let most = Service::MAX;
        assert_eq!(advance(most, 1), (most.units() as u64) << 22);
        assert!(advance(most, 1) < 1 << 60);
        assert_eq!(advance(Service::of(10922), 20), 2_290_509_414);
    }

    #[test]
    fn order_survives_the_wrap() {
        let before = u64::MAX - 5;
        let after = before.wrapping_add(10);
        assert!(is_later(after, before) && !is_later(before, after) && !is_later(after, after));
        assert_eq!((later(before, after), earlier(before, after)), (after, before));
    }
}
