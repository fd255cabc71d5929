// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seconds with a point, as text and as nanoseconds.

use crate::error::Mistake;

/// Reads seconds: `4.666589`, `.015820`, `0`; up to nine digits behind the point.
///
/// # Errors
/// It is something else, or more than 584 years.
pub(crate) fn ns(word: &str) -> Result<u64, Mistake> {
    let wrong = || Mistake::new(format!("the time is \"{word}\""), "seconds, such as 0.000000123");
    let (seconds, fraction) = word.split_once('.').unwrap_or((word, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_empty = seconds.is_empty() && fraction.is_empty();
    if is_empty || !is_digits(seconds) || !is_digits(fraction) || fraction.len() > 9 {
        return Err(wrong());
    }
    let number = |digits: &str| match digits {
        "" => Ok(0),
        digits => digits.parse::<u64>().map_err(|_| wrong()),
    };
    let fraction_ns = number(fraction)? * 10_u64.pow(9 - fraction.len() as u32);
    let whole_ns = number(seconds)?.checked_mul(1_000_000_000);
    whole_ns.and_then(|ns| ns.checked_add(fraction_ns)).ok_or_else(wrong)
}

/// Writes seconds with nine digits behind the point.
pub(crate) fn text(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}
