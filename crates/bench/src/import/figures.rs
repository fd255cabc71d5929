//! From fio's jobs to figures.

use crate::model::Metric;
use report::{DirectionStats, FioOutput, JobStats, LatencyStats};
use std::collections::BTreeMap;

/// Options of a job that has so and so much to do: a program that starts.
const STARTS: [&str; 2] = ["number_ios", "read_iolog"];

/// Options of a job that paces itself: somebody who waits for each of its I/Os.
const PACED: [&str; 5] = ["thinktime", "rate", "rate_iops", "fsync", "fdatasync"];

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

    /// Whether an option is set, and not to 0.
    fn has(&self, option: &str) -> bool {
        let own = self.all[0].job_options.get(option);
        own.or_else(|| self.fio.global_options.get(option)).is_some_and(|value| value != "0")
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
pub(super) fn figures(jobs: &Jobs) -> BTreeMap<Metric, f64> {
    let mut figures = BTreeMap::new();
    let mut add = |metric, value: Option<f64>| {
        figures.extend(
            value.filter(|value| value.is_finite() && *value > 0.0).map(|value| (metric, value)),
        );
    };
    if STARTS.iter().any(|option| jobs.has(option)) {
        let directions = jobs.all.iter().flat_map(|job| [&job.read, &job.write, &job.trim]);
        add(Metric::StartUp, directions.map(|one| one.runtime as f64 / 1e3).reduce(f64::max));
        return figures;
    }
    if !PACED.iter().any(|option| jobs.has(option)) {
        add(Metric::Throughput, Some(jobs.sum(|one| one.bw_bytes as f64) / 1e6));
        add(Metric::Iops, Some(jobs.sum(|one| one.iops)));
        add(Metric::CpuPerIo, Some(cpu_us(jobs) / jobs.sum(|one| one.total_ios as f64)));
    }
    add(Metric::LatencyMedian, jobs.percentile_ms(latencies, "50.000000"));
    add(Metric::LatencyTail, jobs.percentile_ms(latencies, "99.000000"));
    add(Metric::SyncTail, jobs.percentile_ms(|job| Some(&job.sync.lat_ns), "95.000000"));
    figures
}

/// Processor time of all processes.
fn cpu_us(jobs: &Jobs) -> f64 {
    let of = |job: &&JobStats| (job.usr_cpu + job.sys_cpu) / 100.0 * job.job_runtime as f64 * 1e3;
    jobs.all.iter().map(of).sum()
}
