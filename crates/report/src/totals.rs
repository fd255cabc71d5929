// SPDX-License-Identifier: MIT OR Apache-2.0
//! From recorders to fio's `jobs`: one entry for each process, or for each reporting group.

use crate::fio::{DirectionStats, JobStats, LatencyStats, SyncStats, six_decimals};
use crate::histogram::Histogram;
use crate::moments::Moments;
use crate::ordered::OrderedMap;
use crate::rates::RateStats;
use crate::recorder::Recorder;
use base::Direction;
use std::collections::BTreeMap;

/// What the results need to know of a job (a section of the job file).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobInfo {
    /// The name of the job's section in the job file.
    pub name: String,
    /// fio's group number: rises with `new_group` and `stonewall`.
    pub groupid: u32,
    /// The phase it runs in: rises with `stonewall`. Shares are taken within a phase.
    pub phase: u32,
    /// Path of its control group, `/` for none.
    pub cgroup: String,
    /// Its own options as written.
    pub options: OrderedMap<String>,
    /// Percentages of the percentiles to report, ascending.
    pub percentiles: Vec<f64>,
    /// Whether it is reported together with its neighbours of the same `groupid`.
    pub group_reporting: bool,
    /// The most I/Os that each of its processes has under way (`iodepth`).
    pub depth: u32,
    /// The latency that its depth was searched for (`latency_target`), if it was.
    pub latency_goal: Option<LatencyGoal>,
    /// Where results tell its processes apart ([`apart`](crate::apart())): what each is called;
    /// none: it is in no result. Empty: they are told by the job's name.
    pub process_names: Vec<Option<String>>,
    /// Whether reads and writes are also reported together (`unified_rw_reporting`).
    pub unified: bool,
}

/// What latencies a job was to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyGoal {
    /// The `latency_target` of the job, in ns.
    pub target_ns: u64,
    /// The `latency_percentile` of the job, in percent.
    pub percentile: f64,
    /// The `latency_window` of the job, in microseconds.
    pub window_us: u64,
}

/// One process and what it recorded.
#[derive(Clone, Debug)]
pub struct ProcessRecord {
    /// Which job it is a clone of: an index into the list of jobs.
    pub job: usize,
    /// What its I/Os amounted to: counts, latencies and rates.
    pub recorder: Recorder,
}

const DEPTH_KEYS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
const CALL_KEYS: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
const CLASS_KEYS: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// fio's `jobs`. Processes come in the order of their jobs.
pub fn fio_jobs(jobs: &[JobInfo], processes: &[ProcessRecord]) -> Vec<JobStats> {
    let mut entries: Vec<(usize, Vec<&Recorder>)> = Vec::new();
    for process in processes {
        let job = &jobs[process.job];
        match entries.last_mut() {
            Some((first, members))
                if job.group_reporting && jobs[*first].groupid == job.groupid =>
            {
                members.push(&process.recorder);
            }
            _ => entries.push((process.job, vec![&process.recorder])),
        }
    }
    let mut stats: Vec<JobStats> =
        entries.iter().map(|(job, members)| entry(&jobs[*job], members)).collect();
    set_share_of_group(&mut stats);
    stats
}

fn entry(job: &JobInfo, members: &[&Recorder]) -> JobStats {
    let direction = |which| direction_stats(members, &[which], &job.percentiles);
    let mixed = || direction_stats(members, &Direction::ALL, &job.percentiles);
    let ios = members.iter().map(|member| member.classes.iter().sum::<u64>()).sum();
    let classes = sum_of(members, |member| &member.classes);
    let (nanoseconds, rest) = classes.split_at(10);
    let (microseconds, milliseconds) = rest.split_at(10);
    let found = members.first().filter(|_| job.latency_goal.is_some()).and_then(|m| m.depth);
    let depth = found.unwrap_or(job.depth);
    let end_ns = members.iter().map(|member| member.ended_ns()).max().unwrap_or(0);
    JobStats {
        jobname: job.name.clone(),
        groupid: job.groupid,
        error: members.iter().map(|member| member.error).find(|&error| error != 0).unwrap_or(0),
        eta: 0,
        elapsed: end_ns.div_ceil(1_000_000_000),
        job_options: job.options.clone(),
        read: direction(Direction::Read),
        write: direction(Direction::Write),
        trim: direction(Direction::Trim),
        mixed: job.unified.then(mixed),
        sync: sync_stats(members, &job.percentiles),
        job_runtime: members.iter().map(|member| member.counted_ns() / 1_000_000).sum(),
        usr_cpu: 0.0,
        sys_cpu: 0.0,
        ctx: 0,
        majf: 0,
        minf: 0,
        iodepth_level: percents_of_all(&DEPTH_KEYS, &sum_of(members, |member| &member.depths)),
        iodepth_submit: percents_of_all(
            &CALL_KEYS,
            &sum_of(members, |member| &member.submit_calls),
        ),
        iodepth_complete: percents_of_all(
            &CALL_KEYS,
            &sum_of(members, |member| &member.reap_calls),
        ),
        latency_ns: percents(&CLASS_KEYS[..10], nanoseconds, ios),
        latency_us: percents(&CLASS_KEYS[..10], microseconds, ios),
        latency_ms: percents(&CLASS_KEYS, milliseconds, ios),
        latency_depth: depth,
        latency_target: job.latency_goal.map_or(0, |goal| goal.target_ns),
        latency_percentile: job.latency_goal.map_or(100.0, |goal| goal.percentile),
        latency_window: job.latency_goal.map_or(0, |goal| goal.window_us),
    }
}

fn sum_of<const N: usize>(
    members: &[&Recorder],
    counters: impl Fn(&Recorder) -> &[u64; N],
) -> [u64; N] {
    let mut sum = [0; N];
    for member in members {
        for (total, count) in sum.iter_mut().zip(counters(member)) {
            *total += count;
        }
    }
    sum
}

fn percents_of_all(keys: &[&str], counts: &[u64]) -> OrderedMap<f64> {
    percents(keys, counts, counts.iter().sum())
}

fn percents(keys: &[&str], counts: &[u64], total: u64) -> OrderedMap<f64> {
    let percent = |&count: &u64| six_decimals(count as f64 * 100.0 / total.max(1) as f64);
    keys.iter().copied().zip(counts.iter().map(percent)).collect()
}

fn direction_stats(
    members: &[&Recorder],
    directions: &[Direction],
    percentages: &[f64],
) -> DirectionStats {
    let mut bytes = 0;
    let mut ios = 0;
    let mut runtime_ns = 0;
    let (mut slat, mut clat, mut lat) = (Moments::new(), Moments::new(), Moments::new());
    let mut histogram = Histogram::new();
    let (mut bandwidth, mut iops) = (RateStats::default(), RateStats::default());
    let records = members.iter().flat_map(|member| {
        directions.iter().filter_map(move |&which| Some((member, which, member.record(which)?)))
    });
    for (member, which, record) in records {
        bytes += record.bytes;
        ios += record.ios;
        runtime_ns = member.counted_ns().max(runtime_ns);
        slat.merge(&member.slat(which).unwrap_or_default());
        clat.merge(&record.clat());
        lat.merge(&record.lat());
        histogram.merge(&record.clat_histogram);
        bandwidth.add(&record.rates.bandwidth());
        iops.add(&record.rates.iops());
    }
    let bw_bytes = per_second(bytes, runtime_ns);
    DirectionStats {
        io_bytes: bytes,
        io_kbytes: bytes / 1024,
        bw_bytes: bw_bytes as u64,
        bw: (bw_bytes / 1024.0) as u64,
        iops: six_decimals(per_second(ios, runtime_ns)),
        runtime: runtime_ns / 1_000_000,
        total_ios: ios,
        short_ios: 0,
        drop_ios: 0,
        slat_ns: latency_stats(&slat, None),
        clat_ns: latency_stats(&clat, Some((&histogram, percentages))),
        lat_ns: latency_stats(&lat, None),
        bw_min: bandwidth.min,
        bw_max: bandwidth.max,
        bw_agg: 0.0,
        bw_mean: six_decimals(bandwidth.mean),
        bw_dev: six_decimals(bandwidth.stddev),
        bw_samples: bandwidth.samples,
        iops_min: iops.min,
        iops_max: iops.max,
        iops_mean: six_decimals(iops.mean),
        iops_stddev: six_decimals(iops.stddev),
        iops_samples: iops.samples,
    }
}

fn sync_stats(members: &[&Recorder], percentages: &[f64]) -> SyncStats {
    let (mut lat, mut histogram) = (Moments::new(), Histogram::new());
    for record in members.iter().filter_map(|member| member.sync.as_ref()) {
        lat.merge(&record.lat);
        histogram.merge(&record.histogram);
    }
    SyncStats {
        total_ios: lat.count(),
        lat_ns: latency_stats(&lat, Some((&histogram, percentages))),
    }
}

fn latency_stats(moments: &Moments, percentiles: Option<(&Histogram, &[f64])>) -> LatencyStats {
    LatencyStats {
        min: moments.min(),
        max: moments.max(),
        mean: six_decimals(moments.mean()),
        stddev: six_decimals(moments.stddev()),
        n: moments.count(),
        percentile: percentiles.filter(|_| moments.count() > 0).map(|(histogram, percentages)| {
            let values = within(moments, histogram.percentiles(percentages));
            percentages.iter().map(|percentage| format!("{percentage:.6}")).zip(values).collect()
        }),
    }
}

/// Percentiles are middles of buckets; no sample lies outside of the extremes.
pub(crate) fn within(moments: &Moments, values: Vec<u64>) -> Vec<u64> {
    values.into_iter().map(|value| value.clamp(moments.min(), moments.max())).collect()
}

/// An amount as a rate; 0 over no time.
pub(crate) fn per_second(amount: u64, span_ns: u64) -> f64 {
    if span_ns == 0 { 0.0 } else { amount as f64 * 1e9 / span_ns as f64 }
}

/// `bw_agg`: what part of its reporting group's bandwidth an entry's mean bandwidth is.
fn set_share_of_group(stats: &mut [JobStats]) {
    for which in [
        (|job| &mut job.read) as fn(&mut JobStats) -> &mut DirectionStats,
        |job| &mut job.write,
        |job| &mut job.trim,
    ] {
        let mut groups: BTreeMap<u32, f64> = BTreeMap::new();
        for job in stats.iter_mut() {
            *groups.entry(job.groupid).or_default() += which(job).bw_mean;
        }
        for job in stats.iter_mut() {
            let group = groups.get(&job.groupid).copied().unwrap_or(0.0);
            let direction = which(job);
            if group > 0.0 {
                direction.bw_agg = six_decimals(direction.bw_mean * 100.0 / group);
            }
        }
    }
}

#[cfg(test)]
#[path = "totals_tests.rs"]
mod tests;
