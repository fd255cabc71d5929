// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of bytes that are alike: allocated or a hole, zeros or data.

/// A run of bytes of an export, as `base:allocation` describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Its length, in bytes.
    pub length_bytes: u64,
    /// Nothing is allocated for it.
    pub hole: bool,
    /// It reads as zeros.
    pub zero: bool,
}

impl Extent {
    const HOLE: u32 = 1 << 0;
    const ZERO: u32 = 1 << 1;

    /// Data, as far as is known.
    pub const fn data(length_bytes: u64) -> Self {
        Self { length_bytes, hole: false, zero: false }
    }

    /// A hole, which reads as zeros.
    pub const fn hole(length_bytes: u64) -> Self {
        Self { length_bytes, hole: true, zero: true }
    }

    /// The flags of its descriptor.
    pub(crate) fn flags(self) -> u32 {
        let hole = if self.hole { Self::HOLE } else { 0 };
        hole | if self.zero { Self::ZERO } else { 0 }
    }

    /// What a descriptor says; flags that are not known are ignored.
    pub(crate) fn of_flags(length_bytes: u64, flags: u32) -> Self {
        Self { length_bytes, hole: flags & Self::HOLE != 0, zero: flags & Self::ZERO != 0 }
    }
}
