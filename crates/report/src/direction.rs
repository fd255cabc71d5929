// SPDX-License-Identifier: MIT OR Apache-2.0
//! The direction of an I/O.

/// The direction of an I/O, numbered as in fio's logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// I/O that reads.
    Read = 0,
    /// I/O that writes.
    Write = 1,
    /// I/O that discards.
    Trim = 2,
}

impl Direction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];
}
