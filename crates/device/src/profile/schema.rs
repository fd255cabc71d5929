// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that each model has: one row each with name, kind, range and meaning, from which
//! reading, errors and documentation are all made.

use super::error::Mistake;
use super::units::Quantity;

/// One value that a profile has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterRow {
    /// The key in the file and in an override.
    pub name: &'static str,
    /// What kind of number.
    pub quantity: Quantity,
    /// Least value, in base units.
    pub least: u64,
    /// Greatest value, in base units.
    pub greatest: u64,
    /// What it is where a profile does not give it, in base units; none if each profile has to.
    pub default: Option<u64>,
    pub(crate) doc: &'static str,
}

impl ParameterRow {
    /// What the value means.
    pub fn doc(&self) -> &'static str {
        self.doc.trim_start()
    }

    /// Least and greatest value, for people to read.
    pub fn range(&self) -> String {
        if self.quantity == Quantity::Flag {
            return "0 or 1".to_owned();
        }
        let (least, least_unit) = self.quantity.written(self.least);
        let (greatest, unit) = self.quantity.written(self.greatest);
        match self.least == 0 || least_unit == unit {
            true => format!("{least} to {greatest} {unit}"),
            false => format!("{least} {least_unit} to {greatest} {unit}"),
        }
    }

    /// `text` in `unit` as a number of base units within the range.
    pub(crate) fn read(&self, text: &str, unit: &str) -> Result<u64, Mistake> {
        let value = self.quantity.read(text, unit)?;
        if (self.least..=self.greatest).contains(&value) {
            return Ok(value);
        }
        Err(Mistake::new(
            format!("{} = {text} {unit} is out of range", self.name),
            self.range_in(unit),
        ))
    }

    /// The range for messages, in the unit that the value was given in.
    fn range_in(&self, unit: &str) -> String {
        let told = |bound| self.quantity.in_unit(bound, unit);
        let (least, greatest) = (told(self.least), told(self.greatest));
        match least.strip_suffix(unit).filter(|_| greatest.ends_with(unit)) {
            Some(number) => format!("{} to {greatest}", number.trim_end()),
            None => format!("{least} to {greatest}"),
        }
    }
}

/// `Some` of what it is given, if that is anything.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// Declares the values of a model once: as a struct of numbers in base units, and as rows. Values
/// that came later have a default, with which older profiles stay what they were.
macro_rules! parameters {
    (
        $(#[$doc:meta])* $name:ident;
        $( #[doc = $row_doc:literal] $row:ident: $quantity:expr, $least:expr, $greatest:expr
            $(, default = $default:expr)?; )*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $( #[doc = $row_doc] pub $row: u64, )*
        }

        impl $name {
            /// The rows of the profile, in the order of the fields.
            pub const ROWS: &'static [ParameterRow] = &[
                $( ParameterRow {
                    name: stringify!($row),
                    quantity: $quantity,
                    least: $least,
                    greatest: $greatest,
                    default: optional!($($default)?),
                    doc: $row_doc,
                }, )*
            ];

            /// From values in the order of [`Self::ROWS`].
            pub(crate) fn from_values(values: impl IntoIterator<Item = u64>) -> Self {
                let mut values = values.into_iter();
                $name { $( $row: values.next().unwrap_or_default(), )* }
            }
        }
    };
}

const DEPTH_MAX: u64 = 65_536;
const CAPACITY_LEAST: u64 = 1 << 20;
const CAPACITY_MAX: u64 = 1 << 50;
const TIME_MAX: u64 = 10_000_000_000;
const RATE_LEAST: u64 = 1_000;
const RATE_MAX: u64 = 1_000_000_000_000;
const CACHE_MAX: u64 = 1 << 40;

parameters! {
    /// The values of the [simple disk](crate::SimpleDisk), in base units.
    SimpleParameters;
    /// Commands accepted at once.
    depth: Quantity::Count("commands"), 1, DEPTH_MAX;
    /// Whether the disk calls itself rotational.
    rotational: Quantity::Flag, 0, 1;
    /// Size of the disk.
    capacity: Quantity::Size, CAPACITY_LEAST, CAPACITY_MAX;
    /// Servers in front of the bus.
    servers: Quantity::Count("servers"), 1, 1024;
    /// Time at a server of every command.
    base: Quantity::Time, 0, TIME_MAX;
    /// Further time of a command that doesn't begin where the one accepted before it ends.
    seek: Quantity::Time, 0, TIME_MAX;
    /// Rate of the bus that all servers share.
    bus: Quantity::Rate, RATE_LEAST, RATE_MAX;
}

parameters! {
    /// The values of the [hard disk](crate::HardDisk), in base units.
    HardDiskParameters;
    /// Commands accepted at once (native command queueing); 1 = no queueing.
    depth: Quantity::Count("commands"), 1, 1024;
    /// Whether the disk calls itself rotational.
    rotational: Quantity::Flag, 0, 1;
    /// Size of the disk.
    capacity: Quantity::Size, CAPACITY_LEAST, CAPACITY_MAX;
    /// Speed of the spindle.
    rotation: Quantity::Rotation, 600, 100_000;
    /// Number of recorded surfaces.
    heads: Quantity::Count("heads"), 1, 64;
    /// Zones of equal width and of constant sectors per track.
    zones: Quantity::Count("zones"), 1, 256;
    /// Rate at which the outermost zone passes under the head.
    media_rate_outer: Quantity::Rate, 1_000_000, 10_000_000_000;
    /// Rate at which the innermost zone passes under the head.
    media_rate_inner: Quantity::Rate, 1_000_000, 10_000_000_000;
    /// Seek to the next cylinder.
    seek_track: Quantity::Time, 1_000, TIME_MAX;
    /// Mean seek between two random cylinders.
    seek_average: Quantity::Time, 1_000, TIME_MAX;
    /// Seek from the first to the last cylinder.
    seek_full: Quantity::Time, 1_000, TIME_MAX;
    /// Time to settle that a write needs beyond the seek of a read.
    write_settle: Quantity::Time, 0, TIME_MAX;
    /// Time of the controller for each command, before the arm may move for it.
    command_overhead: Quantity::Time, 0, TIME_MAX;
    /// Rate of the interface to the host.
    interface_rate: Quantity::Rate, 1_000_000, RATE_MAX;
    /// Segments of the read cache: sequential streams that it can follow at once; 0 = no cache.
    read_segments: Quantity::Count("segments"), 0, 1024;
    /// Size of one segment.
    read_segment: Quantity::Size, 512, CACHE_MAX;
    /// How far an idle disk goes on reading past the last requested sector.
    read_ahead: Quantity::Size, 0, CACHE_MAX;
    /// Size of the write-back cache; 0 = writes go to the platters.
    write_cache: Quantity::Size, 0, CACHE_MAX;
    /// Dirty share of the write-back cache at which the disk writes it back without quiet time.
    write_cache_high: Quantity::Share, 0, 1_000_000;
    /// Most separate runs of sectors that the write-back cache can keep.
    write_segments: Quantity::Count("segments"), 1, 65_536;
    /// Quiet time after a read before the disk begins to write a cache back that is filled less.
    write_back_delay: Quantity::Time, 0, TIME_MAX;
    /// How many of the oldest commands the disk chooses the next one among.
    queue_window: Quantity::Count("commands"), 1, 1024;
    /// Wait after which the oldest command is served, however far away it is.
    queue_wait_max: Quantity::Time, 0, TIME_MAX;
}

parameters! {
    /// The values of the [flash disk](crate::FlashDisk), in base units.
    FlashParameters;
    /// Commands accepted at once.
    depth: Quantity::Count("commands"), 1, DEPTH_MAX;
    /// Whether the disk calls itself rotational.
    rotational: Quantity::Flag, 0, 1;
    /// Size that the host sees.
    capacity: Quantity::Size, CAPACITY_LEAST, CAPACITY_MAX;
    /// Spare flash beyond the capacity, as a share of it (over-provisioning).
    spare: Quantity::Share, 10_000, 10_000_000;
    /// Channels between the controller and the dies.
    channels: Quantity::Count("channels"), 1, 64;
    /// Dies on each channel.
    dies: Quantity::Count("dies"), 1, 64;
    /// What a die reads at once.
    page: Quantity::Size, 4096, 1 << 20;
    /// What a die programs at once: a page in each of its planes.
    program_unit: Quantity::Size, 4096, 1 << 24;
    /// What a die erases at once.
    erase_unit: Quantity::Size, 4096, 1 << 32;
    /// Time of a die to read a page (tR).
    read_time: Quantity::Time, 100, TIME_MAX;
    /// By how much one page in three is read faster and one slower: other bits of the same cells.
    read_time_spread: Quantity::Share, 0, 900_000, default = 0;
    /// Whether a die keeps the page that it read last, so that more of that costs it no time.
    page_register: Quantity::Flag, 0, 1, default = 1;
    /// Time of a die to program a unit in its fast mode (one bit a cell).
    program_time_fast: Quantity::Time, 100, TIME_MAX;
    /// Time of a die to program a unit in its lasting mode (tPROG).
    program_time: Quantity::Time, 100, TIME_MAX;
    /// Time of a die to erase.
    erase_time: Quantity::Time, 100, TIME_MAX;
    /// Longest time a read waits for a program or an erase of its die to be suspended.
    suspend_time: Quantity::Time, 0, TIME_MAX;
    /// Rate of one channel.
    channel_rate: Quantity::Rate, 1_000_000, RATE_MAX;
    /// Rate of the interface to the host.
    interface_rate: Quantity::Rate, 1_000_000, RATE_MAX;
    /// Whether the interface has that rate in both directions at once.
    interface_duplex: Quantity::Flag, 0, 1;
    /// Delay of every read beyond flash and transfer: protocol, firmware, error correction.
    read_latency: Quantity::Time, 0, TIME_MAX;
    /// Delay of every write into the cache beyond its transfer.
    write_latency: Quantity::Time, 0, TIME_MAX;
    /// Time for which a read occupies the controller; bounds the reads a second.
    read_occupancy: Quantity::Time, 0, TIME_MAX;
    /// Time for which a write, flush or discard occupies the controller.
    write_occupancy: Quantity::Time, 0, TIME_MAX;
    /// Further time of the controller for a read after a write, and for a write after a read.
    turnaround_time: Quantity::Time, 0, TIME_MAX, default = 0;
    /// Size of the write cache in memory.
    write_cache: Quantity::Size, 4096, CACHE_MAX;
    /// Flash that is programmed in the fast mode first, and emptied when the disk is idle.
    fast_cache: Quantity::Size, 0, CAPACITY_MAX;
    /// Random overwrites after which write amplification has grown to what it is for their extent.
    gc_ramp: Quantity::Size, 1 << 20, CAPACITY_MAX;
    /// Time that a flush takes beyond programming what is in the write cache.
    flush_time: Quantity::Time, 0, TIME_MAX;
    /// Whether the write cache survives a loss of power, so that a flush has nothing to do.
    power_loss_protection: Quantity::Flag, 0, 1;
}
