// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a request takes that has the device for itself, by its sectors: a straight line through
//! those that were seen.

use core::num::NonZeroU64;

use super::sector_time::SectorTime;
use crate::units::{Sectors, Span};

/// Fractional bits of the mean size.
const BITS: u32 = 8;
/// A running mean forgets with each sample this part of itself.
pub(super) const GAIN: i64 = 64;
/// What a sector takes until that is learnt: 512 bytes at 200 MB/s.
const USUAL_SECTOR: SectorTime = SectorTime::of_ns(2560);
/// What a request takes beside its sectors until that is learnt.
const USUAL_BASE: Span = Span::from_us(100);
/// How much the usual value counts for: sectors², as a variance of sizes.
const RIDGE: i64 = 16 * 16;
/// One that seems to have taken longer counts as this: 18 minutes.
pub(super) const LONGEST_SAMPLE: Span = Span::from_ns(1 << 40);
/// A request takes no less than this, beside its sectors.
const LEAST_BASE: Span = Span::from_us(1);
/// Nanoseconds in a second, with the fractional bits of a [`SectorTime`].
const NS_PER_S_FRACTION: u64 = SectorTime::of_ns(1_000_000_000).to_bits();

/// What a request takes by its sectors, and what it was taken from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Samples so far, up to [`GAIN`].
    samples: i64,
    mean_sectors: i64,
    mean_ns: i64,
    variance: i64,
    covariance: i64,
    /// What each request takes, and each of its sectors.
    base: Span,
    sector: SectorTime,
}

impl Line {
    /// Before anything was seen.
    pub const USUAL: Line = Line {
        samples: 0,
        mean_sectors: 0,
        mean_ns: 0,
        variance: 0,
        covariance: 0,
        base: USUAL_BASE,
        sector: USUAL_SECTOR,
    };

    /// Whether no request was seen.
    pub fn is_usual(&self) -> bool {
        self.samples == 0
    }

    /// A request had the device for itself from its dispatch to its completion.
    pub fn seen(&mut self, sectors: Sectors, took: Span) {
        debug_assert!(sectors > Sectors::NONE, "a request has sectors");
        let (x, y) = ((sectors.count() as i64) << BITS, took.min(LONGEST_SAMPLE).as_ns() as i64);
        if self.samples == 0 {
            (self.mean_sectors, self.mean_ns) = (x, y);
        }
        self.samples = (self.samples + 1).min(GAIN);
        let gain = self.samples;
        let (dx, dy) = (x - self.mean_sectors, y - self.mean_ns);
        self.mean_sectors += dx / gain;
        self.mean_ns += dy / gain;
        // Without the fractional bits: sizes are below 2³², so the squares fit.
        let dx = dx >> BITS;
        self.variance += (dx.saturating_mul(dx) - self.variance) / gain;
        self.covariance += (dx.saturating_mul(dy) - self.covariance) / gain;
    }

    /// Tells apart what a request takes and what its sectors take, of what was seen and the highest
    /// rate of the device, if one is known.
    pub fn fit(&mut self, rate_sectors_per_s: Option<NonZeroU64>) {
        if self.is_usual() {
            return;
        }
        // As far as the sizes are too much alike to tell, a sector takes what it does at full rate.
        let at_full_rate = rate_sectors_per_s.map(|rate| NS_PER_S_FRACTION / rate);
        let at_full_rate = at_full_rate.unwrap_or_else(|| self.usual_sector().to_bits());
        let ridged = self.covariance.saturating_mul(1 << BITS);
        let ridged = ridged.saturating_add(RIDGE.saturating_mul(at_full_rate as i64));
        let slope = ridged / (self.variance + RIDGE);
        self.sector = SectorTime::from_bits(slope.max(1) as u64);
        let of_sectors = self.sector.times(Sectors::of((self.mean_sectors >> BITS) as u64));
        self.base = (Span::from_ns(self.mean_ns as u64) - of_sectors).max(LEAST_BASE);
    }

    /// Until a request is seen, they are taken to be like those of another line.
    pub fn be_like(&mut self, other: &Line) {
        (self.base, self.sector) = (other.base, other.sector);
    }

    /// What a sector takes while no rate is known: half of what was seen at most, for a fast device
    /// may take less than the usual for all of a request.
    fn usual_sector(&self) -> SectorTime {
        let half = (self.mean_ns << (2 * BITS)) / self.mean_sectors.max(1) / 2;
        USUAL_SECTOR.min(SectorTime::from_bits(half as u64))
    }

    /// What a request takes alone in the device.
    pub fn alone(&self, sectors: Sectors) -> Span {
        self.base.plus(self.transfer(sectors))
    }

    /// What its sectors take.
    pub fn transfer(&self, sectors: Sectors) -> Span {
        self.sector.times(sectors)
    }
}
