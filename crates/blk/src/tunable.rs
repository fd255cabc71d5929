// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tunables of elevators: what they are called, how their values are written, clamped and refused.

use std::ops::RangeInclusive;

use base::suggest::meant_or_all;

/// A tunable of an elevator with its present value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tunable {
    /// Its name, as below `/sys/block/<disk>/queue/iosched`.
    pub name: &'static str,
    /// Unit of the value ("ms", "requests", …).
    pub unit: &'static str,
    /// What the tunable does, as a phrase for documents.
    pub doc: &'static str,
    /// The present value, a decimal number or one of the words.
    pub value: String,
    /// The value at attachment, likewise.
    pub default: String,
    /// What values there are.
    pub values: Values,
}

impl Tunable {
    /// Whether a number is in range. An elevator clamps one that is not, as the kernel's files do:
    /// who writes it to us is told instead. What is no number is the elevator's to refuse.
    ///
    /// # Errors
    /// The number is out of range.
    pub fn check_range(&self, written: &str) -> Result<(), TunableError> {
        let Values::Numbers { range, syntax } = &self.values else { return Ok(()) };
        match syntax.parse(written) {
            Ok(number) if !range.contains(&number) => Err(TunableError::OutOfRange {
                name: self.name,
                value: written.to_owned(),
                min: *range.start(),
                max: *range.end(),
            }),
            _ => Ok(()),
        }
    }
}

/// The values of a tunable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// Whole numbers, all that are in range.
    Numbers {
        /// From the least to the greatest.
        range: RangeInclusive<i128>,
        /// How they are written.
        syntax: NumberSyntax,
    },
    /// One of these words.
    Words(&'static [&'static str]),
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Values::Numbers { range, .. } => write!(f, "{} to {}", range.start(), range.end()),
            Values::Words(words) => f.write_str(&words.join(" or ")),
        }
    }
}

/// Why a tunable was not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TunableError {
    /// The elevator has no such tunable.
    #[error("{elevator} has no tunable `{name}`{}", meant_or_all(name, known))]
    Unknown {
        /// The name of the elevator that was asked.
        elevator: &'static str,
        /// The tunable's name as the caller wrote it.
        name: String,
        /// The names of all its tunables.
        known: Vec<&'static str>,
    },
    /// The value is none that it takes (the kernel's EINVAL).
    #[error("{name}={value}: expected {expected}")]
    NotAValue {
        /// Name of the tunable.
        name: &'static str,
        /// The value as the caller wrote it.
        value: String,
        /// What a value looks like.
        expected: &'static str,
    },
    /// A number that the tunable does not have, where it is not to be clamped.
    #[error("{name}={value}: expected a number from {min} to {max}")]
    OutOfRange {
        /// Name of the tunable.
        name: &'static str,
        /// The value as the caller wrote it.
        value: String,
        /// The least value taken.
        min: i128,
        /// The greatest value taken.
        max: i128,
    },
    /// The value does not fit the machine's number (the kernel's ERANGE).
    #[error("{name}={value}: too large a number, expected one from {min} to {max}")]
    TooLarge {
        /// Name of the tunable.
        name: &'static str,
        /// The value as the caller wrote it, which the machine's number cannot hold.
        value: String,
        /// The least value taken.
        min: i128,
        /// The greatest value taken.
        max: i128,
    },
}

impl TunableError {
    /// The error for a name that is not among `known`.
    pub fn unknown(
        elevator: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> TunableError {
        TunableError::Unknown {
            elevator,
            name: name.to_owned(),
            known: known.into_iter().collect(),
        }
    }

    /// The error number (Linux numbering) that a write to the tunable's file would give.
    pub fn errno(&self) -> i32 {
        match self {
            TunableError::Unknown { .. } => 2,
            TunableError::NotAValue { .. } => 22,
            TunableError::OutOfRange { .. } | TunableError::TooLarge { .. } => 34,
        }
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberSyntax {
    /// Decimal digits after an optional `+`; at most 64 bits.
    Unsigned,
    /// An optional sign, then decimal digits, `0x` and hexadecimal digits, or `0` and octal digits;
    /// at most 32 bits.
    SignedAnyBase,
}

/// Why a text is not taken as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberError {
    /// The text is no number in this syntax.
    NotANumber,
    /// It is one, of too many bits.
    TooLarge,
}

impl NumberSyntax {
    /// What a number looks like, for messages.
    pub fn expected(self) -> &'static str {
        match self {
            NumberSyntax::Unsigned => "a decimal number",
            NumberSyntax::SignedAnyBase => "a number (decimal, 0x hexadecimal, 0 octal)",
        }
    }

    /// Reads a number; one newline may follow it.
    ///
    /// # Errors
    /// If the text is not a number of this syntax, or one of too many bits.
    pub fn parse(self, text: &str) -> Result<i128, NumberError> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        match self {
            NumberSyntax::Unsigned => {
                let digits = text.strip_prefix('+').unwrap_or(text);
                digits_value(digits, 10, u64::MAX.into())
            }
            NumberSyntax::SignedAnyBase => {
                let (negative, rest) = match text.strip_prefix(['+', '-']) {
                    Some(rest) => (text.starts_with('-'), rest),
                    None => (false, text),
                };
                let (digits, base) = if let Some(digits) =
                    rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))
                {
                    (digits, 16)
                } else if rest.len() > 1 && rest.starts_with('0') {
                    (&rest[1..], 8)
                } else {
                    (rest, 10)
                };
                let limit = i128::from(i32::MAX) + i128::from(negative);
                let value = digits_value(digits, base, limit)?;
                Ok(if negative { -value } else { value })
            }
        }
    }
}

fn digits_value(digits: &str, base: u32, limit: i128) -> Result<i128, NumberError> {
    if digits.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let mut value: i128 = 0;
    for digit in digits.chars() {
        let digit = digit.to_digit(base).ok_or(NumberError::NotANumber)?;
        // Beyond the limit only the rest of the text matters: garbage is no number at all.
        if value <= limit {
            value = value * i128::from(base) + i128::from(digit);
        }
    }
    if value > limit { Err(NumberError::TooLarge) } else { Ok(value) }
}

/// A row of an elevator's table of tunables, whose values are in a `T` and are numbers of type `V`.
#[derive(Debug)]
pub struct TunableSpec<T, V = i64> {
    /// See [`Tunable::name`] for the meaning.
    pub name: &'static str,
    /// See [`Tunable::unit`] for the meaning.
    pub unit: &'static str,
    /// See [`Tunable::doc`] for the meaning.
    pub doc: &'static str,
    /// The least value; smaller ones are raised to it.
    pub min: V,
    /// The greatest value; greater ones are lowered to it.
    pub max: V,
    /// How a value is written.
    pub syntax: NumberSyntax,
    /// The value at attachment.
    pub default: fn(&T) -> V,
    /// Reads the present value.
    pub get: fn(&T) -> V,
    /// Takes a value that is in range.
    pub set: fn(&mut T, V),
}

impl<T, V: Copy + Ord + Into<i128> + TryFrom<i128>> TunableSpec<T, V> {
    /// All rows of `table` with their values in `source`.
    pub fn read(table: &[TunableSpec<T, V>], source: &T) -> Vec<Tunable> {
        table
            .iter()
            .map(|row| Tunable {
                name: row.name,
                unit: row.unit,
                doc: row.doc,
                value: (row.get)(source).into().to_string(),
                default: (row.default)(source).into().to_string(),
                values: Values::Numbers {
                    range: row.min.into()..=row.max.into(),
                    syntax: row.syntax,
                },
            })
            .collect()
    }

    /// Parses `value`, clamps it and stores it in `target` by the row called `name`.
    ///
    /// # Errors
    /// If no row of `table` has that name, or the value is no number, or too large a one.
    pub fn write(
        table: &'static [TunableSpec<T, V>],
        elevator: &'static str,
        target: &mut T,
        name: &str,
        value: &str,
    ) -> Result<(), TunableError> {
        let Some(row) = table.iter().find(|row| row.name == name) else {
            return Err(TunableError::unknown(elevator, name, table.iter().map(|row| row.name)));
        };
        let number = row.syntax.parse(value).map_err(|error| match error {
            NumberError::NotANumber => TunableError::NotAValue {
                name: row.name,
                value: value.to_owned(),
                expected: row.syntax.expected(),
            },
            NumberError::TooLarge => TunableError::TooLarge {
                name: row.name,
                value: value.to_owned(),
                min: row.min.into(),
                max: row.max.into(),
            },
        })?;
        let least_or_greatest = if number < row.min.into() { row.min } else { row.max };
        let in_range = V::try_from(number).map(|value| value.clamp(row.min, row.max));
        (row.set)(target, in_range.unwrap_or(least_or_greatest));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_a_range_or_a_choice() {
        let numbers = Values::Numbers { range: -1..=3, syntax: NumberSyntax::SignedAnyBase };
        assert_eq!(numbers.to_string(), "-1 to 3");
        assert_eq!(Values::Words(&["old", "new"]).to_string(), "old or new");
    }

    #[test]
    fn unsigned_numbers() {
        for (text, value) in [
            ("0", Ok(0)),
            ("+8\n", Ok(8)),
            ("007", Ok(7)),
            ("18446744073709551615", Ok(i128::from(u64::MAX))),
            ("18446744073709551616", Err(NumberError::TooLarge)),
            ("99999999999999999999999999999999999999999999", Err(NumberError::TooLarge)),
            ("99999999999999999999999999999999999999999999x", Err(NumberError::NotANumber)),
            ("-1", Err(NumberError::NotANumber)),
            ("0x10", Err(NumberError::NotANumber)),
            (" 1", Err(NumberError::NotANumber)),
            ("1 ", Err(NumberError::NotANumber)),
            ("1\n\n", Err(NumberError::NotANumber)),
            ("+", Err(NumberError::NotANumber)),
            ("", Err(NumberError::NotANumber)),
        ] {
            assert_eq!(NumberSyntax::Unsigned.parse(text), value, "{text:?}");
        }
    }

    #[test]
    fn signed_numbers_of_any_base() {
        for (text, value) in [
            ("16", Ok(16)),
            ("-3", Ok(-3)),
            ("0x10", Ok(16)),
            ("-0X1f\n", Ok(-31)),
            ("010", Ok(8)),
            ("0", Ok(0)),
            ("2147483647", Ok(2_147_483_647)),
            ("2147483648", Err(NumberError::TooLarge)),
            ("-2147483648", Ok(-2_147_483_648)),
            ("-2147483649", Err(NumberError::TooLarge)),
            ("08", Err(NumberError::NotANumber)),
            ("0x", Err(NumberError::NotANumber)),
            ("1.5", Err(NumberError::NotANumber)),
            ("--1", Err(NumberError::NotANumber)),
        ] {
            assert_eq!(NumberSyntax::SignedAnyBase.parse(text), value, "{text:?}");
        }
    }

    #[test]
    fn a_table_may_use_the_whole_range_of_its_numbers() {
        static UNSIGNED: [TunableSpec<u64, u64>; 1] = [TunableSpec {
            name: "x",
            unit: "ns",
            doc: "",
            min: 10,
            max: u64::MAX,
            syntax: NumberSyntax::Unsigned,
            default: |_| 10,
            get: |value| *value,
            set: |target, value| *target = value,
        }];
        for (written, value) in [("18446744073709551615", u64::MAX), ("9", 10), ("11", 11)] {
            let mut target = 0;
            TunableSpec::write(&UNSIGNED, "test", &mut target, "x", written).expect(written);
            assert_eq!(target, value, "{written}");
        }
    }
}
