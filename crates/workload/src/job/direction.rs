// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads, writes, and the pattern in which a job does them (`rw`).

use base::Direction;
use std::ops::{Index, IndexMut};

/// A value for each direction, indexed by [`Direction`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerDirection<T> {
    /// The value that counts for reads.
    pub read: T,
    /// The value that counts for writes.
    pub write: T,
    /// The value that counts for trims.
    pub trim: T,
}

impl<T: Clone> PerDirection<T> {
    /// The same value for all directions.
    pub fn all(value: T) -> PerDirection<T> {
        PerDirection { read: value.clone(), write: value.clone(), trim: value }
    }
}

impl<T> PerDirection<T> {
    /// A value for each direction.
    pub fn of(value: impl Fn(Direction) -> T) -> PerDirection<T> {
        PerDirection {
            read: value(Direction::Read),
            write: value(Direction::Write),
            trim: value(Direction::Trim),
        }
    }
}

impl<T> Index<Direction> for PerDirection<T> {
    type Output = T;

    fn index(&self, direction: Direction) -> &T {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
            Direction::Trim => &self.trim,
        }
    }
}

impl<T> IndexMut<Direction> for PerDirection<T> {
    fn index_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
            Direction::Trim => &mut self.trim,
        }
    }
}

/// The pattern of I/O (`rw`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rw {
    /// Sequential reads: `read`, the default.
    #[default]
    Read,
    /// Sequential writes: `write`.
    Write,
    /// Sequential reads and writes, each with a position of its own: `rw`, `readwrite`.
    ReadWrite,
    /// Random reads: `randread`.
    RandRead,
    /// Random writes: `randwrite`.
    RandWrite,
    /// Random reads and writes: `randrw`.
    RandReadWrite,
    /// Sequential trims: `trim`.
    Trim,
    /// Random trims: `randtrim`.
    RandTrim,
    /// Each block is trimmed and then written, one after the other: `trimwrite`.
    TrimWrite,
    /// The same in random order: `randtrimwrite`.
    RandTrimWrite,
}

impl Rw {
    /// fio's name of the pattern.
    pub fn name(self) -> &'static str {
        match self {
            Rw::Read => "read",
            Rw::Write => "write",
            Rw::ReadWrite => "rw",
            Rw::RandRead => "randread",
            Rw::RandWrite => "randwrite",
            Rw::RandReadWrite => "randrw",
            Rw::Trim => "trim",
            Rw::RandTrim => "randtrim",
            Rw::TrimWrite => "trimwrite",
            Rw::RandTrimWrite => "randtrimwrite",
        }
    }

    /// Does it do I/O of that direction?
    pub fn has(self, direction: Direction) -> bool {
        match direction {
            Direction::Read => {
                matches!(self, Rw::Read | Rw::RandRead | Rw::ReadWrite | Rw::RandReadWrite)
            }
            Direction::Write => !matches!(self, Rw::Read | Rw::RandRead | Rw::Trim | Rw::RandTrim),
            Direction::Trim => matches!(self, Rw::Trim | Rw::RandTrim) || self.trims_first(),
        }
    }

    /// Does it read?
    pub fn reads(self) -> bool {
        self.has(Direction::Read)
    }

    /// Does it write?
    pub fn writes(self) -> bool {
        self.has(Direction::Write)
    }

    /// Does it trim?
    pub fn trims(self) -> bool {
        self.has(Direction::Trim)
    }

    /// Is each block trimmed before it is written?
    pub fn trims_first(self) -> bool {
        matches!(self, Rw::TrimWrite | Rw::RandTrimWrite)
    }

    /// Does it mix reads and writes?
    pub fn is_mixed(self) -> bool {
        matches!(self, Rw::ReadWrite | Rw::RandReadWrite)
    }

    /// Are its offsets random?
    pub fn is_random(self) -> bool {
        matches!(
            self,
            Rw::RandRead | Rw::RandWrite | Rw::RandReadWrite | Rw::RandTrim | Rw::RandTrimWrite
        )
    }
}

/// The number appended to `rw` after a colon, and what it means (`rw_sequencer`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetModifier {
    /// None was given.
    #[default]
    None,
    /// `rw=read:4k`: the bytes that are left out after each sequential I/O.
    HoleBytes(u64),
    /// `rw=randread:8`: how many I/Os have one random offset, sequential from there.
    RunOf(u32),
    /// `rw=randread:8`, `rw_sequencer=identical`: how many times every offset is used.
    RepeatOf(u32),
}
