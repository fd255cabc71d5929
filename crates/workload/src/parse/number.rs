// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers as fio writes them: sizes, counts, times, percentages, ranges, expressions.
//!
//! Units are those of fio's default `kb_base=1024`: `k`, `m`, `g`, `t`, `p` (also `kb`, `ki`, …)
//! are powers of 1024, and `kib`, `mib`, … powers of 1000, upside down as fio has it. Unlike fio,
//! anything behind a number that is not a unit is an error: fio reads `1.5g` as 1.

use super::expression;
use crate::job::Extent;
use crate::parse::expected::Expected;
use std::num::NonZeroU64;

pub(super) const SIZE: &str = "a whole number with an optional unit k, m, g, t or p";
const TIME: &str = "a whole number with an optional unit us, ms, s, m, h or d";

/// A size or a count; none if it is 0, with which fio's options say that there is none.
pub(super) fn integer_but_zero(text: &str) -> Result<Option<NonZeroU64>, Expected> {
    integer(text).map(NonZeroU64::new)
}

/// A size or a count: `4096`, `4k`, `0x1000`, `(2*4k)`.
pub(super) fn integer(text: &str) -> Result<u64, Expected> {
    if text.starts_with('(') {
        return whole(expression::evaluate(text, &size_unit)?);
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let bare = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(digits, 16).ok().filter(|_| bare);
        return number.ok_or_else(|| SIZE.into());
    }
    let (digits, unit) = split_unit(text);
    let number: u64 = digits.parse().map_err(|_| SIZE)?;
    let factor = size_factor(unit).ok_or(SIZE)?;
    number.checked_mul(factor).ok_or_else(|| "a number below 2^64".into())
}

/// A count within bounds.
pub(super) fn bounded(text: &str, least: u64, most: u64) -> Result<u64, Expected> {
    match integer(text) {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) if most == u64::MAX => Err(Expected(format!("a whole number, at least {least}"))),
        Ok(_) => Err(Expected(format!("a whole number from {least} to {most}"))),
        Err(expected) => Err(expected),
    }
}

/// A size or count of nothing, which stands for "not given".
pub(super) const NOTHING: Extent = Extent::Bytes(0);

/// The size of an I/O.
pub(super) fn block(text: &str) -> Result<u32, Expected> {
    let bytes = bounded(text, 1, 1 << 31)?;
    if bytes % 512 == 0 {
        return Ok(bytes as u32);
    }
    let hint = match text.to_ascii_lowercase().ends_with("ib") {
        true => " (fio takes KiB for 1000 bytes, and k for 1024)",
        false => "",
    };
    Err(Expected(format!("a multiple of 512 bytes, which direct I/O needs{hint}")))
}

/// A size, or a percentage from `least_percent` on.
pub(super) fn extent(text: &str, least_percent: u8) -> Result<Extent, Expected> {
    let Some(digits) = text.strip_suffix('%') else {
        return Ok(Extent::Bytes(
            integer(text)
                .map_err(|Expected(expected)| Expected(format!("{expected}, or a percentage")))?,
        ));
    };
    let percent = digits.trim_end().parse().ok().filter(|p| (least_percent..=100).contains(p));
    percent
        .map(Extent::Percent)
        .ok_or_else(|| Expected(format!("a percentage from {least_percent} to 100")))
}

/// What a time without unit is counted in.
#[derive(Clone, Copy)]
pub(super) enum Plain {
    Seconds,
    Microseconds,
}

/// A time, ns: `10`, `500ms`, `(2*3s)`. In expressions a plain number is microseconds.
pub(super) fn time_ns(text: &str, plain: Plain) -> Result<u64, Expected> {
    let too_long = || Expected("a time of less than 500 years".into());
    if text.starts_with('(') {
        let us = whole(expression::evaluate(text, &time_unit)?)?;
        return us.checked_mul(1000).ok_or_else(too_long);
    }
    let (digits, unit) = split_unit(text);
    let number: u64 = digits.parse().map_err(|_| TIME)?;
    let factor_us = match (unit, plain) {
        ("", Plain::Seconds) => 1_000_000,
        ("", Plain::Microseconds) => 1,
        (unit, _) => time_factor_us(unit).ok_or(TIME)?,
    };
    number.checked_mul(factor_us).and_then(|us| us.checked_mul(1000)).ok_or_else(too_long)
}

/// Two values with `-` or `:` between them, the smaller first; or one value twice.
pub(super) fn range(
    text: &str,
    one: impl Fn(&str) -> Result<u64, Expected>,
) -> Result<(u64, u64), Expected> {
    let Some((first, second)) = text.split_once(['-', ':']) else {
        let value = one(text)?;
        return Ok((value, value));
    };
    let (first, second) = (one(first.trim())?, one(second.trim())?);
    Ok((first.min(second), first.max(second)))
}

/// Reads a truth value, written as `0` or `1`.
pub(super) fn boolean(text: &str) -> Result<bool, Expected> {
    match integer(text) {
        Ok(0) => Ok(false),
        Ok(1) => Ok(true),
        _ => Err("0 or 1".into()),
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(digits)
}

fn size_factor(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    if unit.is_empty() || unit == "b" {
        return Some(1);
    }
    let power = match unit.as_bytes()[0] {
        b'k' => 1,
        b'm' => 2,
        b'g' => 3,
        b't' => 4,
        b'p' => 5,
        _ => return None,
    };
    match &unit[1..] {
        "" | "b" | "i" => Some(1024u64.pow(power)),
        "ib" => Some(1000u64.pow(power)),
        _ => None,
    }
}

fn time_factor_us(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "us" | "usec" => 1,
        "ms" | "msec" => 1_000,
        "s" | "sec" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    })
}

fn size_unit(unit: &str) -> Option<f64> {
    size_factor(unit).map(|factor| factor as f64)
}

fn time_unit(unit: &str) -> Option<f64> {
    if unit.is_empty() { Some(1.0) } else { time_factor_us(unit).map(|factor| factor as f64) }
}

/// An expression's value, rounded down.
fn whole(value: f64) -> Result<u64, Expected> {
    // Beyond 2^53 floating point would no longer be exact.
    if value.is_finite() && (0.0..=9_007_199_254_740_992.0).contains(&value) {
        Ok(value.floor() as u64)
    } else {
        Err("an expression whose value is from 0 to 2^53".into())
    }
}
