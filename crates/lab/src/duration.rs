// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times as people write them (`--runtime`).

/// Reads a time as fio's `runtime` has it: seconds, or a number with `us`, `ms`, `s`, `m`,
/// `h` or `d`.
///
/// # Errors
/// If it is none, or 0.
pub fn duration_ns(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected a time such as 10, 10s, 500ms or 2m";
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit_ns: u64 = match &text[digits.len()..] {
        "us" => 1_000,
        "ms" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    match number.checked_mul(unit_ns) {
        Some(0) => Err(EXPECTED.to_owned()),
        None => Err("expected a time of less than 584 years".to_owned()),
        Some(ns) => Ok(ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, ns) in [
            ("10", 10_000_000_000),
            ("10s", 10_000_000_000),
            ("500ms", 500_000_000),
            ("7us", 7_000),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("1d", 86_400_000_000_000),
        ] {
            assert_eq!(duration_ns(text), Ok(ns), "{text}");
        }
        for text in ["", "s", "0", "-1", "1.5", "1 s", "10x", "99999999999d"] {
            assert!(duration_ns(text).is_err(), "{text}");
        }
    }
}
