// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seconds with a point, as text and as nanoseconds.

use crate::error::Mistake;

/// Reads seconds: `4.666589`, `.015820`, `0`; up to nine digits behind the point.
///
/// # Errors
/// It is something else, or more than 584 years.
pub(crate) fn ns(word: &str) -> Result<u64, Mistake> {
    let wrong = || Mistake::new(format!("the time is \"{word}\""), "seconds, such as 0.000000123");
    let point = word.bytes().position(|byte| byte == b'.');
    let (seconds, fraction) = point.map_or((word, ""), |at| (&word[..at], &word[at + 1..]));
    if seconds.is_empty() && fraction.is_empty() || fraction.len() > 9 {
        return Err(wrong());
    }
    let (seconds, behind) = number(seconds).zip(number(fraction)).ok_or_else(wrong)?;
    let fraction_ns = behind * 10_u64.pow(9 - fraction.len() as u32);
    let whole_ns = seconds.checked_mul(1_000_000_000);
    whole_ns.and_then(|ns| ns.checked_add(fraction_ns)).ok_or_else(wrong)
}

/// The number that digits make, 0 without any; none if there is something else, or too much.
fn number(digits: &str) -> Option<u64> {
    match digits.as_bytes().first() {
        None => Some(0),
        // The standard library takes it for a sign.
        Some(b'+') => None,
        Some(_) => digits.parse().ok(),
    }
}

/// Writes seconds with nine digits behind the point.
pub(crate) fn text(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}
