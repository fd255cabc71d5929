//! Measures a disk the way reviewers and data sheets do, in virtual time, so that a profile can be
//! held against the published figures.

use crate::command::{Command, Completion, Op, SECTOR_BYTES};
use crate::device::Device;
use crate::profile::{Profile, Quantity, Row};

/// A figure that can be measured and that a profile can expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measurement {
    /// Rate of sequential reads at the first sectors of the disk.
    SequentialReadOuter,
    /// Rate of sequential reads at the last sectors of the disk.
    SequentialReadInner,
    /// Rate of sequential writes at the first sectors of the disk.
    SequentialWriteOuter,
    /// Random reads a second, one at a time.
    RandomReadDepth1,
    /// Random reads a second, 32 at a time.
    RandomReadDepth32,
    /// Mean time of a random read, one at a time.
    RandomReadLatency,
    /// Random writes a second, one at a time.
    RandomWriteDepth1,
    /// Random writes a second, 32 at a time.
    RandomWriteDepth32,
    /// Random writes a second, 32 at a time, once the whole disk has been overwritten at random.
    RandomWriteSustained,
}

/// A row of this table for each measurement, in the order of [`Measurement::ALL`].
const ROWS: [Row; 9] = [
    rate("sequential_read_outer", "128 KiB reads in a row at the first sectors, 32 at a time"),
    rate("sequential_read_inner", "128 KiB reads in a row at the last sectors, 32 at a time"),
    rate("sequential_write_outer", "128 KiB writes in a row at the first sectors, 32 at a time"),
    frequency("random_read_depth_1", "4 KiB reads all over the disk, one at a time"),
    frequency("random_read_depth_32", "4 KiB reads all over the disk, 32 at a time"),
    Row {
        name: "random_read_latency",
        quantity: Quantity::Time,
        least: 1,
        greatest: 10_000_000_000,
        doc: "mean time of a 4 KiB read anywhere on the disk, one at a time",
    },
    frequency("random_write_depth_1", "4 KiB writes all over the disk, one at a time"),
    frequency("random_write_depth_32", "4 KiB writes all over the disk, 32 at a time"),
    frequency("random_write_sustained", "the same once the whole disk was overwritten at random"),
];

const fn rate(name: &'static str, doc: &'static str) -> Row {
    Row { name, quantity: Quantity::Rate, least: 1, greatest: 1_000_000_000_000, doc }
}

const fn frequency(name: &'static str, doc: &'static str) -> Row {
    Row { name, quantity: Quantity::Frequency, least: 1, greatest: 1_000_000_000, doc }
}

const SEQUENTIAL_SECTORS: u32 = 256;
const RANDOM_SECTORS: u32 = 8;
const NS_PER_S: u128 = 1_000_000_000;

impl Measurement {
    /// All of them.
    pub const ALL: [Measurement; 9] = [
        Measurement::SequentialReadOuter,
        Measurement::SequentialReadInner,
        Measurement::SequentialWriteOuter,
        Measurement::RandomReadDepth1,
        Measurement::RandomReadDepth32,
        Measurement::RandomReadLatency,
        Measurement::RandomWriteDepth1,
        Measurement::RandomWriteDepth32,
        Measurement::RandomWriteSustained,
    ];

    /// Its name, kind of number and meaning.
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    fn load(self, disk: &Device) -> Load {
        let (op, depth) = match self {
            Measurement::SequentialReadOuter | Measurement::SequentialReadInner => (Op::Read, 32),
            Measurement::SequentialWriteOuter => (Op::Write, 32),
            Measurement::RandomReadDepth1 | Measurement::RandomReadLatency => (Op::Read, 1),
            Measurement::RandomReadDepth32 => (Op::Read, 32),
            Measurement::RandomWriteDepth1 => (Op::Write, 1),
            Measurement::RandomWriteDepth32 | Measurement::RandomWriteSustained => (Op::Write, 32),
        };
        let sequential = self.row().quantity == Quantity::Rate;
        let sectors = if sequential { SEQUENTIAL_SECTORS } else { RANDOM_SECTORS };
        let commands = (disk.capacity_sectors() / u64::from(sectors)).clamp(1, 8192);
        let first_sector = match self {
            Measurement::SequentialReadInner => {
                disk.capacity_sectors().saturating_sub(commands * u64::from(sectors))
            }
            _ => 0,
        };
        Load { op, depth, sectors, commands, order: Order::new(sequential, first_sector) }
    }
}

/// Measures one figure of a disk of this profile, in base units of the row of the measurement. The
/// first quarter of the commands isn't counted, so that caches have filled.
pub fn measure(profile: &Profile, measurement: Measurement) -> u64 {
    let mut bench = Bench::new(Device::from_profile(profile, 1));
    if measurement == Measurement::RandomWriteSustained {
        let sectors = SEQUENTIAL_SECTORS;
        let commands = 2 * bench.disk.capacity_sectors() / u64::from(sectors);
        let order = Order::new(false, 0);
        bench.run(&mut Load { op: Op::Write, depth: 32, sectors, commands, order });
    }
    let mut load = measurement.load(&bench.disk);
    let all = load.commands;
    load.commands = all / 4;
    bench.run(&mut load);
    load.commands = all - all / 4;
    let time_ns = u128::from(bench.run(&mut load)).max(1);
    let commands = u128::from(load.commands);
    let result = match measurement.row().quantity {
        Quantity::Rate => {
            commands * u128::from(u64::from(load.sectors) * SECTOR_BYTES) * NS_PER_S / time_ns
        }
        Quantity::Time => time_ns / commands,
        _ => commands * NS_PER_S / time_ns,
    };
    u64::try_from(result).unwrap_or(u64::MAX)
}

/// Where the commands go.
enum Order {
    Sequential { next_sector: u64 },
    Random { state: u64 },
}

impl Order {
    fn new(sequential: bool, first_sector: u64) -> Self {
        match sequential {
            true => Order::Sequential { next_sector: first_sector },
            false => Order::Random { state: 1 },
        }
    }

    fn next(&mut self, sectors: u32, capacity_sectors: u64) -> u64 {
        let sectors = u64::from(sectors);
        match self {
            Order::Sequential { next_sector } => {
                let sector = if *next_sector + sectors > capacity_sectors { 0 } else { *next_sector };
                *next_sector = sector + sectors;
                sector
            }
            Order::Random { state } => random(state) % (capacity_sectors / sectors).max(1) * sectors,
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): a random number of 64 bits.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Commands of one kind, always `depth` of them in flight.
struct Load {
    op: Op,
    depth: u32,
    sectors: u32,
    commands: u64,
    order: Order,
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

    /// Runs `load.commands` to their end; returns the time it took.
    fn run(&mut self, load: &mut Load) -> u64 {
        let start_ns = self.now_ns;
        let (mut left, capacity_sectors) = (load.commands, self.disk.capacity_sectors());
        loop {
            while left > 0 && self.disk.in_flight() < load.depth.min(self.disk.depth()) {
                let sector = load.order.next(load.sectors, capacity_sectors);
                let command = Command { tag: 0, op: load.op, sector, sectors: load.sectors };
                if self.disk.submit(self.now_ns, command).is_err() {
                    break;
                }
                left -= 1;
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
