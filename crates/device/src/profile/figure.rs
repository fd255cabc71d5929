// SPDX-License-Identifier: MIT OR Apache-2.0
//! A number of a profile, with all that is known of it.

use super::schema::ParameterRow;

/// How far a figure may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Not at all: it is given by definition.
    Exact,
    /// By this percentage to either side.
    Percent(u32),
}

/// One number of a profile with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it is: name, kind of number, range, meaning.
    pub row: &'static ParameterRow,
    /// The number, in base units of [`ParameterRow::quantity`].
    pub value: u64,
    /// The number as it was written, in `unit`.
    pub text: String,
    /// The unit that it was written in.
    pub unit: String,
    /// Where it comes from; "assumed" where it was not published.
    pub source: String,
    /// How far off the real disks may be.
    pub tolerance: Tolerance,
    pub(crate) line: u32,
}
