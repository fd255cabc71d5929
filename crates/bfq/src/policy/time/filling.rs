// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast a disk writes. Its cache takes the first writes of a slot at once; those of a writer
//! that always has several in the disk come through at the disk's own rate when it is full.

use super::sector_time::SectorTime;
use crate::units::{Sectors, Span, Time};

/// The cache is taken to be full when a slot has lasted for so long: at the rate of its interface a
/// disk takes 60 MB until then.
const FULL_AFTER: Span = Span::from_ms(100);
/// What comes through is told by so long after that: the last such time of a slot, in which the
/// cache is full if it is at all.
const WINDOW: Span = Span::from_ms(50);
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
    /// Whether the cache had nothing of others when the slot began: what that takes is not known.
    is_alone: bool,
    /// When the window began, and what was written from then on.
    window: Option<(Time, Sectors)>,
    /// What a sector took in the last whole window of the slot.
    seen: Option<SectorTime>,
    sector: Option<SectorTime>,
}

impl Filling {
    pub const fn new() -> Self {
        Filling { is_alone: false, window: None, seen: None, sector: None }
    }

    /// What a sector takes; none if no writer has shown it.
    pub const fn sector(&self) -> Option<SectorTime> {
        self.sector
    }

    /// A slot begins. `is_alone`: the cache has nothing of others.
    pub fn begin(&mut self, is_alone: bool) {
        *self = Filling { is_alone, window: None, seen: None, sector: self.sector };
    }

    /// Something else was done than to write: that window does not tell.
    pub fn interrupt(&mut self) {
        self.window = None;
    }

    /// A write of a slot that `began` went to the disk.
    pub fn wrote(&mut self, now: Time, began: Time, sectors: Sectors) {
        let Some((since, written)) = &mut self.window else {
            let is_full = now.since(began) > FULL_AFTER;
            self.window = is_full.then_some((now, sectors));
            return;
        };
        let took = now.since(*since);
        if took >= WINDOW && *written >= LEAST {
            self.seen = Some(SectorTime::of(took, *written));
            (*since, *written) = (now, Sectors::NONE);
        }
        *written += sectors;
    }

    /// A slot is over. `fills`: it is that of a queue that writes in sequence, and does not pause.
    pub fn end(&mut self, fills: bool) {
        let seen = self.seen.take().filter(|_| fills && self.is_alone);
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

    /// A slot of 300 ms, in which others have nothing in the cache, with a write of 256 KiB every
    /// `later_us` microseconds, and with five times as many until `full_after_ms`, while it fills.
    fn slot(filling: &mut Filling, began_ns: u64, full_after_ms: u64, later_us: u64, fills: bool) {
        let (began, end_ns) = (Time::from_ns(began_ns), began_ns + 300_000_000);
        filling.begin(true);
        let mut now_ns = began_ns;
        while now_ns < end_ns {
            filling.wrote(Time::from_ns(now_ns), began, Sectors::of_kib(256));
            let is_full = now_ns - began_ns >= full_after_ms * 1_000_000;
            now_ns += if is_full { later_us * 1_000 } else { later_us * 200 };
        }
        filling.end(fills);
    }

    #[test]
    fn what_comes_through_a_full_cache_is_the_rate() {
        // When the cache is full, what a sector takes then.
        for full_after_ms in [0, 60, 150, 200] {
            let mut filling = Filling::new();
            slot(&mut filling, 0, full_after_ms, 1_024, false);
            assert_eq!(filling.sector(), None);
            slot(&mut filling, 1_000_000_000, full_after_ms, 1_024, true);
            assert_eq!(filling.sector(), Some(SectorTime::of_ns(2_000)), "{full_after_ms} ms");
        }
    }

    #[test]
    fn a_slot_in_which_the_cache_had_room_says_little() {
        let mut filling = Filling::new();
        slot(&mut filling, 0, 0, 1_024, true);
        slot(&mut filling, 1_000_000_000, 0, 512, true);
        assert_eq!(filling.sector(), Some(SectorTime::of_ns(1_750)));
        // Nor does one of a writer that pauses.
        slot(&mut filling, 2_000_000_000, 0, 2_048, false);
        assert_eq!(filling.sector(), Some(SectorTime::of_ns(1_750).less_by(FORGETS)));
    }

    #[test]
    fn what_others_had_of_the_disk_is_not_counted() {
        let mut filling = Filling::new();
        slot(&mut filling, 0, 0, 1_024, true);
        // A visitor read within the window.
        filling.begin(true);
        for now_ms in [1_101, 1_140, 1_160, 1_200] {
            if now_ms == 1_160 {
                filling.interrupt();
            }
            let (now, began) = (Time::from_ns(now_ms * 1_000_000), Time::from_ns(1_000_000_000));
            filling.wrote(now, began, Sectors::of_kib(4 << 10));
        }
        filling.end(true);
        let forgot = SectorTime::of_ns(2_000).less_by(FORGETS);
        assert_eq!(filling.sector(), Some(forgot));
        // Nor is a slot that began with others' writes in the cache.
        filling.begin(false);
        for now_ms in (2_101..2_300).step_by(2) {
            let (now, began) = (Time::from_ns(now_ms * 1_000_000), Time::from_ns(2_000_000_000));
            filling.wrote(now, began, Sectors::of_kib(256));
        }
        filling.end(true);
        assert_eq!(filling.sector(), Some(forgot.less_by(FORGETS)));
    }
}
