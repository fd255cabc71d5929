// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the records of a trace come in order of time.

use crate::error::TracePosition;
use std::fmt;

/// The records of a trace that are earlier than one before them. Displayed as `2, the first in
/// line 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfOrder {
    /// How many there are.
    pub records: u64,
    /// Where the first of them stands.
    pub first: TracePosition,
}

impl fmt::Display for OutOfOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.records)?;
        match self.first {
            TracePosition::File => Ok(()),
            TracePosition::Line(line) => write!(f, ", the first in line {line}"),
            TracePosition::Byte(byte) => write!(f, ", the first at byte {byte}"),
        }
    }
}

/// Looks at the times of records, as they come.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeOrder {
    latest_ns: u64,
    out_of_order: Option<OutOfOrder>,
}

impl TimeOrder {
    /// Takes the time of the next record in; `place` says where that stands.
    pub fn add(&mut self, time_ns: u64, place: impl FnOnce() -> TracePosition) {
        if time_ns >= self.latest_ns {
            self.latest_ns = time_ns;
            return;
        }
        let nothing = || OutOfOrder { records: 0, first: place() };
        self.out_of_order.get_or_insert_with(nothing).records += 1;
    }

    /// What was out of order so far, if anything was.
    pub fn out_of_order(&self) -> Option<OutOfOrder> {
        self.out_of_order
    }
}
