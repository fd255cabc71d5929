// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a worker is told, and what it answers: one line of JSON each.

use super::latencies::Latencies;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use workload::Region;

/// What a worker is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The file or device.
    pub target: PathBuf,
    /// The smallest block of direct I/O on it, if it takes any.
    pub direct_block_bytes: Option<u32>,
    /// Its part that is used, from the beginning, bytes.
    pub used_bytes: u64,
    /// Room for a start-up that is replayed, bytes.
    pub start_up_bytes: u64,
    /// A job file with one job.
    pub job: String,
    /// The processes of the job that this worker is.
    pub processes: Vec<ProcessRegion>,
    /// Seed of the random choices of this worker.
    pub seed: u64,
}

/// A process of the job, and where it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRegion {
    /// Which of the job's processes, from 0.
    pub clone: u32,
    /// Where its part of the target begins, bytes.
    pub start_bytes: u64,
    /// How long that is, bytes.
    pub length_bytes: u64,
}

impl ProcessRegion {
    /// The same as `workload` has it.
    pub(super) fn region(self) -> Region {
        Region { start_bytes: self.start_bytes, length_bytes: self.length_bytes }
    }
}

/// What a worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// All processes of the worker are prepared and wait for the start.
    Ready,
    /// The worker has done all of it; this is what its processes did.
    Report(WorkerReport),
    /// It cannot do it, and why.
    Failed(String),
}

/// What a worker did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Each of its processes.
    pub processes: Vec<ProcessReport>,
    /// Processor time from the start to the end, in user space and in the kernel on its behalf, ns.
    pub cpu_ns: u64,
    /// What is not as it should be: how I/O is done.
    pub notes: Vec<String>,
}

/// What a process did in its ramp time: nothing, if it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InRamp {
    /// How long that is from its begin, ns.
    pub time_ns: u64,
    /// Reads and writes that were done.
    pub ios: u64,
    /// Bytes that those moved.
    pub bytes: u64,
}

/// What a process did. Times are nanoseconds since the start of the cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessReport {
    /// When it began, its start delay over.
    pub began_ns: u64,
    /// When it had nothing left to do, or was stopped.
    pub ended_ns: u64,
    /// Reads and writes that were done.
    pub ios: u64,
    /// Bytes that those reads and writes moved.
    pub bytes: u64,
    /// What of that was done in its ramp time, of which there are no rates.
    pub in_ramp: InRamp,
    /// How long they took.
    pub latencies: Latencies,
    /// How long each fsync took.
    pub syncs: Latencies,
    /// What stopped it, if something did.
    pub error: Option<String>,
}
