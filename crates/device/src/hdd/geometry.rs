// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a sector lies on the platters: zones, tracks, and the angle under which it passes.
//!
//! The tracks are thought of as one long line, a revolution of time for each. A sector's place on
//! that line is its *media time*; two sectors are read one after the other in the difference of
//! their media times, and the angle of a sector is the remainder by a revolution. Head and track
//! skew are assumed ideal: going on to the next track costs nothing.

use crate::profile::HardDiskParameters;
use base::SECTOR_BYTES;

const NS_PER_MINUTE: u64 = 60_000_000_000;
const NS_PER_S: u64 = 1_000_000_000;

/// Where a sector is, as far as getting there is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PhysicalAddress {
    pub sector: u64,
    pub cylinder: u64,
    /// Time from the passing of angle 0 to that of the sector.
    pub angle_ns: u64,
}

/// Tracks of the same number of sectors.
#[derive(Clone, Copy, Debug)]
struct Zone {
    first_sector: u64,
    first_track: u64,
    track_sectors: u64,
}

/// Zones from the outermost to the innermost.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    zones: Vec<Zone>,
    heads: u64,
    cylinders: u64,
    revolution_ns: u64,
    capacity_sectors: u64,
}

impl Geometry {
    pub fn new(parameters: &HardDiskParameters) -> Self {
        let revolution_ns = NS_PER_MINUTE / parameters.rotation;
        let track_sectors: Vec<u64> = (0..parameters.zones)
            .map(|zone| {
                let bytes_per_s = zone_rate(parameters, zone);
                (bytes_per_s * revolution_ns / NS_PER_S / SECTOR_BYTES).max(1)
            })
            .collect();
        let capacity_sectors = parameters.capacity / SECTOR_BYTES;
        let column_sectors = parameters.heads * track_sectors.iter().sum::<u64>();
        let zone_cylinders = capacity_sectors.div_ceil(column_sectors);
        let zone_tracks = zone_cylinders * parameters.heads;
        let mut zones = Vec::with_capacity(track_sectors.len());
        let (mut first_sector, mut first_track) = (0, 0);
        for track_sectors in track_sectors {
            zones.push(Zone { first_sector, first_track, track_sectors });
            first_sector += zone_tracks * track_sectors;
            first_track += zone_tracks;
        }
        Geometry {
            zones,
            heads: parameters.heads,
            cylinders: zone_cylinders * parameters.zones,
            revolution_ns,
            capacity_sectors,
        }
    }

    pub fn revolution_ns(&self) -> u64 {
        self.revolution_ns
    }

    pub fn cylinders(&self) -> u64 {
        self.cylinders
    }

    pub fn capacity_sectors(&self) -> u64 {
        self.capacity_sectors
    }

    fn zone(&self, sector: u64) -> &Zone {
        let behind = self.zones.partition_point(|zone| zone.first_sector <= sector);
        &self.zones[behind - 1]
    }

    pub fn cylinder(&self, sector: u64) -> u64 {
        let zone = self.zone(sector);
        (zone.first_track + (sector - zone.first_sector) / zone.track_sectors) / self.heads
    }

    pub fn place(&self, sector: u64) -> PhysicalAddress {
        let zone = self.zone(sector);
        let offset = sector - zone.first_sector;
        let (track, within) = (offset / zone.track_sectors, offset % zone.track_sectors);
        PhysicalAddress {
            sector,
            cylinder: (zone.first_track + track) / self.heads,
            angle_ns: within * self.revolution_ns / zone.track_sectors,
        }
    }

    /// The sector's place on the line of all tracks.
    pub fn media_ns(&self, sector: u64) -> u64 {
        let zone = self.zone(sector);
        let offset = sector - zone.first_sector;
        let (track, within) = (offset / zone.track_sectors, offset % zone.track_sectors);
        (zone.first_track + track) * self.revolution_ns
            + within * self.revolution_ns / zone.track_sectors
    }

    /// The last sector that begins at `media_ns` or before it.
    pub fn sector_at(&self, media_ns: u64) -> u64 {
        let track = media_ns / self.revolution_ns;
        let behind = self.zones.partition_point(|zone| zone.first_track <= track);
        let zone = &self.zones[behind - 1];
        let within_ns = media_ns % self.revolution_ns;
        // The greatest number whose media time, rounded down, is at most `within_ns`.
        let within = ((within_ns + 1) * zone.track_sectors).div_ceil(self.revolution_ns) - 1;
        zone.first_sector + (track - zone.first_track) * zone.track_sectors + within
    }

    /// The sector after the last one of the track that `sector` is on.
    pub fn track_end(&self, sector: u64) -> u64 {
        let zone = self.zone(sector);
        let offset = sector - zone.first_sector;
        zone.first_sector + (offset / zone.track_sectors + 1) * zone.track_sectors
    }
}

/// The rate falls linearly from the outermost zone to the innermost.
fn zone_rate(parameters: &HardDiskParameters, zone: u64) -> u64 {
    let (outer, inner) = (parameters.media_rate_outer, parameters.media_rate_inner);
    match parameters.zones {
        0 | 1 => outer,
        zones => outer - (outer - inner) * zone / (zones - 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::profile::{Parameters, Profile};

    fn geometry(name: &str) -> Geometry {
        match Profile::builtin(name).map(|profile| profile.parameters()) {
            Some(Parameters::HardDisk(parameters)) => Geometry::new(&parameters),
            _ => panic!("{name} is a hard disk"),
        }
    }

    #[test]
    fn the_rate_falls_from_the_outer_to_the_inner_zone() {
        let geometry = geometry("hdd-desktop-2008");
        let rates: Vec<_> = geometry
            .zones
            .iter()
            .map(|zone| zone.track_sectors * SECTOR_BYTES * NS_PER_S / geometry.revolution_ns)
            .collect();
        assert_eq!(rates.len(), 16);
        assert!(rates.is_sorted_by(|outer, inner| outer > inner), "{rates:?}");
        assert!(rates[0].abs_diff(78_000_000) < 100_000, "{rates:?}");
        assert!(rates[15].abs_diff(40_000_000) < 100_000, "{rates:?}");
    }

    #[test]
    fn all_sectors_have_a_place() {
        for name in ["hdd-desktop-2008", "hdd-laptop-2007", "hdd-desktop"] {
            let geometry = geometry(name);
            let last = geometry.capacity_sectors() - 1;
            assert!(geometry.place(last).cylinder < geometry.cylinders());
            assert_eq!(geometry.place(0), PhysicalAddress { sector: 0, cylinder: 0, angle_ns: 0 });
        }
    }

    proptest! {
        #[test]
        fn sectors_and_media_times_agree(sector in 0u64..625_142_447) {
            let geometry = geometry("hdd-desktop-2008");
            let (begin_ns, end_ns) = (geometry.media_ns(sector), geometry.media_ns(sector + 1));
            prop_assert!(begin_ns < end_ns);
            prop_assert_eq!(geometry.sector_at(begin_ns), sector);
            prop_assert_eq!(geometry.sector_at(end_ns - 1), sector);
            let place = geometry.place(sector);
            prop_assert_eq!(place.angle_ns, begin_ns % geometry.revolution_ns());
            prop_assert_eq!(place.cylinder, geometry.cylinder(sector));
            let track_end = geometry.track_end(sector);
            prop_assert!(track_end > sector);
            prop_assert_eq!(geometry.media_ns(track_end) % geometry.revolution_ns(), 0);
        }
    }
}
