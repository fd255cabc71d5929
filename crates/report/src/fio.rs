// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shape of `fio --output-format=json` (fio 3.33): the same keys, nesting, order and units.

use crate::ordered::OrderedMap;
use serde::{Deserialize, Serialize};

/// The percentiles that fio reports unless `percentile_list` says otherwise.
pub const GLOBAL_PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// What fio prints for one job file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FioOutput {
    /// Whose output this imitates or is: `fio-3.33`.
    #[serde(rename = "fio version")]
    pub fio_version: String,
    /// Seconds since 1970; 0 in a simulation, which has no date.
    #[serde(default)]
    pub timestamp: u64,
    /// Milliseconds since 1970; 0 in a simulation.
    #[serde(default)]
    pub timestamp_ms: u64,
    /// The same as a text.
    #[serde(default)]
    pub time: String,
    /// Options of the `[global]` section as written; absent without such a section.
    #[serde(rename = "global options", default, skip_serializing_if = "OrderedMap::is_empty")]
    pub global_options: OrderedMap<String>,
    /// One entry for each process, or for each reporting group under `group_reporting`.
    pub jobs: Vec<JobStats>,
    /// What the target as a whole did.
    #[serde(default)]
    pub disk_util: Vec<DiskUtil>,
}

impl FioOutput {
    /// An output without a date, as simulations write it.
    pub fn undated(
        global_options: OrderedMap<String>,
        jobs: Vec<JobStats>,
        disk_util: Vec<DiskUtil>,
    ) -> Self {
        Self {
            fio_version: "fio-3.33".into(),
            timestamp: 0,
            timestamp_ms: 0,
            time: "Thu Jan  1 00:00:00 1970".into(),
            global_options,
            jobs,
            disk_util,
        }
    }
}

/// One entry of `jobs`. Not every version of fio writes all of it: what is missing is 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct JobStats {
    /// The section's name.
    pub jobname: String,
    /// Rises with `new_group` and `stonewall`.
    pub groupid: u32,
    /// The errno that stopped the job; 0 if none did.
    pub error: i32,
    /// Seconds to go; always 0 in a final result.
    pub eta: u64,
    /// Seconds from the start of the run to the end of this job, rounded up.
    pub elapsed: u64,
    /// The section's own options as written.
    #[serde(rename = "job options")]
    pub job_options: OrderedMap<String>,
    /// Figures of reads.
    pub read: DirectionStats,
    /// Figures of writes.
    pub write: DirectionStats,
    /// Figures of discards.
    pub trim: DirectionStats,
    /// All of them together, under `unified_rw_reporting`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed: Option<DirectionStats>,
    /// fsync and fdatasync.
    pub sync: SyncStats,
    /// Milliseconds the job's processes ran, summed, ramp excluded.
    pub job_runtime: u64,
    /// Percent of a CPU in user mode; 0 in a simulation.
    pub usr_cpu: f64,
    /// Percent of a CPU in the kernel; 0 in a simulation.
    pub sys_cpu: f64,
    /// Context switches; 0 in a simulation.
    pub ctx: u64,
    /// Major page faults; 0 in a simulation.
    pub majf: u64,
    /// Minor page faults; 0 in a simulation.
    pub minf: u64,
    /// Percent of submissions that found this many I/Os outstanding (with themselves).
    pub iodepth_level: OrderedMap<f64>,
    /// Percent of submission calls that submitted up to this many I/Os.
    pub iodepth_submit: OrderedMap<f64>,
    /// Percent of reaping calls that returned up to this many I/Os.
    pub iodepth_complete: OrderedMap<f64>,
    /// Percent of I/Os with a completion latency below this many nanoseconds.
    pub latency_ns: OrderedMap<f64>,
    /// The same in microseconds.
    pub latency_us: OrderedMap<f64>,
    /// The same in milliseconds.
    pub latency_ms: OrderedMap<f64>,
    /// The queue depth of the job; with a latency target, the one that was found.
    pub latency_depth: u32,
    /// `latency_target`, nanoseconds; 0: none.
    pub latency_target: u64,
    /// The `latency_percentile` of the job, in percent.
    pub latency_percentile: f64,
    /// The `latency_window` of the job, in microseconds.
    pub latency_window: u64,
}

/// What was done in one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DirectionStats {
    /// Number of bytes moved.
    pub io_bytes: u64,
    /// The same in KiB.
    pub io_kbytes: u64,
    /// Bytes per second.
    pub bw_bytes: u64,
    /// KiB per second.
    pub bw: u64,
    /// I/Os per second.
    pub iops: f64,
    /// Milliseconds during which the job could do I/O, ramp excluded.
    pub runtime: u64,
    /// Number of I/Os completed.
    pub total_ios: u64,
    /// I/Os that moved less than asked for.
    pub short_ios: u64,
    /// I/Os that fio gave up; always 0.
    pub drop_ios: u64,
    /// Nanoseconds from the process's decision to the acceptance of the I/O (asynchronous jobs).
    pub slat_ns: LatencyStats,
    /// Nanoseconds from acceptance to completion.
    pub clat_ns: LatencyStats,
    /// Nanoseconds from decision to completion.
    pub lat_ns: LatencyStats,
    /// Least bandwidth of a 500 ms window, KiB per second.
    pub bw_min: u64,
    /// Greatest bandwidth of a window.
    pub bw_max: u64,
    /// The mean bandwidth as a percentage of that of the reporting group.
    pub bw_agg: f64,
    /// Mean of the windows.
    pub bw_mean: f64,
    /// Standard deviation of the windows.
    pub bw_dev: f64,
    /// Number of windows.
    pub bw_samples: u64,
    /// Least number of I/Os per second in a window.
    pub iops_min: u64,
    /// Greatest number in a window.
    pub iops_max: u64,
    /// Mean of the windows.
    pub iops_mean: f64,
    /// Standard deviation of the windows.
    pub iops_stddev: f64,
    /// Number of windows.
    pub iops_samples: u64,
}

/// A distribution of latencies, nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LatencyStats {
    /// The least latency.
    pub min: u64,
    /// The greatest latency.
    pub max: u64,
    /// The mean latency.
    pub mean: f64,
    /// The standard deviation.
    pub stddev: f64,
    /// Number of samples.
    #[serde(rename = "N")]
    pub n: u64,
    /// Percentiles by their percentage with six decimals; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<OrderedMap<u64>>,
}

/// fsync and fdatasync.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SyncStats {
    /// Number of calls completed. All count; in fio only those of fsync among the I/Os do, not
    /// fdatasync and not what `end_fsync` or `verify` asks for at the end.
    pub total_ios: u64,
    /// Nanoseconds from call to return.
    pub lat_ns: LatencyStats,
}

/// The target as a whole, counted in requests (after merging).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DiskUtil {
    /// The profile's or device's name.
    pub name: String,
    /// Read requests completed.
    pub read_ios: u64,
    /// Write requests completed.
    pub write_ios: u64,
    /// Reads merged into other requests.
    pub read_merges: u64,
    /// Writes merged into other requests.
    pub write_merges: u64,
    /// Milliseconds that read requests spent from allocation to completion, summed.
    pub read_ticks: u64,
    /// The same for writes.
    pub write_ticks: u64,
    /// The sum of both.
    pub in_queue: u64,
    /// Percentage of the time during which the device had something to do.
    pub util: f64,
}

/// `value` with the six decimals that fio prints.
pub(crate) fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
