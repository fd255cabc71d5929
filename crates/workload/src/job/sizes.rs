// SPDX-License-Identifier: MIT OR Apache-2.0
//! How large I/Os and the stretches they go to are: `bs`, `size`, `offset` and their kin.

/// The sizes of the I/Os of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockSizes {
    /// `bs`: always this many bytes.
    Fixed(u32),
    /// `bsrange`: a multiple of the first number of bytes, up to the second.
    Range(u32, u32),
    /// `bssplit`: bytes, and how many percent of the I/Os have that size; the percentages add
    /// up to 100.
    Split(Vec<(u32, u8)>),
}

impl BlockSizes {
    /// The smallest size, bytes. Random offsets are multiples of it.
    pub fn min_bytes(&self) -> u32 {
        match self {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range(min, _) => *min,
            BlockSizes::Split(parts) => parts.iter().map(|part| part.0).min().unwrap_or(0),
        }
    }

    /// The largest size, bytes.
    pub fn max_bytes(&self) -> u32 {
        match self {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range(_, max) => *max,
            BlockSizes::Split(parts) => parts.iter().map(|part| part.0).max().unwrap_or(0),
        }
    }
}

/// An amount of the target: bytes, or a share of a file or of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A number of bytes.
    Bytes(u64),
    /// A part of the whole, in percent, 0 to 100.
    Percent(u8),
}

impl Extent {
    /// The amount in bytes, where `whole_bytes` is what a percentage is taken of (rounded down).
    pub fn of(self, whole_bytes: u64) -> u64 {
        match self {
            Extent::Bytes(bytes) => bytes,
            Extent::Percent(percent) => {
                (u128::from(whole_bytes) * u128::from(percent) / 100) as u64
            }
        }
    }
}
