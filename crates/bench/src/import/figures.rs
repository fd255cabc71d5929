// SPDX-License-Identifier: MIT OR Apache-2.0
//! From fio's jobs to figures.

use crate::model::{Metric, MetricKind};
use report::{DirectionStats, FioOutput, JobStats, LatencyStats};
use std::collections::BTreeMap;

/// Options of a job whose work has an end: a program that starts.
const STARTS: [&str; 2] = ["number_ios", "read_iolog"];

/// Options of a job that paces itself: a user waits for each of its I/Os.
const PACED: [&str; 5] = ["thinktime", "rate", "rate_iops", "fsync", "fdatasync"];

/// A percentile of what a user waits for.
struct Wait {
    metric: Metric,
    /// What fio calls it.
    key: &'static str,
    words: &'static str,
}

/// What jobs are judged by for which a user waits.
const WAITS: [Wait; 3] = [
    Wait { metric: Metric::LatencyMedian, key: "50.000000", words: "50" },
    Wait { metric: Metric::LatencyTail, key: "99.000000", words: "99" },
    Wait { metric: Metric::SyncTail, key: "95.000000", words: "95 of its syncs" },
];

impl Wait {
    /// What the jobs waited for so long, in ms; none if the files do not tell it.
    fn of(&self, jobs: &Jobs) -> Option<f64> {
        match self.metric {
            Metric::SyncTail => jobs.percentile_ms(|job| Some(&job.sync.lat_ns), self.key),
            _ => jobs.percentile_ms(latencies, self.key),
        }
    }

    /// Whether there was anything to wait for.
    fn was_done(&self, jobs: &Jobs) -> bool {
        match self.metric {
            Metric::SyncTail => jobs.all.iter().any(|job| job.sync.total_ios > 0),
            _ => jobs.sum(|one| one.total_ios as f64) > 0.0,
        }
    }
}

/// What a job is in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The only one, or one of several alike.
    Alone,
    /// A user waits for it.
    Foreground,
    /// It runs beside the job that a user waits for.
    Background,
}

/// The processes of one name, which fio may list one by one.
pub(super) struct Jobs<'a> {
    pub name: &'a str,
    pub all: Vec<&'a JobStats>,
    fio: &'a FioOutput,
}

impl<'a> Jobs<'a> {
    /// All of a run, in the order in which they occur first.
    pub fn by_name(fio: &'a FioOutput) -> Vec<Self> {
        let mut jobs: Vec<Jobs> = Vec::new();
        for job in &fio.jobs {
            match jobs.iter_mut().find(|jobs| jobs.name == job.jobname) {
                Some(jobs) => jobs.all.push(job),
                None => jobs.push(Jobs { name: &job.jobname, all: vec![job], fio }),
            }
        }
        jobs
    }

    fn option(&self, name: &str) -> Option<&str> {
        let own = self.all[0].job_options.get(name);
        own.or_else(|| self.fio.global_options.get(name)).map(String::as_str)
    }

    /// Whether an option is set, and not to 0.
    fn has(&self, option: &str) -> bool {
        self.option(option).is_some_and(|value| value != "0")
    }

    /// The option that shows that a user waits for it.
    pub fn waits(&self) -> Option<&'static str> {
        PACED.iter().chain(&STARTS).copied().find(|option| self.has(option))
    }

    /// Whether its work has an end.
    fn starts(&self) -> bool {
        STARTS.iter().any(|option| self.has(option))
    }

    /// I/Os in flight at most, of all its processes.
    pub fn in_flight(&self) -> u64 {
        let number = |name| self.option(name).and_then(|value| value.parse().ok());
        let processes = number("numjobs").unwrap_or(1).max(self.all.len() as u64);
        number("iodepth").unwrap_or(1).max(1).saturating_mul(processes)
    }

    fn sum(&self, of: impl Fn(&DirectionStats) -> f64) -> f64 {
        self.all.iter().flat_map(|job| [&job.read, &job.write, &job.trim]).map(of).sum()
    }

    /// A percentile of latencies in ms; of several processes that of the one that waited longest.
    fn percentile_ms(
        &self,
        of: impl Fn(&JobStats) -> Option<&LatencyStats>,
        key: &str,
    ) -> Option<f64> {
        let of_job =
            |job: &&JobStats| of(job)?.percentile.as_ref()?.get(key).map(|ns| *ns as f64 / 1e6);
        self.all.iter().filter_map(of_job).reduce(f64::max)
    }
}

/// The latencies of the direction in which a job did most: those from submission to completion, as
/// fio has percentiles of them by default, else the whole ones.
fn latencies(job: &JobStats) -> Option<&LatencyStats> {
    let most = [&job.read, &job.write, &job.trim].into_iter().max_by_key(|one| one.total_ios)?;
    [&most.clat_ns, &most.lat_ns].into_iter().find(|of| of.percentile.is_some())
}

/// What a scenario of these jobs yields.
pub(super) fn figures(jobs: &Jobs, role: Role) -> BTreeMap<Metric, f64> {
    let mut figures = BTreeMap::new();
    let mut add = |metric, value: Option<f64>| {
        figures.extend(value.filter(|value| tells(metric, *value)).map(|value| (metric, value)));
    };
    let is_paced = PACED.iter().any(|option| jobs.has(option));
    if jobs.starts() && role != Role::Background {
        let directions = jobs.all.iter().flat_map(|job| [&job.read, &job.write, &job.trim]);
        add(Metric::StartUp, directions.map(|one| one.runtime as f64 / 1e3).reduce(f64::max));
        return figures;
    }
    // Of a job that waits for each of its I/Os, throughput only says the same as latency.
    let moves = role == Role::Background || role == Role::Alone && !is_paced;
    if moves {
        add(Metric::Throughput, Some(jobs.sum(|one| one.bw_bytes as f64) / 1e6));
        add(Metric::Iops, Some(jobs.sum(|one| one.iops)));
        add(Metric::CpuPerIo, Some(cpu_us(jobs) / jobs.sum(|one| one.total_ios as f64)));
    }
    if role != Role::Background {
        WAITS.iter().for_each(|wait| add(wait.metric, wait.of(jobs)));
    }
    figures
}

/// Percentiles that fio did not write of a job that did something, and is judged by them.
pub(super) fn missing_percentiles(jobs: &Jobs, role: Role) -> Vec<&'static str> {
    let is_judged = role != Role::Background && !jobs.starts();
    let is_missing = |wait: &&Wait| is_judged && wait.was_done(jobs) && wait.of(jobs).is_none();
    WAITS.iter().filter(is_missing).map(|wait| wait.words).collect()
}

/// Whether a value says anything. A rate of 0 is the worst there is: the job was starved. A time or
/// cost of 0 was too small for fio to tell.
fn tells(metric: Metric, value: f64) -> bool {
    value.is_finite() && (value > 0.0 || value == 0.0 && metric.kind() == MetricKind::Rate)
}

/// Processor time of all processes.
fn cpu_us(jobs: &Jobs) -> f64 {
    let of = |job: &&JobStats| (job.usr_cpu + job.sys_cpu) / 100.0 * job.job_runtime as f64 * 1e3;
    jobs.all.iter().map(of).sum()
}
