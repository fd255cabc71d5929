// SPDX-License-Identifier: MIT OR Apache-2.0
//! The direction of an I/O.

/// The direction of an I/O, numbered as in fio's logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Data comes from the disk.
    Read = 0,
    /// Data goes to the disk.
    Write = 1,
    /// The disk may forget what is there.
    Trim = 2,
}

impl Direction {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];
}
