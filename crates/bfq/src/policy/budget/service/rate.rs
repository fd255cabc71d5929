// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast a device is: sectors by time.

use crate::units::{Sectors, Span};

/// Fractional bits of a rate.
pub(super) const FRACTION_BITS: u32 = 16;

/// A rate: sectors a microsecond, with [`FRACTION_BITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rate(u32);

impl Rate {
    /// The rate of this number, which has [`FRACTION_BITS`].
    pub const fn new(rate: u32) -> Rate {
        Rate(rate)
    }

    /// The number, which has [`FRACTION_BITS`].
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number of the rate at which these sectors take `time`, which is at least 1 µs. It has
    /// [`FRACTION_BITS`], and may be too large for a [`Rate`].
    #[inline]
    pub fn number_of(sectors: Sectors, time: Span) -> u64 {
        (sectors.count() << FRACTION_BITS) / time.as_us()
    }

    /// The sectors that this rate gives in the whole milliseconds of `time`.
    pub fn sectors_in(self, time: Span) -> Sectors {
        let per_ms = u64::from(self.0).saturating_mul(1000);
        Sectors::of(per_ms.saturating_mul(time.as_ms()) >> FRACTION_BITS)
    }

    /// The time, in whole milliseconds, that this rate needs for what `other` does in `time`.
    pub fn time_of(self, other: Rate, time: Span) -> Span {
        Span::from_ms(u64::from(other.0) * time.as_ms() / u64::from(self.0.max(1)))
    }

    /// The rate in sectors a second.
    pub fn sectors_per_s(self) -> u64 {
        (u64::from(self.0) * 1_000_000) >> FRACTION_BITS
    }
}
