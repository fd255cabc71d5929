// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast a device is: sectors by time.

use crate::units::{Sectors, Span};

/// Fractional bits of a rate.
pub(super) const FRACTION_BITS: u32 = 16;

/// A rate: sectors a microsecond, with [`FRACTION_BITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rate(u32);

impl Rate {
    /// Of this number, with its fractional bits.
    pub const fn new(rate: u32) -> Rate {
        Rate(rate)
    }

    /// The number, with its fractional bits.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// So many sectors in such a time, which is at least 1 µs: as a number, as it may be too large
    /// for a rate.
    #[inline]
    pub fn of(sectors: Sectors, time: Span) -> u64 {
        (sectors.count() << FRACTION_BITS) / time.as_us()
    }

    /// What it is in a time, of which whole milliseconds count.
    pub fn sectors_in(self, time: Span) -> Sectors {
        let per_ms = u64::from(self.0).saturating_mul(1000);
        Sectors::of(per_ms.saturating_mul(time.as_ms()) >> FRACTION_BITS)
    }

    /// What takes `time` at another rate takes so long at this one; in whole milliseconds.
    pub fn time_of(self, other: Rate, time: Span) -> Span {
        Span::from_ms(u64::from(other.0) * time.as_ms() / u64::from(self.0.max(1)))
    }

    /// The rate in sectors a second.
    pub fn sectors_per_s(self) -> u64 {
        (u64::from(self.0) * 1_000_000) >> FRACTION_BITS
    }
}
