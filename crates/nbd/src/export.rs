// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an export is: its size, what can be done with it, the blocks that it likes.

use std::ops::BitOr;

/// What a client is told of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Its size, in bytes.
    pub size_bytes: u64,
    /// What can be done with it.
    pub features: Features,
    /// The blocks it likes and the longest payload.
    pub block_sizes: BlockSizes,
    /// For people; may be empty.
    pub description: String,
    /// Which parts are holes can be asked (`base:allocation`).
    pub allocation: bool,
}

/// What can be done with an export: a set, joined by `|`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features(u16);

impl Features {
    /// Nothing but reads and writes.
    pub const NONE: Self = Self(0);
    /// It cannot be written.
    pub const READ_ONLY: Self = Self(1 << 1);
    /// The export takes flushes.
    pub const FLUSH: Self = Self(1 << 2);
    /// Writes that are durable when they end (FUA).
    pub const FUA: Self = Self(1 << 3);
    /// Seeks take time on the export: it lies on a rotating disk.
    pub const ROTATIONAL: Self = Self(1 << 4);
    /// The export takes discards.
    pub const TRIM: Self = Self(1 << 5);
    /// Zeros that are written without being sent.
    pub const WRITE_ZEROES: Self = Self(1 << 6);
    /// Reads that are answered in one piece. The machines add and remove it: it is there if a
    /// reply can have pieces at all.
    pub const DONT_FRAGMENT: Self = Self(1 << 7);
    /// A flush on one connection covers what was acknowledged on any other.
    pub const MULTI_CONN: Self = Self(1 << 8);
    /// The size can be changed by a client.
    pub const RESIZE: Self = Self(1 << 9);
    /// Hints on what will be read.
    pub const CACHE: Self = Self(1 << 10);
    /// Zeros only if they are faster than a write; only together with [`Self::WRITE_ZEROES`].
    pub const FAST_ZERO: Self = Self(1 << 11);

    const HAS_FLAGS: u16 = 1 << 0;

    /// Whether all of `other` are in it.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those of `self` that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The transmission flags that are sent, for a connection whose replies can have pieces or not.
    pub(crate) fn on_the_wire(self, pieces: bool) -> [u8; 2] {
        let mut features = self.without(Self::DONT_FRAGMENT);
        if pieces {
            features = features | Self::DONT_FRAGMENT;
        }
        if !self.contains(Self::WRITE_ZEROES) {
            features = features.without(Self::FAST_ZERO);
        }
        (features.0 | Self::HAS_FLAGS).to_be_bytes()
    }

    /// What transmission flags say, which a client believes.
    pub(crate) fn of_wire(flags: u16) -> Self {
        Self(flags & !Self::HAS_FLAGS)
    }
}

impl BitOr for Features {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The blocks that an export likes, and the longest payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSizes {
    minimum: u32,
    preferred: u32,
    maximum_payload: u32,
}

impl BlockSizes {
    /// Offsets and lengths are multiples of `minimum` bytes, best of `preferred`; a read or write
    /// has at most `maximum_payload`. `None` if the protocol does not allow these: the first two
    /// are powers of two, the minimum at most 65,536, `preferred` at least 512 and the minimum, and
    /// `maximum_payload` at least `preferred`.
    pub const fn new(minimum: u32, preferred: u32, maximum_payload: u32) -> Option<Self> {
        let powers = minimum.is_power_of_two() && preferred.is_power_of_two();
        let ordered = minimum <= preferred && preferred <= maximum_payload;
        if powers && ordered && minimum <= 1 << 16 && preferred >= 512 {
            return Some(Self { minimum, preferred, maximum_payload });
        }
        None
    }

    /// What holds where nothing was said: any byte, blocks of 4 KiB, payloads of 32 MiB.
    pub const DEFAULT: Self = Self { minimum: 1, preferred: 4096, maximum_payload: 1 << 25 };

    /// Offsets and lengths are multiples of it, in bytes.
    pub const fn minimum(self) -> u32 {
        self.minimum
    }

    /// Offsets and lengths are best multiples of it, in bytes.
    pub const fn preferred(self) -> u32 {
        self.preferred
    }

    /// The most bytes of a read or write.
    pub const fn maximum_payload(self) -> u32 {
        self.maximum_payload
    }
}

impl Default for BlockSizes {
    fn default() -> Self {
        Self::DEFAULT
    }
}
