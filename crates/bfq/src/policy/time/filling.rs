// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast a disk writes. Its cache takes the first writes of a slot at once; those of a writer
//! that always has several in the disk come through at the disk's own rate when it is full.

use super::sector_time::SectorTime;
use crate::units::{Sectors, Span, Time};

/// The cache is taken to be full when a slot has lasted for so long: at the rate of its interface a
/// disk takes 60 MB until then.
const FULL_AFTER: Span = Span::from_ms(100);
/// What comes through is told by so long after that, or longer.
const LONG_ENOUGH: Span = Span::from_ms(50);
/// A slot that does not tell lowers what a sector takes by one part in this number: one that is
/// taken to need too much has short slots, which do not tell.
const FORGETS: u64 = 32;
/// One in which it was faster, as a cache that was not full yet lets it seem, brings it nearer to
/// that by one part in this number.
const GAIN: u64 = 4;
/// Less is no measure: 2 MiB.
const LEAST: Sectors = Sectors::of_kib(2 << 10);

/// What a writer wrote in its slot, and what a sector takes once the cache is full.
#[derive(Debug)]
pub(super) struct Filling {
    /// When the cache was full in this slot, and what was written from then on.
    since_full: Option<(Time, Sectors)>,
    sector: Option<SectorTime>,
}

impl Filling {
    pub const fn new() -> Self {
        Filling { since_full: None, sector: None }
    }

    /// What a sector takes; none if no writer has shown it.
    pub const fn sector(&self) -> Option<SectorTime> {
        self.sector
    }

    /// Begins anew: a slot begins, or something else was done in it than to write.
    pub fn begin(&mut self) {
        self.since_full = None;
    }

    /// A write of a slot that `began` went to the disk.
    pub fn wrote(&mut self, now: Time, began: Time, sectors: Sectors) {
        match &mut self.since_full {
            Some((_, written)) => *written += sectors,
            None if now.since(began) > FULL_AFTER => {
                self.since_full = Some((now, sectors));
            }
            None => {}
        }
    }

    /// A slot is over. `fills`: it is that of a queue that writes in sequence, and still has
    /// several writes in the disk or waiting: it does not wait for the last one to go on.
    pub fn end(&mut self, now: Time, fills: bool) {
        let seen = self.since_full.take().and_then(|(since, written)| {
            let took = now.since(since);
            let tells = fills && written >= LEAST && took >= LONG_ENOUGH;
            tells.then(|| SectorTime::of(took, written))
        });
        self.sector = match (self.sector, seen) {
            (Some(known), Some(seen)) if seen < known => Some(known.towards(seen, GAIN)),
            (known, None) => known.map(|known| known.less_by(FORGETS)),
            (_, seen) => seen,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slot of 200 ms with a write of 256 KiB each `later_us` microseconds, but of a fifth of
    /// that in the first 60 ms, while the cache fills.
    fn slot(filling: &mut Filling, began_ns: u64, later_us: u64, fills: bool) {
        let (began, end_ns) = (Time::from_ns(began_ns), began_ns + 200_000_000);
        let mut now_ns = began_ns;
        while now_ns < end_ns {
            filling.wrote(Time::from_ns(now_ns), began, Sectors::of_kib(256));
            now_ns +=
                if now_ns - began_ns < 60_000_000 { later_us * 200 } else { later_us * 1_000 };
        }
        filling.end(Time::from_ns(now_ns), fills);
    }

    #[test]
    fn what_comes_through_a_full_cache_is_the_rate() {
        let mut filling = Filling::new();
        slot(&mut filling, 0, 1_024, false);
        assert_eq!(filling.sector(), None);
        slot(&mut filling, 1_000_000_000, 1_024, true);
        assert_eq!(filling.sector(), Some(SectorTime::of_ns(2_000)));
    }

    #[test]
    fn a_slot_in_which_the_cache_had_room_says_little() {
        let mut filling = Filling::new();
        slot(&mut filling, 0, 1_024, true);
        slot(&mut filling, 1_000_000_000, 512, true);
        assert_eq!(filling.sector(), Some(SectorTime::of_ns(1_750)));
        // Nor does one of a writer that has one write at a time.
        slot(&mut filling, 2_000_000_000, 2_048, false);
        assert_eq!(filling.sector(), Some(SectorTime::of_ns(1_750).less_by(FORGETS)));
    }

    #[test]
    fn what_others_had_of_the_disk_is_not_counted() {
        let mut filling = Filling::new();
        slot(&mut filling, 0, 1_024, true);
        // The writer ended within its slot, and another one begins a minute later.
        let began = Time::from_ns(1_000_000_000);
        let later = Time::from_ns(1_100_000_000);
        filling.wrote(later, began, Sectors::of_kib(4 << 10));
        filling.begin();
        slot(&mut filling, 60_000_000_000, 1_024, true);
        assert_eq!(filling.sector(), Some(SectorTime::of_ns(2_000)));
    }
}
