// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a format is to the [`TraceReader`](crate::TraceReader), and what parsers of lines have in
//! common.

use crate::error::{Mistake, TraceError, TracePosition};
use crate::names::Names;
use crate::record::Record;
use base::SECTOR_BYTES;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// A format at work on its source.
pub(crate) trait Parser {
    /// The next record; none at the end. After an error that can be skipped it can be asked again.
    fn next(&mut self, names: &mut Names) -> Result<Option<Record>, TraceError>;

    /// Where the record given last stands.
    fn place(&self) -> TracePosition;
}

/// A format in which a line is a record, or none.
pub(crate) trait LineFormat {
    /// What a line says; none: nothing of interest. It has no white space around it.
    fn parse(&mut self, line: &str, names: &mut Names) -> Result<Option<Record>, Mistake>;
}

/// The columns of a line, which has that number of them.
pub(crate) fn columns<'a, const N: usize>(
    words: impl Iterator<Item = &'a str>,
    form: &str,
) -> Result<[&'a str; N], Mistake> {
    let mut columns = [""; N];
    let mut count = 0;
    for word in words {
        if let Some(column) = columns.get_mut(count) {
            *column = word;
        }
        count += 1;
    }
    match count == N {
        true => Ok(columns),
        false => Err(Mistake::new(format!("the line has {count} columns"), form)),
    }
}

/// Where sectors lie, bytes: offset and length.
pub(crate) fn place_of_sectors(sector: u64, sectors: u64) -> Result<(u64, u64), Mistake> {
    let bytes = |sectors: u64| sectors.checked_mul(SECTOR_BYTES);
    bytes(sector)
        .zip(bytes(sectors))
        .filter(|&(offset, length)| offset.checked_add(length).is_some())
        .ok_or_else(|| {
            Mistake::new(format!("sector {sector} + {sectors}"), "an end below 2^64 bytes")
        })
}

/// The sectors that have these bytes: the first, and how many.
pub(crate) fn sectors_of(offset_bytes: u64, length_bytes: u64) -> (u64, u64) {
    let sector = offset_bytes / SECTOR_BYTES;
    (sector, offset_bytes.saturating_add(length_bytes).div_ceil(SECTOR_BYTES) - sector)
}

/// Reads a whole number; `what` names the column in the mistake.
pub(crate) fn number<T: FromStr<Err = ParseIntError>>(
    what: &str,
    word: &str,
) -> Result<T, Mistake> {
    word.parse().map_err(|error: ParseIntError| {
        let bits = 8 * size_of::<T>();
        match error.kind() {
            IntErrorKind::Empty => Mistake::new(format!("{what} is missing"), "a whole number"),
            IntErrorKind::PosOverflow => {
                Mistake::new(format!("{what} is {word}"), format!("a number below 2^{bits}"))
            }
            _ => Mistake::new(format!("{what} is \"{word}\""), "a whole number"),
        }
    })
}
