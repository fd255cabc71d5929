// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arithmetic of virtual time (spec 1.2).
//!
//! Virtual time counts service per weight with 22 fractional bits in 64 bits that wrap around.
//! A charge is below 2³¹ and a weight at least 1, so one step moves virtual time by less than
//! 2⁵³; the times of scheduled entities are never 2⁶³ apart, since an entity is forgotten or moved
//! once virtual time has passed its finish time, and its finish is at most one step ahead of it.
//! The finish time of one that was forgotten can be that old: if it then continues (spec 1.6), it
//! may be taken for a time to come, and the entity starts at the present.

/// Fractional bits of virtual time.
pub const FRACTION_BITS: u32 = 22;

/// How far `service` (not negative) moves the virtual time of something of weight `weight`.
#[inline]
pub fn advance(service: i32, weight: u64) -> u64 {
    debug_assert!(service >= 0 && weight > 0, "advance({service}, {weight})");
    ((service.max(0) as u64) << FRACTION_BITS) / weight.max(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_charge_stays_far_from_the_wrap() {
        assert_eq!(advance(i32::MAX, 1), (i32::MAX as u64) << 22);
        assert!(advance(i32::MAX, 1) < 1 << 53);
        assert_eq!(advance(10922, 20), 2_290_509_414);
    }

    #[test]
    fn order_survives_the_wrap() {
        let before = u64::MAX - 5;
        let after = before.wrapping_add(10);
        assert!(is_later(after, before) && !is_later(before, after) && !is_later(after, after));
        assert_eq!(later(before, after), after);
    }
}
