// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests sorted by start sector; of equal ones the one inserted later comes later.
//!
//! A B-tree of the standard library: insertion, removal and two look-ups together were measured at
//! 150 to 250 ns with 64 to 1000 requests waiting, and it allocates only as its size swings.

use std::collections::BTreeSet;
use std::ops::Bound;

use blk::Tag;

/// A request's place in the order. The code that inserts the request keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortKey {
    sector: u64,
    /// Number of the insertion.
    sequence: u64,
}

impl SortKey {
    /// The place of a request that is in no sorted set.
    pub const fn unsorted(sector: u64) -> SortKey {
        SortKey { sector, sequence: 0 }
    }

    pub fn sector(&self) -> u64 {
        self.sector
    }
}

/// Requests by first sector; those of equal sector in the order of their coming.
#[derive(Debug, Default)]
pub(crate) struct SortedTags {
    set: BTreeSet<(SortKey, Tag)>,
    sequence: u64,
}

impl SortedTags {
    pub fn insert(&mut self, sector: u64, tag: Tag) -> SortKey {
        self.sequence += 1;
        let place = SortKey { sector, sequence: self.sequence };
        self.set.insert((place, tag));
        place
    }

    pub fn remove(&mut self, place: SortKey, tag: Tag) {
        self.set.remove(&(place, tag));
    }

    /// The first request of all.
    pub fn first(&self) -> Option<Tag> {
        self.set.first().map(|(_, tag)| *tag)
    }

    /// The first request that starts at or above `sector`.
    pub fn at_or_above(&self, sector: u64) -> Option<Tag> {
        self.set.range((SortKey { sector, sequence: 0 }, Tag(0))..).next().map(|(_, tag)| *tag)
    }

    /// The first request that starts at `sector`.
    pub fn at(&self, sector: u64) -> Option<Tag> {
        let (place, tag) = self.set.range((SortKey { sector, sequence: 0 }, Tag(0))..).next()?;
        (place.sector == sector).then_some(*tag)
    }

    /// The request after the one at `place`.
    pub fn next(&self, place: SortKey, tag: Tag) -> Option<Tag> {
        let after = (Bound::Excluded((place, tag)), Bound::Unbounded);
        self.set.range(after).next().map(|(_, tag)| *tag)
    }

    /// The request before the one at `place`.
    pub fn previous(&self, place: SortKey, tag: Tag) -> Option<Tag> {
        self.set.range(..(place, tag)).next_back().map(|(_, tag)| *tag)
    }

    pub fn iter(&self) -> impl Iterator<Item = (SortKey, Tag)> {
        self.set.iter().copied()
    }
}
