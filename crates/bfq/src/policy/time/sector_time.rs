// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one sector takes, as it is estimated: a rate the other way round.

use crate::units::{Sectors, Span};

/// Fractional bits: fast devices need some nanoseconds for a sector.
const BITS: u32 = 8;

/// What one sector takes: nanoseconds with eight fractional bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SectorTime(u64);

impl SectorTime {
    /// A number of whole nanoseconds.
    pub const fn of_ns(ns: u64) -> SectorTime {
        SectorTime(ns << BITS)
    }

    /// With its fractional bits.
    #[inline]
    pub const fn from_bits(bits: u64) -> SectorTime {
        SectorTime(bits)
    }

    /// With its fractional bits.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The mean of sectors, at least one, which took `took` together.
    pub const fn of(took: Span, sectors: Sectors) -> SectorTime {
        SectorTime((took.as_ns() << BITS) / sectors.count())
    }

    /// What a number of sectors takes.
    #[inline]
    pub const fn times(self, sectors: Sectors) -> Span {
        Span::from_ns(sectors.count().saturating_mul(self.0) >> BITS)
    }

    /// Nearer to another by one part of `parts` of their difference.
    pub const fn towards(self, other: SectorTime, parts: u64) -> SectorTime {
        let step = self.0.abs_diff(other.0) / parts;
        SectorTime(if self.0 < other.0 { self.0 + step } else { self.0 - step })
    }

    /// Less by one part of `parts`.
    pub const fn less_by(self, parts: u64) -> SectorTime {
        SectorTime(self.0 - self.0 / parts)
    }

    /// More by one part of `parts`.
    pub const fn more_by(self, parts: u64) -> SectorTime {
        SectorTime(self.0 + self.0 / parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_nanosecond_count() {
        let sectors = Sectors::of(1000);
        let half = SectorTime::of(Span::from_ns(500), sectors);
        assert_eq!((half.to_bits(), half.times(sectors)), (128, Span::from_ns(500)));
        assert_eq!(SectorTime::of_ns(2).times(sectors), Span::from_us(2));
        assert_eq!(SectorTime::of_ns(128).more_by(128), SectorTime::of_ns(129));
        for (other, nearer) in [(160, 136), (96, 120), (128, 128)] {
            let nearer_ns = SectorTime::of_ns(128).towards(SectorTime::of_ns(other), 4);
            assert_eq!(nearer_ns, SectorTime::of_ns(nearer));
        }
        assert_eq!(SectorTime::of_ns(128).less_by(128), SectorTime::of_ns(127));
        let most = SectorTime::from_bits(u64::MAX).times(sectors);
        assert_eq!(most, Span::from_ns(u64::MAX >> BITS));
    }
}
