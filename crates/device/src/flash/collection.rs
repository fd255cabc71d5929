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

use crate::command::SECTOR_BYTES;
use crate::profile::FlashParameters;

const MILLION: u64 = 1_000_000;
/// Sequential writers that are told from random ones at the same time.
const STREAMS: usize = 8;

/// The state of the flash as a whole.
#[derive(Clone, Debug)]
pub(super) struct Collection {
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
    fast_used_sectors: u64,
    /// Where the last sequential writers left off.
    streams: [u64; STREAMS],
    next_stream: usize,
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
            fast_used_sectors: 0,
            streams: [u64::MAX; STREAMS],
            next_stream: 0,
            resting_since_ns: Some(0),
            copied_millionths: 0,
            collection_ns: 0,
        }
    }

    /// Notes where the host writes.
    pub fn written(&mut self, sector: u64, sectors: u64) {
        match self.streams.iter().position(|end| *end == sector) {
            Some(stream) => {
                self.streams[stream] = sector + sectors;
                self.scattered_sectors = self.scattered_sectors.saturating_sub(sectors);
            }
            None => {
                self.streams[self.next_stream] = sector + sectors;
                self.next_stream = (self.next_stream + 1) % STREAMS;
                self.scattered_sectors = (self.scattered_sectors + sectors).min(self.ramp_sectors);
            }
        }
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
    pub fn begin_program(&mut self, now_ns: u64) -> u64 {
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
            return program_ns;
        }
        let collection_ns = self.unit_collection_ns();
        self.copied_millionths += self.copies_millionths();
        self.collection_ns += collection_ns;
        program_ns + collection_ns
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
