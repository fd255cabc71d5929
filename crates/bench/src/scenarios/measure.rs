// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what the processes did to the figures of a cell.

use crate::model::Metric;
use crate::workers::assignment::ProcessReport;
use crate::workers::latencies::Latencies;

const NS_PER_S: f64 = 1e9;
const NS_PER_MS: f64 = 1e6;
const BYTES_PER_MB: f64 = 1e6;

/// A figure that is read off a scenario; jobs are named by their sections, "" means all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// From the start of a job's first process to the end of its last.
    StartUp(&'static str),
    /// Bytes in a second.
    Throughput(&'static str),
    /// Reads and writes in a second.
    Iops(&'static str),
    /// The median latency of a job's I/Os.
    LatencyMedian(&'static str),
    /// The 99th percentile of the latencies.
    LatencyTail(&'static str),
    /// The part of the reads that took longer than a frame is shown.
    LateFrames {
        /// Name of the player's job.
        job: &'static str,
        /// How long a frame is shown, ms.
        frame_ms: u64,
    },
    /// The distance between the shares of the jobs and their weights.
    ShareError,
    /// The 95th percentile of the syncs.
    SyncTail(&'static str),
    /// Processor time for a read or write, of all that was done.
    CpuPerIo,
}

/// What the processes of a cell did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellOutcome {
    /// The outcome of each job.
    pub jobs: Vec<JobOutcome>,
    /// Processor time of all together, ns.
    pub cpu_ns: u64,
}

/// What the processes of a job did.
#[derive(Clone, Debug, PartialEq)]
pub struct JobOutcome {
    /// Name of the job.
    pub name: String,
    /// Its weight: of its control group, or by its I/O priority.
    pub weight: u32,
    /// Reports of its processes.
    pub processes: Vec<ProcessReport>,
}

impl Measure {
    /// The metric that it is a figure of.
    pub fn metric(self) -> Metric {
        match self {
            Measure::StartUp(_) => Metric::StartUp,
            Measure::Throughput(_) => Metric::Throughput,
            Measure::Iops(_) => Metric::Iops,
            Measure::LatencyMedian(_) => Metric::LatencyMedian,
            Measure::LatencyTail(_) => Metric::LatencyTail,
            Measure::LateFrames { .. } => Metric::LateFrames,
            Measure::ShareError => Metric::ShareError,
            Measure::SyncTail(_) => Metric::SyncTail,
            Measure::CpuPerIo => Metric::CpuPerIo,
        }
    }

    /// Its value in the unit of the metric; none if nothing was done that it could be read off.
    pub fn of(self, outcome: &CellOutcome) -> Option<f64> {
        let of_job = |name| processes(outcome, name);
        let in_ms = |latency_ns: u64| latency_ns as f64 / NS_PER_MS;
        match self {
            Measure::StartUp(job) => {
                let began_ns = of_job(job).map(|process| process.began_ns).min()?;
                let ended_ns = of_job(job).map(|process| process.ended_ns).max()?;
                Some(ended_ns.saturating_sub(began_ns) as f64 / NS_PER_S)
            }
            Measure::Throughput(job) => {
                let bytes = per_second(of_job(job), |of| of.bytes - of.in_ramp.bytes);
                bytes.map(|bytes| bytes / BYTES_PER_MB)
            }
            Measure::Iops(job) => per_second(of_job(job), |of| of.ios - of.in_ramp.ios),
            Measure::LatencyMedian(job) => latencies(of_job(job)).quantile_ns(0.5).map(in_ms),
            Measure::LatencyTail(job) => latencies(of_job(job)).quantile_ns(0.99).map(in_ms),
            Measure::LateFrames { job, frame_ms } => {
                let latencies = latencies(of_job(job));
                let late = latencies.longer_than(frame_ms * NS_PER_MS as u64);
                (latencies.count() > 0).then(|| 100.0 * late as f64 / latencies.count() as f64)
            }
            Measure::ShareError => share_error_percent(outcome),
            Measure::SyncTail(job) => {
                let mut syncs = Latencies::default();
                of_job(job).for_each(|process| syncs.add(&process.syncs));
                syncs.quantile_ns(0.95).map(in_ms)
            }
            Measure::CpuPerIo => {
                let ios: u64 = of_job("").map(|process| process.ios).sum();
                (ios > 0).then(|| outcome.cpu_ns as f64 / ios as f64 / 1e3)
            }
        }
    }
}

fn processes<'a>(
    outcome: &'a CellOutcome,
    job: &'a str,
) -> impl Iterator<Item = &'a ProcessReport> + 'a {
    let wanted = move |found: &&JobOutcome| job.is_empty() || found.name == job;
    outcome.jobs.iter().filter(wanted).flat_map(|found| &found.processes)
}

/// What processes did in a second, each in its own time, behind its ramp time.
fn per_second<'a>(
    processes: impl Iterator<Item = &'a ProcessReport>,
    amount: impl Fn(&ProcessReport) -> u64,
) -> Option<f64> {
    let rate = |process: &ProcessReport| {
        let from_ns = process.began_ns.saturating_add(process.in_ramp.time_ns);
        let time_ns = process.ended_ns.checked_sub(from_ns).filter(|time_ns| *time_ns > 0)?;
        Some(amount(process) as f64 * NS_PER_S / time_ns as f64)
    };
    processes.filter_map(rate).reduce(|one, other| one + other)
}

fn latencies<'a>(processes: impl Iterator<Item = &'a ProcessReport>) -> Latencies {
    let mut all = Latencies::default();
    processes.for_each(|process| all.add(&process.latencies));
    all
}

/// The largest distance between a job's share of the bytes and its share of the
/// weights, percent points.
fn share_error_percent(outcome: &CellOutcome) -> Option<f64> {
    let bytes_of = |job: &JobOutcome| -> u64 { job.processes.iter().map(|p| p.bytes).sum() };
    let bytes: u64 = outcome.jobs.iter().map(bytes_of).sum();
    let weights: u32 = outcome.jobs.iter().map(|job| job.weight).sum();
    if bytes == 0 || weights == 0 {
        return None;
    }
    let error = |job: &JobOutcome| {
        let share = bytes_of(job) as f64 / bytes as f64;
        100.0 * (share - f64::from(job.weight) / f64::from(weights)).abs()
    };
    outcome.jobs.iter().map(error).reduce(f64::max)
}
