// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people read: times, sizes and rates in the unit that suits each, and errors in a line.
//!
//! Own code: libraries for this print bytes, or times of the calendar; three digits with a unit of
//! time they do not.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::error::Error;

/// A time in the unit that suits it, with three digits: `89.2 µs`.
pub fn time(ns: u64) -> String {
    if ns < 1_000 {
        return format!("{ns} ns");
    }
    let (unit_ns, unit) = time_unit(ns);
    let text = three_digits(ns as f64 / unit_ns);
    match text.as_str() {
        // Rounded up to the next unit.
        "1000" if unit != "s" => time(unit_ns as u64 * 1000),
        _ => format!("{text} {unit}"),
    }
}

/// A number from 1 with three digits, or more if there are more before the point.
fn three_digits(value: f64) -> String {
    // What it is rounded to decides: 9.999 is 10.0.
    let texts = [format!("{value:.2}"), format!("{value:.1}")];
    texts.into_iter().find(|text| text.len() <= "9.99".len()).unwrap_or(format!("{value:.0}"))
}

/// The unit (µs, ms or s; its length in ns) that suits times up to `ns`.
pub const fn time_unit(ns: u64) -> (f64, &'static str) {
    match ns {
        0..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// An amount of data in the binary unit that suits it, with a digit behind the point if there is
/// something to show: `4 KiB`, `1.5 GiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let place = (bytes.ilog2() / 10) as usize;
    let value = bytes as f64 / (1_u64 << (10 * place)) as f64;
    let digits = usize::from(!bytes.is_multiple_of(1 << (10 * place)));
    let text = format!("{value:.digits$}");
    match text.as_str() {
        // Rounded up to the next unit.
        "1024.0" => format!("1.0 {}", UNITS[place]),
        _ => format!("{text} {}", UNITS[place - 1]),
    }
}

/// An amount of data in powers of 1000, as disks and their speed are told, in at most seven
/// letters: `67.1 MB`, `256 GB`.
pub fn decimal_size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // What would be rounded to 1000 is 1.0 of the next unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(value < 99.95);
    format!("{value:.digits$} {}", UNITS[unit])
}

/// The size of a request, as it was chosen: exact.
pub fn exact_size(bytes: u64) -> String {
    match bytes {
        0 => size(0),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

/// A rate in MB/s, without the unit; three digits or more.
pub fn megabytes(bytes_per_s: u64) -> String {
    let value = bytes_per_s as f64 / 1e6;
    match value {
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// I/Os a second, without a unit; three digits or more.
pub fn iops(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A share of 1 in percent, without the sign.
pub fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// A text without letters that a terminal would obey: names are chosen by others.
pub fn printable(text: &str) -> String {
    text.replace(char::is_control, "?")
}

/// Words in lines of at most `letters` letters, broken between words.
pub fn wrapped(words: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in words.split_whitespace() {
        let word_length = word.chars().count();
        if length > 0 && length + 1 + word_length > letters {
            lines.push(String::new());
            length = 0;
        }
        let Some(line) = lines.last_mut() else { break };
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
    }
    lines
}

/// An error and what caused it, in one line. An error that already tells its cause is not followed
/// by it.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Outer(&'static str, #[source] core::num::ParseIntError);

    #[test]
    fn no_cause_is_told_twice() {
        let cause = || "x".parse::<u8>().unwrap_err();
        assert_eq!(with_causes(&Outer("line 3", cause())), "line 3: invalid digit found in string");
        let whole = Outer("line 3: invalid digit found in string", cause());
        assert_eq!(with_causes(&whole), "line 3: invalid digit found in string");
    }

    #[test]
    fn times_have_three_digits() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_994, "9.99 µs"),
            (9_999, "10.0 µs"),
            (89_250, "89.2 µs"),
            (99_960, "100 µs"),
            (999_499, "999 µs"),
            (999_999, "1.00 ms"),
            (999_999_999, "1.00 s"),
            (999_999_999_999, "1000 s"),
            (123_456, "123 µs"),
            (123_456_789, "123 ms"),
            (2_500_000_000, "2.50 s"),
            (u64::MAX, "18446744074 s"),
        ] {
            assert_eq!(time(ns), text);
        }
    }

    #[test]
    fn sizes_have_a_digit_more_if_that_says_more() {
        for (bytes, text) in [
            (0, "0 B"),
            (512, "512 B"),
            (4096, "4 KiB"),
            (1536, "1.5 KiB"),
            (1_048_575, "1.0 MiB"),
            ((1 << 30) - 1, "1.0 GiB"),
            (5000, "4.9 KiB"),
            (1 << 21, "2 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        let exact = [0, 512, 4096, 1536, 1 << 21, 3 << 20].map(exact_size);
        assert_eq!(
            exact,
            ["0 B", "512 B", "4 KiB", "1536 B", "2 MiB", "3 MiB"].map(|t| t.to_string())
        );
    }

    #[test]
    fn decimal_sizes_have_seven_letters_at_most() {
        for (bytes, text) in [
            (0, "0 B"),
            (512, "512 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (99_949, "99.9 kB"),
            (99_950, "100 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (67_108_864, "67.1 MB"),
            (256_060_514_304, "256 GB"),
            (2_000_398_934_016, "2.0 TB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(decimal_size(bytes), text);
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_printed() {
        assert_eq!(printable("two\nlines\x1b[2J\u{9b}é"), "two?lines?[2J?é");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable", 3), ["unbreakable"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn rates_and_shares() {
        assert_eq!(
            [1_234_567, 123_456_789, 1_234_567_890].map(megabytes),
            ["1.23", "123.5", "1235"]
        );
        assert_eq!([1.234, 12.34, 1234.4].map(iops), ["1.23", "12.3", "1234"]);
        assert_eq!(percent(0.12345), "12.3");
    }
}
