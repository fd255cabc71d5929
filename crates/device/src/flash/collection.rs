// SPDX-License-Identifier: MIT OR Apache-2.0
//! Garbage collection and the fast cache, by their amounts: how much flash is erased, how scattered
//! the garbage is, what a program costs because of it.
//!
//! The disk is taken to be full of valid data and its spare flash erased, as after a night's rest.
//! Each unit programmed uses up erased flash and leaves as much garbage elsewhere. As long as there
//! is erased flash, programs cost what they cost; after that, as much has to be collected as is
//! written, and the valid data in the way has to be copied. How much is in the way grows with the
//! random overwrites, up to the steady state of a disk overwritten at random, in which a share ρ of
//! spare flash gives a write amplification of about (1 + ρ) / 2ρ (Agarwal and Marrow, A closed-form
//! expression for write amplification in NAND flash, Globecom 2010). Sequential overwrites, which
//! leave whole blocks of garbage, bring it down again. Rest refills the erased flash and empties
//! the fast cache.
//!
//! Where only a part of the disk is overwritten, all of the spare flash comes to lie there, as what
//! rests is not copied twice. So the steady state is that of a disk as large as that part: a write
//! amplification of 1 for a part that is no larger than the spare flash.

use super::die::ProgramTime;
use super::extent::Extent;
use super::streams::Streams;
use crate::profile::FlashParameters;
use base::SECTOR_BYTES;

const MILLION: u64 = 1_000_000;

/// The state of the flash as a whole.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    capacity_sectors: u64,
    spare_sectors: u64,
    ramp_sectors: u64,
    fast_capacity_sectors: u64,
    unit_sectors: u64,
    copies_max_millionths: u64,
    read_ns: u64,
    program_ns: u64,
    program_fast_ns: u64,
    /// Of one unit's share of its erase block.
    erase_share_ns: u64,
    dies: u64,
    erased_sectors: u64,
    /// Random overwrites that are felt, up to the ramp.
    scattered_sectors: u64,
    /// What these come to in the steady state; the ramp if the whole disk is overwritten.
    steady_sectors: u64,
    /// How much of the disk is overwritten at random.
    extent: Extent,
    fast_used_sectors: u64,
    streams: Streams,
    /// Since when no die programs; none while one does.
    resting_since_ns: Option<u64>,
    copied_millionths: u64,
    collection_ns: u64,
}

impl Collection {
    pub fn new(parameters: &FlashParameters) -> Self {
        let capacity_sectors = parameters.capacity / SECTOR_BYTES;
        let spare = parameters.spare;
        let share = |sectors: u64| u128::from(sectors) * u128::from(spare) / u128::from(MILLION);
        let spare_sectors = share(capacity_sectors) as u64;
        Collection {
            capacity_sectors,
            spare_sectors,
            ramp_sectors: parameters.gc_ramp / SECTOR_BYTES,
            fast_capacity_sectors: parameters.fast_cache / SECTOR_BYTES,
            unit_sectors: parameters.program_unit / SECTOR_BYTES,
            copies_max_millionths: MILLION.saturating_sub(spare) * MILLION / (2 * spare),
            read_ns: parameters.read_time,
            program_ns: parameters.program_time,
            program_fast_ns: parameters.program_time_fast,
            erase_share_ns: parameters.erase_time * parameters.program_unit
                / parameters.erase_unit.max(parameters.program_unit),
            dies: parameters.channels * parameters.dies,
            erased_sectors: spare_sectors,
            scattered_sectors: 0,
            steady_sectors: 0,
            extent: Extent::new(capacity_sectors),
            fast_used_sectors: 0,
            streams: Streams::new(),
            resting_since_ns: Some(0),
            copied_millionths: 0,
            collection_ns: 0,
        }
    }

    /// Notes where the host writes.
    pub fn written(&mut self, sector: u64, sectors: u64) {
        let fewer = self.scattered_sectors.saturating_sub(sectors);
        if self.streams.goes_on(sector, sector + sectors) {
            self.scattered_sectors = fewer;
            return;
        }
        if self.extent.written(sector, sectors) {
            self.steady_sectors = self.steady_sectors();
        }
        let more = self.scattered_sectors + sectors;
        self.scattered_sectors = self.steady_sectors.clamp(fewer, more);
    }

    /// The share of the ramp at which copies are those of a disk as large as the extent. That has a
    /// share of spare flash ρ = S / E, so of one unit (1 - ρ) / 2ρ = (E - S) / 2S are copied.
    fn steady_sectors(&self) -> u64 {
        let beyond_spare = |sectors: u64| u128::from(sectors.saturating_sub(self.spare_sectors));
        let whole = beyond_spare(self.capacity_sectors).max(1);
        let share = u128::from(self.ramp_sectors) * beyond_spare(self.extent.sectors()) / whole;
        share as u64
    }

    /// Notes that the host discards sectors: they will not be in the way.
    pub fn discarded(&mut self, sectors: u64) {
        self.scattered_sectors = self.scattered_sectors.saturating_sub(sectors);
    }

    /// Units that have to be copied to collect one, in millionths.
    fn copies_millionths(&self) -> u64 {
        let share = u128::from(self.copies_max_millionths) * u128::from(self.scattered_sectors);
        (share / u128::from(self.ramp_sectors)) as u64
    }

    /// Time of a die to collect one unit.
    fn unit_collection_ns(&self) -> u64 {
        let copies = self.copies_millionths();
        (self.read_ns + self.program_ns) * copies / MILLION
            + self.erase_share_ns * (MILLION + copies) / MILLION
    }

    /// Time of a die to program a unit that begins now, collection included.
    pub fn begin_program(&mut self, now_ns: u64) -> ProgramTime {
        self.end_rest(now_ns);
        let program_ns = if self.fast_used_sectors + self.unit_sectors <= self.fast_capacity_sectors
        {
            self.fast_used_sectors += self.unit_sectors;
            self.program_fast_ns
        } else {
            self.program_ns
        };
        if self.erased_sectors >= self.unit_sectors {
            self.erased_sectors -= self.unit_sectors;
            return ProgramTime { whole_ns: program_ns, collection_ns: 0 };
        }
        let collection_ns = self.unit_collection_ns();
        self.copied_millionths += self.copies_millionths();
        self.collection_ns += collection_ns;
        ProgramTime { whole_ns: program_ns + collection_ns, collection_ns }
    }

    /// Notes that no die programs any more.
    pub fn begin_rest(&mut self, now_ns: u64) {
        self.resting_since_ns = Some(now_ns);
    }

    /// The rest is over: the time went first into emptying the fast cache, then into collecting.
    fn end_rest(&mut self, now_ns: u64) {
        let Some(since_ns) = self.resting_since_ns.take() else { return };
        let mut die_ns = u128::from(now_ns - since_ns) * u128::from(self.dies);
        let mut spend = |sectors: u64, unit_ns: u64| {
            let unit_ns = u128::from(unit_ns.max(1));
            let units = (die_ns / unit_ns).min(u128::from(sectors / self.unit_sectors));
            die_ns -= units * unit_ns;
            units as u64 * self.unit_sectors
        };
        let emptied = spend(self.fast_used_sectors, self.read_ns + self.program_ns);
        let missing = self.spare_sectors - self.erased_sectors;
        let collected = spend(missing, self.unit_collection_ns());
        self.fast_used_sectors -= emptied;
        self.erased_sectors += collected;
    }

    /// Sectors that garbage collection had to copy so far.
    pub fn copied_sectors(&self) -> u64 {
        let sectors = u128::from(self.copied_millionths) * u128::from(self.unit_sectors);
        (sectors / u128::from(MILLION)) as u64
    }

    /// Time that dies spent on garbage collection while the host waited.
    pub fn collection_ns(&self) -> u64 {
        self.collection_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Parameters, Profile};

    const UNIT: u64 = 192;

    /// The SATA disk: units of 96 KiB, 7 % spare.
    fn collection() -> (Collection, FlashParameters) {
        match Profile::builtin("ssd-sata").map(|profile| profile.parameters()) {
            Some(Parameters::Flash(parameters)) => (Collection::new(&parameters), parameters),
            _ => panic!("a flash disk"),
        }
    }

    /// Writes `sectors` at random all over the disk and programs them; returns the time of the last
    /// program.
    fn overwrite(collection: &mut Collection, sectors: u64) -> u64 {
        overwrite_within(collection, collection.capacity_sectors, sectors)
    }

    /// The same, in the first `extent_sectors`.
    fn overwrite_within(collection: &mut Collection, extent_sectors: u64, sectors: u64) -> u64 {
        let mut last_ns = 0;
        for unit in 0..sectors / UNIT {
            collection.written(unit * 1_000_003 % (extent_sectors - UNIT), UNIT);
            last_ns = collection.begin_program(0).whole_ns;
        }
        last_ns
    }

    #[test]
    fn programs_get_slower_in_three_steps() {
        let (mut collection, parameters) = collection();
        let fast = parameters.fast_cache / SECTOR_BYTES;
        let spare = collection.spare_sectors;
        assert_eq!(overwrite(&mut collection, fast - UNIT), parameters.program_time_fast);
        assert_eq!(overwrite(&mut collection, spare - fast), parameters.program_time);
        assert_eq!(collection.copied_sectors(), 0, "spare flash is left up to here");
        let collecting_ns = overwrite(&mut collection, 1_000 * UNIT);
        assert!(collecting_ns > parameters.program_time, "{collecting_ns}");
        assert!(collection.copied_sectors() > 0);
    }

    #[test]
    fn write_amplification_grows_to_its_steady_value() {
        let (mut collection, parameters) = collection();
        let spare = collection.spare_sectors;
        overwrite(&mut collection, spare);
        let capacity = collection.capacity_sectors;
        let amplification = |collection: &mut Collection| amplification(collection, capacity);
        let mut last = 1_000;
        let steps = parameters.gc_ramp / SECTOR_BYTES / (100_000 * UNIT) + 1;
        for _ in 0..steps {
            let now = amplification(&mut collection);
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
        // (1 + 0.07) / (2 × 0.07) = 7.64
        assert!(amplification(&mut collection).abs_diff(7_643) < 10);
        assert_eq!(amplification(&mut collection), amplification(&mut collection));
    }

    /// Write amplification, in thousandths, of random overwrites within the first `extent_sectors`.
    fn amplification(collection: &mut Collection, extent_sectors: u64) -> u64 {
        let before = collection.copied_sectors();
        overwrite_within(collection, extent_sectors, 100_000 * UNIT);
        let copied = collection.copied_sectors() - before;
        1_000 + 1_000 * copied / (100_000 * UNIT)
    }

    #[test]
    fn a_part_of_the_disk_has_all_of_the_spare_flash() {
        // On 10 GB. (1 + ρ) / 2ρ with ρ = 0.07 / 1, / 0.5 and / 0.1 is 7.64, 4.07, 1.21.
        let (_, parameters) = collection();
        let (capacity, gc_ramp) = (parameters.capacity / 100, parameters.gc_ramp / 100);
        let parameters = FlashParameters { capacity, gc_ramp, ..parameters };
        let capacity = parameters.capacity / SECTOR_BYTES;
        for (extent, steady, what) in [
            (capacity, 7_643, "all of it"),
            (capacity / 2, 4_071, "half of it"),
            (capacity / 10, 1_214, "a little more than the spare flash"),
            (capacity / 20, 1_000, "less than the spare flash"),
            (2_049, 1_000, "1 MiB"),
        ] {
            let mut fresh = Collection::new(&parameters);
            let ramp = fresh.ramp_sectors;
            overwrite_within(&mut fresh, extent, ramp);
            let reached = amplification(&mut fresh, extent);
            assert!(reached.abs_diff(steady) < 10, "{what}: {reached}");
            // After the whole disk was overwritten it comes down to that as well.
            let mut worn = Collection::new(&parameters);
            overwrite(&mut worn, ramp);
            overwrite_within(&mut worn, extent, 3 * ramp);
            assert_eq!(amplification(&mut worn, extent), reached, "{what}");
        }
    }

    #[test]
    fn sequential_overwrites_bring_it_down_again() {
        let (mut collection, parameters) = collection();
        let ramp = parameters.gc_ramp / SECTOR_BYTES;
        overwrite(&mut collection, ramp);
        let scattered_ns = collection.begin_program(0).whole_ns;
        let mut sector = 0;
        while sector < ramp {
            collection.written(sector, 2_048);
            sector += 2_048;
        }
        let laid_out_ns = collection.begin_program(0).whole_ns;
        // Only the share of the erase is left: 96 KiB of 36 MiB.
        let erase_ns = parameters.erase_time * 96 / (36 * 1024);
        assert!(scattered_ns > 7 * parameters.program_time, "{scattered_ns}");
        assert!(laid_out_ns.abs_diff(parameters.program_time + erase_ns) < 20_000, "{laid_out_ns}");
    }

    #[test]
    fn several_sequential_writers_are_told_from_random_ones() {
        for writers in [8, 9, 64] {
            let (mut collection, _) = collection();
            overwrite(&mut collection, 10_000 * UNIT);
            let scattered = collection.scattered_sectors;
            for step in 0..1_000 {
                for writer in 0..writers {
                    collection.written(writer * 10_000_000 + step * 8, 8);
                }
            }
            let left = scattered + writers * 8 - writers * 999 * 8;
            assert_eq!(collection.scattered_sectors, left, "{writers} writers");
        }
    }

    #[test]
    fn rest_empties_the_fast_cache_and_collects() {
        let (mut collection, parameters) = collection();
        let spare = collection.spare_sectors;
        overwrite(&mut collection, 2 * spare);
        let tired_ns = collection.begin_program(0).whole_ns;
        collection.begin_rest(0);
        let dies = parameters.channels * parameters.dies;
        // Just long enough to empty the fast cache, not to collect.
        let units = collection.fast_used_sectors / UNIT;
        let emptying_ns = units * (parameters.read_time + parameters.program_time) / dies;
        let rested_ns = collection.begin_program(emptying_ns).whole_ns;
        assert!(rested_ns < tired_ns && rested_ns > parameters.program_time_fast, "{rested_ns}");
        collection.begin_rest(emptying_ns);
        assert_eq!(collection.begin_program(1 << 50).whole_ns, parameters.program_time_fast);
        assert_eq!(collection.erased_sectors, collection.spare_sectors - UNIT);
    }
}
