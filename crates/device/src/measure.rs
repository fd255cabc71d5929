// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures a disk the way reviewers and data sheets do, in virtual time, so that a profile can be
//! held against the published figures.

pub(crate) mod table;

pub use table::Measurement;

use crate::command::{Command, Completion};
use crate::device::Device;
use crate::profile::{ModelKind, Profile, Quantity};
use base::random::Random;
use base::{Op, SECTOR_BYTES};
use table::{AccessPattern, WearState};

const SEQUENTIAL_SECTORS: u32 = 256;
const RANDOM_SECTORS: u32 = 8;
const SEQUENTIAL_COMMANDS: u64 = 32_768;
const RANDOM_COMMANDS: u64 = 8_192;
const SPREAD: u64 = 16;
/// Size to which a worn flash disk is cut down, so that wearing it takes a moment only. Write
/// amplification hangs on shares of the capacity, not on its amount.
const WORN_CAPACITY: &str = "8GiB";
const NS_PER_S: u128 = 1_000_000_000;

impl Measurement {
    /// Measures a disk of this profile; returns the figure in base units.
    pub fn take(&self, profile: &Profile) -> u64 {
        let mut bench = Bench::new(Device::from_profile(&self.prepared(profile), 1));
        let wears = self.state == WearState::Worn && profile.model() == ModelKind::Flash;
        if wears && self.place == AccessPattern::Random {
            bench.overwrite();
        }
        let capacity_sectors = bench.disk.capacity_sectors();
        if self.place != AccessPattern::Spread {
            return self.run(&mut bench, self.load(capacity_sectors, SEQUENTIAL_COMMANDS));
        }
        let rates = (0..SPREAD).map(|place| {
            let mut load = self.load(capacity_sectors, SEQUENTIAL_COMMANDS / SPREAD);
            let free_sectors = capacity_sectors - load.commands * u64::from(load.sectors);
            load.next_sector = free_sectors / (SPREAD - 1) * place;
            self.run(&mut bench, load)
        });
        rates.sum::<u64>() / SPREAD
    }

    /// Runs a load. The first quarter of it isn't counted, so that caches have filled.
    fn run(&self, bench: &mut Bench, mut load: Load) -> u64 {
        let all = load.commands;
        load.commands = all / 4;
        bench.run(&mut load);
        load.commands = all - all / 4;
        let time_ns = u128::from(bench.run(&mut load)).max(1);
        let rounds = u128::from(load.commands) / self.ops.len() as u128;
        let result = match self.row.quantity {
            Quantity::Rate => {
                let bytes = u64::from(load.sectors) * SECTOR_BYTES;
                rounds * u128::from(bytes) * NS_PER_S / time_ns
            }
            Quantity::Time => time_ns / rounds,
            _ => rounds * NS_PER_S / time_ns,
        };
        u64::try_from(result).unwrap_or(u64::MAX)
    }

    /// The profile, changed to what a worn disk would be like.
    fn prepared(&self, profile: &Profile) -> Profile {
        let mut profile = profile.clone();
        if self.state == WearState::Worn && profile.model() == ModelKind::Flash {
            for (name, text) in
                [("fast_cache", "0B"), ("capacity", WORN_CAPACITY), ("gc_ramp", WORN_CAPACITY)]
            {
                // These values go with any others, so they can't be refused.
                let set = profile.set(name, text);
                debug_assert!(set.is_ok(), "{set:?}");
            }
        }
        profile
    }

    fn load(&self, capacity_sectors: u64, sequential_commands: u64) -> Load {
        let random = self.place == AccessPattern::Random;
        let sectors = if random { RANDOM_SECTORS } else { SEQUENTIAL_SECTORS };
        let most = if random { RANDOM_COMMANDS } else { sequential_commands };
        let commands = (capacity_sectors / u64::from(sectors)).clamp(8, most);
        let commands = commands / 8 * 8;
        let next_sector = match self.place {
            AccessPattern::Inner => capacity_sectors.saturating_sub(commands * u64::from(sectors)),
            _ => 0,
        };
        Load {
            ops: self.ops,
            depth: self.depth,
            sectors,
            commands,
            random,
            next_sector,
            numbers: Random::new(1),
        }
    }
}

/// Commands of one kind, always `depth` of them in flight.
struct Load {
    /// Operations, issued in turn.
    ops: &'static [Op],
    depth: u32,
    sectors: u32,
    commands: u64,
    random: bool,
    next_sector: u64,
    numbers: Random,
}

impl Load {
    fn command(&mut self, number: u64, capacity_sectors: u64) -> Command {
        let op = self.ops[number as usize % self.ops.len()];
        if op == Op::Flush {
            return Command { tag: 0, op, sector: 0, sectors: 0 };
        }
        let sectors = u64::from(self.sectors);
        let sector = match self.random {
            true => self.numbers.next() % (capacity_sectors / sectors).max(1) * sectors,
            false if self.next_sector + sectors > capacity_sectors => 0,
            false => self.next_sector,
        };
        self.next_sector = sector + sectors;
        Command { tag: 0, op, sector, sectors: self.sectors }
    }
}

/// A disk under load in virtual time.
struct Bench {
    disk: Device,
    now_ns: u64,
    completions: Vec<Completion>,
}

impl Bench {
    fn new(disk: Device) -> Self {
        Bench { disk, now_ns: 0, completions: Vec::new() }
    }

    /// Overwrites as much as the disk has twice, at random.
    fn overwrite(&mut self) {
        let sectors = SEQUENTIAL_SECTORS;
        let commands = 2 * self.disk.capacity_sectors() / u64::from(sectors);
        let ops = &[Op::Write];
        let mut load = Load {
            ops,
            depth: 32,
            sectors,
            commands,
            random: true,
            next_sector: 0,
            numbers: Random::new(2),
        };
        self.run(&mut load);
    }

    /// Runs `load.commands` to their end; returns the time it took.
    fn run(&mut self, load: &mut Load) -> u64 {
        let start_ns = self.now_ns;
        let capacity_sectors = self.disk.capacity_sectors();
        let depth = load.depth.min(self.disk.depth());
        let mut number = 0;
        loop {
            while number < load.commands && self.disk.in_flight() < depth {
                let command = load.command(number, capacity_sectors);
                if self.disk.submit(self.now_ns, command).is_err() {
                    break;
                }
                number += 1;
            }
            match self.disk.next_event_ns() {
                Some(event_ns) if self.disk.in_flight() > 0 => self.now_ns = event_ns,
                _ => return self.now_ns - start_ns,
            }
            self.completions.clear();
            self.disk.advance(self.now_ns, &mut self.completions);
        }
    }
}
