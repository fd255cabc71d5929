// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recordings: a table with a line for each job.

use super::case::Case;
use super::error::ResultsError;
use serde::Deserialize;

/// A line of the recordings: one job.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Recording {
    /// The scenario, which is the name of its job file.
    pub scenario: String,
    /// The disk: a built-in profile without `reference-`.
    pub disk: String,
    /// Depth of the disk's queue.
    pub depth: u32,
    /// The scheduler, perhaps with a suffix for its tunables.
    pub scheduler: String,
    /// The job: a section of the job file, or several called `JOB.0`, `JOB.1`, …
    pub job: String,
    /// Number of its processes.
    pub processes: u32,
    /// I/Os completed, before the warm-up too.
    pub ios: u64,
    /// Throughput of the job, in MB/s (10⁶ bytes a second).
    pub mb_per_s: f64,
    /// Part of all bytes.
    pub share: f64,
    /// Throughput of the process that got least.
    pub process_min_mb_per_s: f64,
    /// Throughput of the process that got most.
    pub process_max_mb_per_s: f64,
    /// Mean latency of its I/Os, µs.
    pub latency_mean_us: f64,
    /// Median latency of its I/Os, µs.
    pub latency_p50_us: f64,
    /// 99th percentile of the latency, µs.
    pub latency_p99_us: f64,
    /// From the first submission to the last completion, ms.
    pub elapsed_ms: f64,
}

/// Reads recordings: comma-separated, with a line of column names.
///
/// # Errors
/// If a column is missing or a value is no number.
pub fn read_recordings(text: &str) -> Result<Vec<Recording>, ResultsError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

impl Recording {
    /// The combination that the line belongs to.
    pub fn case(&self) -> Case {
        Case {
            scenario: self.scenario.clone(),
            disk: self.disk.clone(),
            depth: self.depth,
            scheduler: self.scheduler.clone(),
        }
    }

    /// Whether the job did a fixed number of I/Os and ended; what counts is then how long it took.
    pub fn is_start_up(&self) -> bool {
        self.job == "cmd"
    }
}

/// The combinations in the recordings, each once, in order.
pub fn cases(recordings: &[Recording]) -> Vec<Case> {
    let mut cases: Vec<Case> = recordings.iter().map(Recording::case).collect();
    cases.dedup();
    cases
}
