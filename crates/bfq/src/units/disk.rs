// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positions on the disk, and lengths between them.

use core::{
    num::NonZeroU64,
    ops::{Add, AddAssign, Sub},
};

/// Bytes in a sector.
const SECTOR_BYTES: u64 = 512;

/// A position on the disk: a sector by its number. The end of a request, behind its last sector, is
/// one as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sector(u64);

impl Sector {
    /// The first sector of the disk.
    pub const FIRST: Sector = Sector(0);
    /// Behind the last sector that has a number.
    pub const END: Sector = Sector(u64::MAX);

    /// The sector with this number.
    #[inline]
    pub const fn at(number: u64) -> Sector {
        Sector(number)
    }

    /// The number of the sector.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The distance to another position, which may be before this one or behind it.
    #[inline]
    pub const fn distance(self, other: Sector) -> Sectors {
        Sectors(self.0.abs_diff(other.0))
    }

    /// Whether a range of this length that begins here has sectors, and all of them have numbers.
    #[inline]
    pub(crate) const fn has(self, sectors: Sectors) -> bool {
        // An overflow leads below this one.
        self.0.wrapping_add(sectors.0) > self.0
    }
}

impl Add<Sectors> for Sector {
    type Output = Sector;
    /// The position at that distance behind this one; stops at [`Sector::END`].
    #[inline]
    fn add(self, sectors: Sectors) -> Sector {
        Sector(self.0.saturating_add(sectors.0))
    }
}

/// The end of the last request, if there was one. It takes the room of a [`Sector`]: no request
/// ends in front of the first sector, so that stands for none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastEnd(Option<NonZeroU64>);

impl LastEnd {
    /// There was no request yet.
    pub const NONE: LastEnd = LastEnd(None);

    /// The last request ended at `end`.
    #[inline]
    pub const fn of(end: Sector) -> LastEnd {
        LastEnd(NonZeroU64::new(end.0))
    }

    /// The end, if there was a request.
    #[inline]
    pub const fn get(self) -> Option<Sector> {
        match self.0 {
            Some(end) => Some(Sector(end.get())),
            None => None,
        }
    }

    /// The end; if there was no request, the start of the disk.
    #[inline]
    pub const fn or_first(self) -> Sector {
        match self.0 {
            Some(end) => Sector(end.get()),
            None => Sector::FIRST,
        }
    }
}

/// A number of sectors: how long a request is, or how far it is from one position to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sectors(u64);

impl Sectors {
    /// A length of no sectors.
    pub const NONE: Sectors = Sectors(0);

    /// A length of that number of sectors.
    #[inline]
    pub const fn of(count: u64) -> Sectors {
        Sectors(count)
    }

    /// The length of that number of KiB.
    #[inline]
    pub const fn of_kib(kib: u64) -> Sectors {
        Sectors(kib.saturating_mul(1024 / SECTOR_BYTES))
    }

    /// The whole sectors that fit in that number of bytes.
    #[inline]
    pub const fn of_bytes(bytes: u64) -> Sectors {
        Sectors(bytes / SECTOR_BYTES)
    }

    /// The number of sectors.
    #[inline]
    pub const fn count(self) -> u64 {
        self.0
    }

    /// The number of sectors in 32 bits, as in the calls of hosts; the largest if it does not fit.
    #[inline]
    pub(crate) const fn as_u32(self) -> u32 {
        if self.0 > u32::MAX as u64 { u32::MAX } else { self.0 as u32 }
    }

    /// Its length in whole KiB.
    #[inline]
    pub const fn as_kib(self) -> u64 {
        self.0 / (1024 / SECTOR_BYTES)
    }

    /// Its length in bytes.
    #[inline]
    pub const fn as_bytes(self) -> u64 {
        self.0.saturating_mul(SECTOR_BYTES)
    }
}

impl From<u32> for Sectors {
    #[inline]
    fn from(count: u32) -> Sectors {
        Sectors(u64::from(count))
    }
}

impl Add for Sectors {
    type Output = Sectors;
    /// The sum. A request has less than 2³² sectors, so no sum of requests comes near the bound.
    #[inline]
    fn add(self, more: Sectors) -> Sectors {
        Sectors(self.0 + more.0)
    }
}

impl AddAssign for Sectors {
    #[inline]
    fn add_assign(&mut self, more: Sectors) {
        *self = *self + more;
    }
}

impl Sub for Sectors {
    type Output = Sectors;
    /// What is left; none if `less` is more.
    #[inline]
    fn sub(self, less: Sectors) -> Sectors {
        Sectors(self.0.saturating_sub(less.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_distances_and_stop_at_the_end() {
        let [here, there] = [1000, 1008].map(Sector::at);
        assert_eq!(here + Sectors::of(8), there);
        assert_eq!([here.distance(there), there.distance(here)], [Sectors::of(8); 2]);
        assert_eq!(there + Sectors::of(u64::MAX), Sector::END);
        let last = Sector::at(u64::MAX - 8);
        let ranges = [0, 8, 9, u64::MAX].map(|count| last.has(Sectors::of(count)));
        assert_eq!(ranges, [false, true, false, false]);
    }

    #[test]
    fn an_end_is_none_or_behind_the_first_sector() {
        let end = LastEnd::of(Sector::at(8));
        assert_eq!((end.get(), end.or_first()), (Some(Sector::at(8)), Sector::at(8)));
        assert_eq!((LastEnd::NONE.get(), LastEnd::NONE.or_first()), (None, Sector::FIRST));
        assert_eq!(size_of::<LastEnd>(), size_of::<Sector>());
    }

    #[test]
    fn lengths_add_up() {
        let [eight, nine] = [8, 9].map(Sectors::of);
        assert_eq!((eight + nine, nine - eight), (Sectors::of(17), Sectors::of(1)));
        assert_eq!(eight - nine, Sectors::NONE);
        assert_eq!([Sectors::of_kib(4), Sectors::of_bytes(4607), 8u32.into()], [eight; 3]);
        assert_eq!((eight.as_kib(), eight.as_bytes()), (4, 4096));
    }
}
