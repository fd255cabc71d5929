// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told of an interval.

use explain::Activity;
use serde::Serialize;
use std::collections::BTreeMap;

/// An interval: what each disk did, and for whom.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// When the interval ended, seconds since the first began.
    pub at_s: f64,
    /// How long it was, seconds.
    pub interval_s: f64,
    /// Events that the kernel had no room for, in this interval: figures are too low then.
    pub lost_events: u64,
    /// The disks that are watched.
    pub disks: Vec<DiskFigures>,
}

/// What a disk did in an interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskFigures {
    /// Name of the disk.
    pub name: String,
    /// The elevator that is in force; empty where that is not known.
    pub elevator: String,
    /// The settings of the elevator.
    pub tunables: BTreeMap<String, String>,
    /// Of what the disk has shown that it can do, how much was in use, percent (docs/top.md).
    pub utilisation_percent: f64,
    /// The part of the interval in which the disk had any request, percent.
    pub busy_percent: f64,
    /// Requests that were in the disk, on average.
    pub depth: f64,
    /// The most requests that were in the disk at once.
    pub deepest: u32,
    /// I/Os that wait to be given to the disk, at the end of the interval.
    pub waiting_ios: u64,
    /// All that it did.
    #[serde(flatten)]
    pub all: Figures,
    /// The processes that used it.
    pub processes: Vec<ProcessFigures>,
    /// The control groups of these, with those above them, in the order of their paths.
    pub groups: Vec<GroupFigures>,
    /// What processes did that had ended before their group could be asked for: it is in no group.
    pub no_group: Figures,
    /// Processes that are told together as `others`: there were too many.
    pub folded_processes: u64,
    /// Whether it is there no more.
    pub is_gone: bool,
    /// What its scheduler decided; none but under the kernel module of this project.
    pub activity: Option<Activity>,
    /// Why there is no `activity`.
    pub no_reasons: Option<String>,
}

/// A process that used a disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessFigures {
    /// Number of the process; none of those that are told together.
    pub pid: Option<u32>,
    /// Name of its program.
    pub name: String,
    /// Path of its control group; none where it had ended before it could be asked for.
    pub group: Option<String>,
    /// Whether it is a part of the kernel. Whose data that writes is not known.
    pub is_kernel: bool,
    /// What it did.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A control group whose processes used a disk, with all below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupFigures {
    /// Path of the group.
    pub group: String,
    /// The share of the disk that is its due by weights, while all groups that used the disk in
    /// this interval want it at once, percent; none where no scheduler decides by weights.
    pub entitled_percent: Option<f64>,
    /// What its processes did.
    #[serde(flatten)]
    pub figures: Figures,
}

/// What was done in an interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figures {
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Bytes that were discarded.
    pub discarded_bytes: u64,
    /// I/Os that ended, flushes included.
    pub ios: u64,
    /// Share of the time in which the disk had anything to do, percent.
    pub time_percent: f64,
    /// Share of the bytes that were read and written, percent.
    pub bytes_percent: f64,
    /// I/Os under way, on average.
    pub queue_depth: f64,
    /// From when I/O was handed to the block layer until the disk was given it.
    pub waiting: Quantiles,
    /// From then until it was done.
    pub in_device: Quantiles,
    /// Both of them together.
    pub whole: Quantiles,
}

/// How long I/O took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quantiles {
    /// Half of it took no longer.
    pub median_ns: u64,
    /// Of a hundred, 99 took no longer.
    pub p99_ns: u64,
    /// None took longer.
    pub worst_ns: u64,
}

impl Figures {
    /// Bytes that were read and written.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }
}

impl Snapshot {
    /// A line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("names, numbers and texts only")
    }
}
