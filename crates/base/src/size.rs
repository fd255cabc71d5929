// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes as people write them.

/// Reads a size: a number of bytes, or one with `k`, `m`, `g`, `t` or `p`, powers of 1024.
///
/// # Errors
/// What was expected instead.
pub fn size_bytes(text: &str) -> Result<u64, &'static str> {
    const EXPECTED: &str = "expected a size such as 4096, 64m or 10g";
    const UNITS: [&[&str]; 6] = [
        &["", "b"],
        &["k", "kb", "kib"],
        &["m", "mb", "mib"],
        &["g", "gb", "gib"],
        &["t", "tb", "tib"],
        &["p", "pb", "pib"],
    ];
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let is_it = |names: &&[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(unit));
    let power = UNITS.iter().position(is_it).ok_or(EXPECTED)?;
    let number: u64 = digits.parse().map_err(|_| EXPECTED)?;
    number.checked_mul(1 << (10 * power)).ok_or("expected a size of less than 16384p")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("4096", 4096),
            ("0", 0),
            ("1k", 1 << 10),
            ("64M", 64 << 20),
            ("10GiB", 10 << 30),
            ("2tb", 2 << 40),
            ("3P", 3 << 50),
            ("5b", 5),
        ] {
            assert_eq!(size_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "-1", "1.5g", "1 g", "1x", "99999999999t"] {
            assert!(size_bytes(text).is_err(), "{text}");
        }
    }
}
