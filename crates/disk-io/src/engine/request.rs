// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request as the engine takes it.

use base::Op;

/// The longest discard that may be asked for: the engine counts its bytes in 32 bits.
pub const LARGEST_DISCARD_SECTORS: u32 = 1 << 22;

/// A request of the block layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// Whether it reads, writes, discards or flushes.
    pub op: Op,
    /// Where on the target it begins, in bytes.
    pub offset_bytes: u64,
    /// How long it is, in bytes.
    pub length_bytes: u32,
}
