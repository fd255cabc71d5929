// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decimal numbers with units, read exactly: `0.1` `ms` is 100,000 ns on every machine, because no
//! floating point takes part.

use super::error::Mistake;

/// What kind of number a value is; decides the units that it may be given in. In memory it is a
/// whole number of the base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A span of time; base unit: nanoseconds.
    Time,
    /// A size or length; base unit: bytes.
    Size,
    /// A rate of transfer; base unit: bytes a second.
    Rate,
    /// A speed of rotation, in turns a minute.
    Rotation,
    /// A frequency of operations, in operations a second.
    Frequency,
    /// A share; base unit: millionths.
    Share,
    /// Yes or no: 0 or 1.
    Flag,
    /// A number of the things named.
    Count(&'static str),
}

const TIME: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
const SIZE: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
    ("sectors", 512),
];
const RATE: &[(&str, u64)] = &[
    ("B/s", 1),
    ("kB/s", 1_000),
    ("KiB/s", 1 << 10),
    ("MB/s", 1_000_000),
    ("MiB/s", 1 << 20),
    ("GB/s", 1_000_000_000),
    ("GiB/s", 1 << 30),
];

impl Quantity {
    /// The units that it may be given in, each with its size in base units.
    fn units(self) -> &'static [(&'static str, u64)] {
        match self {
            Quantity::Time => TIME,
            Quantity::Size => SIZE,
            Quantity::Rate => RATE,
            Quantity::Rotation => &[("rpm", 1)],
            Quantity::Frequency => &[("IOPS", 1)],
            Quantity::Share => &[("%", 10_000)],
            Quantity::Flag => &[("flag", 1)],
            Quantity::Count(_) => &[],
        }
    }

    /// How many base units one `unit` is.
    pub(crate) fn unit_size(self, unit: &str) -> Result<u64, Mistake> {
        if let Quantity::Count(things) = self {
            if unit == things {
                return Ok(1);
            }
        } else if let Some((_, size)) = self.units().iter().find(|(name, _)| *name == unit) {
            return Ok(*size);
        }
        Err(Mistake::new(format!("unit \"{unit}\""), self.unit_names()))
    }

    /// The units that it may be given in, as a phrase.
    pub fn unit_names(self) -> String {
        match self {
            Quantity::Count(things) => format!("\"{things}\""),
            _ => {
                let names: Vec<_> =
                    self.units().iter().map(|(name, _)| format!("\"{name}\"")).collect();
                names.join(", ")
            }
        }
    }

    /// The base unit.
    pub(crate) fn base_unit(self) -> &'static str {
        match self {
            Quantity::Time => "ns",
            Quantity::Size => "B",
            Quantity::Rate => "B/s",
            Quantity::Rotation => "rpm",
            Quantity::Frequency => "IOPS",
            Quantity::Share => "millionths",
            Quantity::Flag => "flag",
            Quantity::Count(things) => things,
        }
    }

    /// `text` in `unit`, as a whole number of base units.
    pub(crate) fn read(self, text: &str, unit: &str) -> Result<u64, Mistake> {
        let unit_size = self.unit_size(unit)?;
        if self == Quantity::Flag {
            return match text {
                "0" | "false" => Ok(0),
                "1" | "true" => Ok(1),
                _ => Err(Mistake::new(format!("value {text}"), "0 or 1")),
            };
        }
        scale_decimal(text, unit_size).ok_or_else(|| {
            let expected = match self {
                Quantity::Share if is_too_large(text, unit_size) => {
                    format!("at most {} {unit}", u64::MAX / unit_size)
                }
                _ if is_too_large(text, unit_size) => {
                    format!("less than 2^64 {}", self.base_unit())
                }
                Quantity::Count(_) | Quantity::Rotation | Quantity::Frequency => {
                    "a whole number, not negative".to_owned()
                }
                Quantity::Share => {
                    "a plain decimal number of at most four digits after the point".to_owned()
                }
                _ => format!("a plain decimal number, a multiple of 1 {}", self.base_unit()),
            };
            Mistake::new(format!("value {text} {unit}"), expected)
        })
    }

    /// Reads a number with its unit: `64MiB`, `1.5 s`.
    ///
    /// # Errors
    /// It is none of this quantity; the text says what was expected.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let (number, unit) = Quantity::split(text.trim());
        self.read(number, unit).map_err(|mistake| {
            if number.is_empty() || self.unit_size(unit).is_err() {
                return format!("a number with a unit: {}", self.unit_names());
            }
            mistake.expected
        })
    }

    /// A whole number of base units as a profile writes it, exactly: number and unit.
    pub fn written(self, value: u64) -> (String, &'static str) {
        if let Quantity::Count(things) = self {
            return (value.to_string(), things);
        }
        let is_decimal = |size: u64| size == 10u64.pow(size.ilog10());
        let suits = |size: u64| match self {
            // Sizes are mostly powers of two; a long fraction tells nothing.
            Quantity::Size => value > 0 && value.is_multiple_of(size) && size != 512,
            Quantity::Share => true,
            _ => is_decimal(size) && size <= value,
        };
        let fitting = self.units().iter().rev().find(|(_, size)| suits(*size));
        let (unit, size) = *fitting.unwrap_or(&self.units()[0]);
        let (whole, fraction) = (value / size, value % size);
        if fraction == 0 {
            return (whole.to_string(), unit);
        }
        let digits = size.ilog10() as usize;
        let fraction = format!("{fraction:0digits$}");
        (format!("{whole}.{}", fraction.trim_end_matches('0')), unit)
    }

    /// A whole number of base units in that unit if it is a decimal there, else as a profile writes
    /// it: number and unit.
    pub(crate) fn in_unit(self, value: u64, unit: &str) -> String {
        let decimal = self.unit_size(unit).ok().and_then(|size| decimal(value, size));
        match decimal {
            Some(number) => format!("{number} {unit}"),
            None => self.told(value),
        }
    }

    /// A whole number of base units for messages, so that it can be written back.
    pub(crate) fn told(self, value: u64) -> String {
        let (number, unit) = self.written(value);
        format!("{number} {unit}")
    }

    /// Splits `12ms` into number and unit; the unit is empty if none was written.
    pub(crate) fn split(text: &str) -> (&str, &str) {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        (number, unit.trim_start())
    }
}

/// `text` × `scale` if that is a whole number; `text` is digits with at most one point.
fn scale_decimal(text: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let fraction_scale = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let fraction: u64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let below_one = fraction.checked_mul(scale)?;
    if below_one % fraction_scale != 0 {
        return None;
    }
    whole.parse::<u64>().ok()?.checked_mul(scale)?.checked_add(below_one / fraction_scale)
}

/// `value` / `size` as a decimal number, if it is one with at most 18 digits behind the point.
fn decimal(value: u64, size: u64) -> Option<String> {
    let (whole, mut rest) = (value / size, u128::from(value % size));
    let mut text = whole.to_string();
    for place in 0..18 {
        if rest == 0 {
            return Some(text);
        }
        if place == 0 {
            text.push('.');
        }
        rest *= 10;
        text.push_str(&(rest / u128::from(size)).to_string());
        rest %= u128::from(size);
    }
    (rest == 0).then_some(text)
}

/// Whether `text` × `scale` is a number, and one that 64 bits do not hold.
fn is_too_large(text: &str, scale: u64) -> bool {
    text.parse::<f64>().is_ok_and(|number| number * scale as f64 >= u64::MAX as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let cases = [
            (Quantity::Time, "0.1", "ms", Some(100_000)),
            (Quantity::Time, "8", "ms", Some(8_000_000)),
            (Quantity::Time, "1.5", "m", Some(90_000_000_000)),
            (Quantity::Time, "2", "h", Some(7_200_000_000_000)),
            (Quantity::Time, "0.0000001", "ms", None),
            (Quantity::Time, "1.50", "us", Some(1_500)),
            (Quantity::Rate, "62.5", "MB/s", Some(62_500_000)),
            (Quantity::Size, "256", "GiB", Some(274_877_906_944)),
            (Quantity::Size, "0.3", "B", None),
            (Quantity::Size, "99999999999999", "TB", None),
            (Quantity::Share, "7.37", "%", Some(73_700)),
            (Quantity::Count("heads"), "4", "heads", Some(4)),
            (Quantity::Count("heads"), "4.5", "heads", None),
            (Quantity::Count("heads"), "-4", "heads", None),
            (Quantity::Count("heads"), "4", "zones", None),
            (Quantity::Time, "1e3", "ms", None),
            (Quantity::Time, "", "ms", None),
            (Quantity::Time, ".", "ms", None),
            (Quantity::Time, "1", "MB", None),
            (Quantity::Flag, "true", "flag", Some(1)),
            (Quantity::Flag, "2", "flag", None),
        ];
        for (quantity, text, unit, expected) in cases {
            assert_eq!(quantity.read(text, unit).ok(), expected, "{text} {unit}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let cases = [
            (Quantity::Time, 0, "0", "ns"),
            (Quantity::Time, 950, "950", "ns"),
            (Quantity::Time, 7_400_000, "7.4", "ms"),
            (Quantity::Time, 88_192, "88.192", "us"),
            (Quantity::Time, 120_000_000_000, "120", "s"),
            (Quantity::Rate, 62_500_000, "62.5", "MB/s"),
            (Quantity::Rate, 3_512_345_678, "3.512345678", "GB/s"),
            (Quantity::Size, 256 << 30, "256", "GiB"),
            (Quantity::Size, 1_000_204_886_016, "976762584", "KiB"),
            (Quantity::Size, 0, "0", "B"),
            (Quantity::Share, 73_700, "7.37", "%"),
            (Quantity::Frequency, 122, "122", "IOPS"),
            (Quantity::Rotation, 7_200, "7200", "rpm"),
            (Quantity::Flag, 1, "1", "flag"),
            (Quantity::Count("heads"), 4, "4", "heads"),
        ];
        for (quantity, value, text, unit) in cases {
            assert_eq!(quantity.written(value), (text.to_owned(), unit), "{value}");
            assert_eq!(quantity.read(text, unit).ok(), Some(value), "{text} {unit}");
        }
    }

    #[test]
    fn a_number_with_its_unit_is_read_or_the_units_are_named() {
        assert_eq!(Quantity::Size.parse("64MiB"), Ok(64 << 20));
        assert_eq!(Quantity::Time.parse(" 1.5 s "), Ok(1_500_000_000));
        for text in ["", "7", "MB/s", "7 parsecs"] {
            let expected = Quantity::Rate.parse(text).unwrap_err();
            assert!(expected.contains("\"MB/s\""), "{text}: {expected}");
        }
        let expected = Quantity::Size.parse("0.3B").unwrap_err();
        assert_eq!(expected, "a plain decimal number, a multiple of 1 B");
        let expected = Quantity::Size.parse("99999999TiB").unwrap_err();
        assert_eq!(expected, "less than 2^64 B");
    }

    #[test]
    fn bounds_are_told_in_the_unit_of_the_value_where_they_have_decimals() {
        let cases = [
            (Quantity::Share, 10_000, "%", "1 %"),
            (Quantity::Share, 10_000_000, "%", "1000 %"),
            (Quantity::Size, 4096, "MiB", "0.00390625 MiB"),
            (Quantity::Size, 1 << 40, "MiB", "1048576 MiB"),
            (Quantity::Size, 1 << 20, "MB", "1.048576 MB"),
            (Quantity::Time, 100, "us", "0.1 us"),
            (Quantity::Time, 1_000, "h", "1 us"),
            (Quantity::Count("heads"), 64, "heads", "64 heads"),
        ];
        for (quantity, value, unit, expected) in cases {
            assert_eq!(quantity.in_unit(value, unit), expected);
            let (number, unit) = Quantity::split(expected);
            assert_eq!(quantity.read(number, unit).ok(), Some(value), "{expected}");
        }
    }

    #[test]
    fn a_number_is_split_from_its_unit() {
        for (text, split) in [
            ("12ms", ("12", "ms")),
            ("0.5 MB/s", ("0.5", "MB/s")),
            ("7", ("7", "")),
            ("x", ("", "x")),
        ] {
            assert_eq!(Quantity::split(text), split);
        }
    }
}
