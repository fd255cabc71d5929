// SPDX-License-Identifier: MIT OR Apache-2.0
//! I/O that is under way: what processes handed to the block layer, matched with what the device is
//! given and does.
//!
//! Between the two, I/O is merged and split: a request carries several I/Os, or a part of one. An
//! I/O is issued when its first sector is, and has ended when all its sectors have.

use crate::by_age::ByAge;
use base::Op;
use std::collections::BTreeMap;

/// The number of newer I/Os under way after which one that has not ended is forgotten: its events
/// were lost, or a driver does it without requests.
pub(crate) const MOST_UNDER_WAY: usize = 1 << 14;

/// I/O that begins before a request is looked at so far back for a part that is in the request.
const LOOK_BACK: usize = 8;

/// Where flushes are: they have no sectors.
const FLUSHES: u64 = u64::MAX;

/// I/O of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bio {
    pub op: Op,
    /// The process that handed it over.
    pub owner: u32,
    pub sectors: u64,
    pub queued_ns: u64,
    /// When its first sector was issued.
    pub issued_ns: Option<u64>,
    /// What is not issued, and not done, of its sectors (of a flush: 1 or 0).
    unissued: u64,
    undone: u64,
}

/// I/O under way, by where it begins, and the order in which it was queued.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    bios: BTreeMap<(u64, u64), Bio>,
    by_age: ByAge<(u64, u64)>,
    queued: u64,
    /// What [`parts`](Self::find_parts) has found: kept, as no event is to allocate.
    parts: Vec<((u64, u64), u64)>,
    /// What has not been issued.
    waiting: usize,
    /// The longest I/O that there was, sectors: what begins further before a request is not in it.
    longest: u64,
}

/// A part of a disk: its first sector, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub sector: u64,
    pub sectors: u64,
}

impl Extent {
    /// Where I/O is. All flushes are at one place.
    pub fn of(op: Op, sector: u64, sectors: u32) -> Self {
        match op {
            Op::Flush => Extent { sector: FLUSHES, sectors: 0 },
            _ => Extent { sector, sectors: sectors.into() },
        }
    }

    fn end(self) -> u64 {
        self.sector.saturating_add(self.sectors)
    }
}

impl InFlight {
    /// How much is kept.
    #[cfg(test)]
    pub fn entries(&self) -> usize {
        self.bios.len() + self.by_age.len() + self.parts.capacity()
    }

    /// A process hands over I/O. The answer is what was forgotten for it.
    pub fn queue(&mut self, op: Op, extent: Extent, owner: u32, now_ns: u64) -> Option<Bio> {
        let forgotten = match self.bios.len() >= MOST_UNDER_WAY {
            true => self.forget_oldest(),
            false => None,
        };
        let length = extent.sectors.max(1);
        self.longest = self.longest.max(length);
        let bio = Bio {
            op,
            owner,
            sectors: extent.sectors,
            queued_ns: now_ns,
            issued_ns: None,
            unissued: length,
            undone: length,
        };
        let key = (extent.sector, self.queued);
        self.bios.insert(key, bio);
        let bios = &self.bios;
        self.by_age.push(key, MOST_UNDER_WAY, |key| bios.contains_key(key));
        self.queued += 1;
        self.waiting += 1;
        forgotten
    }

    fn forget_oldest(&mut self) -> Option<Bio> {
        let key = self.oldest()?;
        self.remove(key)
    }

    fn oldest(&mut self) -> Option<(u64, u64)> {
        let bios = &self.bios;
        self.by_age.oldest(|key| bios.contains_key(key))
    }

    /// Forgets what was queued before a time, and tells it.
    pub fn forget_before(&mut self, time_ns: u64, mut forgotten: impl FnMut(Bio)) {
        while let Some(key) = self.oldest()
            && self.bios[&key].queued_ns < time_ns
        {
            self.remove(key).into_iter().for_each(&mut forgotten);
        }
    }

    /// The device is given a request. The answer is whose the first I/O in it is.
    pub fn issue(&mut self, op: Op, extent: Extent, now_ns: u64) -> Option<u32> {
        let mut owner = None;
        self.find_parts(op, extent, |bio| bio.unissued);
        for &(key, sectors) in &self.parts {
            let bio = self.bios.get_mut(&key).expect("just found");
            bio.unissued -= sectors;
            owner.get_or_insert(bio.owner);
            if bio.issued_ns.is_none() {
                bio.issued_ns = Some(now_ns);
                self.waiting -= 1;
            }
        }
        owner
    }

    /// The device has done a request. What ends with it is told, and what a part of is done.
    pub fn complete(&mut self, op: Op, extent: Extent, mut ended: impl FnMut(Bio)) {
        // A flush ends those that came before it was issued.
        let undone =
            |bio: &Bio| if op == Op::Flush { bio.undone - bio.unissued } else { bio.undone };
        self.find_parts(op, extent, undone);
        let parts = std::mem::take(&mut self.parts);
        for &(key, sectors) in &parts {
            let bio = self.bios.get_mut(&key).expect("just found");
            bio.undone -= sectors;
            if bio.undone == 0 {
                ended(self.remove(key).expect("just found"));
            }
        }
        self.parts = parts;
    }

    /// Finds the I/O whose sectors are in a part of the disk, with how many of them: each sector
    /// once, of the oldest that has any left.
    fn find_parts(&mut self, op: Op, extent: Extent, left: impl Fn(&Bio) -> u64) {
        let InFlight { bios, parts: found, longest, .. } = self;
        found.clear();
        let from = (extent.sector, 0);
        let reaches = (extent.sector.saturating_sub(*longest), 0);
        if op == Op::Flush {
            let flushes = bios.range(from..).filter(|(_, bio)| left(bio) > 0);
            found.extend(flushes.map(|(&key, _)| (key, 1)));
            return;
        }
        let mut before = [None; LOOK_BACK];
        for (place, bio) in before.iter_mut().rev().zip(bios.range(reaches..from).rev()) {
            *place = Some(bio);
        }
        let within = bios.range(from..(extent.end(), 0));
        let mut reached = extent.sector;
        for (&key, bio) in before.into_iter().flatten().chain(within) {
            let begin = key.0.max(extent.sector);
            let end = key.0.saturating_add(bio.sectors).min(extent.end());
            if bio.op == op && begin >= reached && end > begin && left(bio) > 0 {
                found.push((key, (end - begin).min(left(bio))));
                reached = end;
            }
        }
    }

    fn remove(&mut self, key: (u64, u64)) -> Option<Bio> {
        let bio = self.bios.remove(&key)?;
        self.waiting -= usize::from(bio.issued_ns.is_none());
        Some(bio)
    }

    /// How much waits to be issued.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// All I/O that is under way.
    pub fn iter(&self) -> impl Iterator<Item = &Bio> {
        self.bios.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(sector: u64, sectors: u64) -> Extent {
        Extent { sector, sectors }
    }

    fn ended(all: &mut InFlight, op: Op, extent: Extent) -> Vec<u32> {
        let mut owners = Vec::new();
        all.complete(op, extent, |bio| owners.push(bio.owner));
        owners
    }

    #[test]
    fn what_is_merged_ends_together_and_what_is_split_when_all_of_it_has() {
        let mut all = InFlight::default();
        for (sector, sectors, owner) in [(0, 8, 1), (8, 8, 2), (100, 64, 3)] {
            all.queue(Op::Read, extent(sector, sectors), owner, 10);
        }
        assert_eq!(all.issue(Op::Read, extent(0, 16), 20), Some(1));
        assert_eq!(all.issue(Op::Read, extent(100, 32), 30), Some(3));
        assert_eq!(all.waiting(), 0);
        assert_eq!(ended(&mut all, Op::Read, extent(0, 16)), [1, 2]);
        assert!(ended(&mut all, Op::Read, extent(100, 32)).is_empty());
        assert_eq!(all.issue(Op::Read, extent(132, 32), 40), Some(3));
        assert_eq!(ended(&mut all, Op::Read, extent(132, 32)), [3]);
        assert_eq!(all.iter().count(), 0);
    }

    #[test]
    fn of_two_at_the_same_place_the_older_one_ends_first() {
        let mut all = InFlight::default();
        for owner in [1, 2] {
            all.queue(Op::Read, extent(0, 8), owner, 10);
        }
        for owner in [1, 2] {
            assert_eq!(all.issue(Op::Read, extent(0, 8), 20), Some(owner));
            assert!(ended(&mut all, Op::Write, extent(0, 8)).is_empty());
            assert_eq!(ended(&mut all, Op::Read, extent(0, 8)), [owner]);
        }
    }

    #[test]
    fn a_flush_ends_all_that_wait_for_one() {
        let mut all = InFlight::default();
        let place = Extent::of(Op::Flush, 0, 0);
        for owner in [1, 2] {
            all.queue(Op::Flush, place, owner, 10);
        }
        all.issue(Op::Flush, place, 20);
        assert_eq!(ended(&mut all, Op::Flush, place), [1, 2]);
    }

    #[test]
    fn what_never_ends_is_forgotten() {
        let mut all = InFlight::default();
        let forgotten = |all: &mut InFlight, place: u64| {
            all.queue(Op::Read, extent(place, 1), place as u32, 0).map(|bio| bio.owner)
        };
        for place in 0..MOST_UNDER_WAY as u64 {
            assert_eq!(forgotten(&mut all, place), None);
        }
        assert_eq!(forgotten(&mut all, 1 << 30), Some(0));
        assert_eq!((all.waiting(), all.bios.len()), (MOST_UNDER_WAY, MOST_UNDER_WAY));
    }

    #[test]
    fn keys_of_what_has_ended_do_not_pile_up_behind_one_that_has_not() {
        let mut all = InFlight::default();
        all.queue(Op::Read, extent(0, 8), 7, 0);
        for place in 1..100_000 {
            all.queue(Op::Read, extent(place * 8, 8), 1, 0);
            assert_eq!(ended(&mut all, Op::Read, extent(place * 8, 8)), [1]);
        }
        assert!(all.by_age.len() <= 2 * MOST_UNDER_WAY, "{}", all.by_age.len());
        assert_eq!(ended(&mut all, Op::Read, extent(0, 8)), [7]);
    }
}
