// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is compared of a job, and how near is near enough: one table.

use super::recording::Recording;
use report::{JobSummary, LatencyStats, Run};

/// The figures of one job in a simulation, in the recordings' units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Throughput in MB/s (10⁶ bytes a second).
    pub mb_per_s: f64,
    /// Part of all bytes.
    pub share: f64,
    /// Mean latency of its I/Os, µs.
    pub latency_mean_us: f64,
    /// From the first submission to the last completion of a job that does one I/O after
    /// the other, ms.
    pub elapsed_ms: f64,
}

impl Figures {
    /// Those of the job called `name`, or of all called `name.0`, `name.1`, … together.
    /// A latency is from the moment when the process asks, also if it has to wait for a request, to
    /// the moment when it sees the end.
    pub(super) fn of_job(name: &str, run: &Run) -> Option<Figures> {
        let is_part = |part: &str| {
            part == name || part.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        };
        let jobs = run.summary.jobs.iter().filter(|job| is_part(&job.jobname));
        let parts: Vec<&JobSummary> = jobs.collect();
        if parts.is_empty() {
            return None;
        }
        let stats = run.fio.jobs.iter().filter(|job| is_part(&job.jobname));
        let latencies: Vec<&LatencyStats> =
            stats.flat_map(|job| [&job.read.lat_ns, &job.write.lat_ns]).collect();
        let ios: u64 = latencies.iter().map(|latency| latency.n).sum();
        let sum_ns: f64 = latencies.iter().map(|latency| latency.mean * latency.n as f64).sum();
        Some(Figures {
            mb_per_s: parts.iter().map(|job| job.bw_bytes).sum::<u64>() as f64 / 1e6,
            share: parts.iter().map(|job| job.share).sum(),
            latency_mean_us: sum_ns / ios.max(1) as f64 / 1e3,
            elapsed_ms: sum_ns / 1e6,
        })
    }
}

/// A figure that is compared.
#[derive(Debug)]
pub struct Figure {
    /// Its name, with its unit.
    pub name: &'static str,
    /// Whether it is judged in start-ups, and whether in jobs that go on all the time.
    pub judged: [bool; 2],
    /// Values agree if they differ by no more than this part of the recorded one …
    pub relative: f64,
    /// … or by no more than this.
    pub absolute: f64,
    /// Digits shown behind the point.
    pub digits: usize,
    /// Takes the figure from what was recorded.
    pub recorded: fn(&Recording) -> f64,
    /// Takes the figure from what was simulated.
    pub simulated: fn(&Figures) -> f64,
}

/// All of them: throughput within 3 %, shares within a percentage point, latencies and the time of
/// a start-up within 10 %.
pub const FIGURES: [Figure; 4] = [
    Figure {
        name: "MB/s",
        judged: [false, true],
        relative: 0.03,
        absolute: 0.0,
        digits: 3,
        recorded: |line| line.mb_per_s,
        simulated: |figures| figures.mb_per_s,
    },
    Figure {
        name: "share",
        judged: [true, true],
        relative: 0.0,
        absolute: 0.01,
        digits: 4,
        recorded: |line| line.share,
        simulated: |figures| figures.share,
    },
    Figure {
        name: "mean latency, ms",
        judged: [true, true],
        relative: 0.10,
        absolute: 0.0,
        digits: 3,
        recorded: |line| line.latency_mean_us / 1e3,
        simulated: |figures| figures.latency_mean_us / 1e3,
    },
    Figure {
        name: "start-up, s",
        judged: [true, false],
        relative: 0.10,
        absolute: 0.0,
        digits: 3,
        recorded: |line| line.elapsed_ms / 1e3,
        simulated: |figures| figures.elapsed_ms / 1e3,
    },
];

impl Figure {
    /// Whether the figure counts in that line.
    pub fn is_judged(&self, line: &Recording) -> bool {
        self.judged[usize::from(!line.is_start_up())]
    }

    /// By how much two values may differ that agree.
    pub fn tolerance(&self, recorded: f64) -> f64 {
        (recorded.abs() * self.relative).max(self.absolute)
    }
}
