// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came of a replay.

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayOutcome {
    /// How many decisions of the log were compared.
    pub decisions: usize,
    /// How many of them differ.
    pub differ: usize,
    /// Lines whose time decides: they, and what follows at the same time, are taken half a
    /// microsecond earlier or later than they are written, which is how far times are rounded.
    pub rounded: Vec<usize>,
    /// The first decisions that differ, with what each side decided.
    pub first: Vec<Difference>,
    /// What has to be said of the comparison, if anything.
    pub note: Option<String>,
}

/// Where something stands in what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogPosition {
    /// The line of a log, from 1.
    Line(usize),
    /// The byte of a recording, from 0.
    Byte(usize),
}

impl std::fmt::Display for LogPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LogPosition::Line(line) => write!(f, "line {line}"),
            LogPosition::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// A decision that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where the recording says something else.
    pub at: LogPosition,
    /// What the recording says; empty if it says nothing.
    pub expected: String,
    /// What was decided; empty if nothing.
    pub decided: String,
}

/// Of how many differences the text is kept; the others are only counted.
pub(crate) const MOST_SHOWN: usize = 20;
