// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the target was shared: by job and by control group, with the spread between processes.

use crate::fio::{GLOBAL_PERCENTILES, six_decimals};
use crate::histogram::Histogram;
use crate::moments::Moments;
use crate::ordered::OrderedMap;
use crate::together::Together;
use crate::totals::{JobInfo, ProcessRecord, per_second, within};
use base::Direction;
use serde::{Deserialize, Serialize};

/// Who got how much of the target. fio has nothing like it, so it stands beside fio's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The control groups that have processes in them or below them, parents first; empty if no
    /// job names one.
    pub groups: Vec<GroupSummary>,
    /// The jobs, in the order of the job file.
    pub jobs: Vec<JobSummary>,
    /// All jobs together; absent in older results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Total>,
}

/// What all jobs got together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Total {
    /// Bytes they moved.
    pub io_bytes: u64,
    /// Bytes per second of the time from when the first of them counts until the last ends, without
    /// the time in which any of them has its ramp. It is less than the sum of the jobs' own rates
    /// if one of them ended early or began late.
    pub bw_bytes: u64,
    /// That time, milliseconds.
    pub runtime: u64,
}

impl Summary {
    /// Whether an error stopped a process.
    pub fn has_errors(&self) -> bool {
        self.jobs.iter().any(|job| job.error != 0)
    }

    /// The throughput of the run, bytes per second: of every form of a result.
    pub fn bw_bytes(&self) -> u64 {
        let of_jobs = || self.jobs.iter().map(|job| job.bw_bytes).sum();
        self.total.map_or_else(of_jobs, |total| total.bw_bytes)
    }

    /// The part of the run's throughput that a kind of I/O has, bytes per second: over the time of
    /// the whole run, however long each job ran.
    pub fn bw_bytes_of(&self, kind: &str) -> u64 {
        let Some((io_bytes, bw_bytes)) = self.rated() else {
            return self.jobs.iter().filter_map(|job| job.bw_bytes_of(kind)).sum();
        };
        let bytes: u64 = self.jobs.iter().map(|job| job.in_total(job.io_bytes_of(kind))).sum();
        (u128::from(bytes) * u128::from(bw_bytes) / u128::from(io_bytes)) as u64
    }

    /// The bytes that the rate of all is made of, and that rate; none of older results.
    fn rated(&self) -> Option<(u64, u64)> {
        let io_bytes: u64 = self.jobs.iter().map(|job| job.in_total(job.io_bytes)).sum();
        Some((io_bytes, self.total?.bw_bytes)).filter(|_| io_bytes > 0)
    }

    /// I/Os of all jobs per second of the same time, without syncs.
    pub fn iops(&self) -> f64 {
        let moving = || JobSummary::latency_kinds().filter(|kind| *kind != SYNC);
        let of = |job: &JobSummary, kind| {
            job.in_total(job.latency_of(kind).map_or(0, |latency| latency.n))
        };
        match self.rated() {
            Some((io_bytes, bw_bytes)) => {
                let ios: u64 =
                    self.jobs.iter().flat_map(|job| moving().map(|kind| of(job, kind))).sum();
                ios as f64 * bw_bytes as f64 / io_bytes as f64
            }
            None => {
                let rates =
                    self.jobs.iter().flat_map(|job| moving().filter_map(|kind| job.iops_of(kind)));
                rates.sum()
            }
        }
    }
}

/// A control group of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupInfo {
    /// Its path: `/` is the root, `/a/x` a child of `/a`.
    pub path: String,
    /// Its weight, 1 to 1000; `None` for the root.
    pub weight: Option<u32>,
}

/// What a control group got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupSummary {
    /// Path of the group.
    pub path: String,
    /// Its weight, 1 to 10,000; absent for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// The phase (between `stonewall`s) that this line is about.
    pub phase: u32,
    /// Processes in it and below it.
    pub processes: u32,
    /// Bytes they moved.
    pub io_bytes: u64,
    /// Bytes per second of the time during which any of them ran and none had its ramp.
    pub bw_bytes: u64,
    /// The part of all bytes of the phase, 0 to 1.
    pub share: f64,
}

/// What a job got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobSummary {
    /// The section's name.
    pub jobname: String,
    /// fio's group number.
    pub groupid: u32,
    /// The phase (between `stonewall`s) it runs in.
    pub phase: u32,
    /// Path of its control group.
    pub cgroup: String,
    /// Its own options as written. (fio's part has those of the first of a reporting group only.)
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub options: OrderedMap<String>,
    /// Number of its processes.
    pub processes: u32,
    /// Bytes they moved.
    pub io_bytes: u64,
    /// The same per second of the time during which any of them ran.
    pub bw_bytes: u64,
    /// The part of all bytes of the phase, 0 to 1.
    pub share: f64,
    /// Bytes per second of the process that got least.
    pub process_bw_bytes_min: u64,
    /// Bytes per second of the process that got most.
    pub process_bw_bytes_max: u64,
    /// Milliseconds from the start of the first process (or the end of its ramp) to the end
    /// of the last.
    pub runtime: u64,
    /// The same time in nanoseconds; absent in older results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_ns: Option<u64>,
    /// Completion latencies of reads; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_clat_ns: Option<LatencySummary>,
    /// Completion latencies of writes; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_clat_ns: Option<LatencySummary>,
    /// Completion latencies of discards; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_clat_ns: Option<LatencySummary>,
    /// Latencies of fsync and fdatasync; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_lat_ns: Option<LatencySummary>,
    /// The part of what it moved that counts in the rate of all jobs together; absent if that is
    /// all, as it is unless another job had its ramp meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_in_total: Option<f64>,
    /// The errno that stopped the first process that failed; 0 if none did.
    pub error: i32,
    /// Whether a process of it ended before its work was done: its runtime was over, an error
    /// stopped it, or the run was interrupted. Absent if not, of jobs that only their runtime ends,
    /// and in older results.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

type OfKind = fn(&JobSummary) -> Option<&LatencySummary>;

/// The kinds of I/O, by the names that results have for them.
const KINDS: [(&str, OfKind); 4] = [
    ("read", |job| job.read_clat_ns.as_ref()),
    ("write", |job| job.write_clat_ns.as_ref()),
    ("trim", |job| job.trim_clat_ns.as_ref()),
    (SYNC, |job| job.sync_lat_ns.as_ref()),
];

/// The kind that moves no bytes.
pub(crate) const SYNC: &str = "sync";

impl JobSummary {
    /// From the start of the first process to the end of the last, to the millisecond where an
    /// older result does not tell more.
    pub fn span_ns(&self) -> u64 {
        self.runtime_ns.unwrap_or(self.runtime.saturating_mul(1_000_000))
    }

    /// The kinds of I/O that have latencies.
    pub fn latency_kinds() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(kind, _)| *kind)
    }

    /// The latencies of a kind of I/O, if the job did any.
    pub fn latency_of(&self, kind: &str) -> Option<&LatencySummary> {
        self.latencies().find(|(other, _)| *other == kind).map(|(_, latency)| latency)
    }

    /// Bytes a second of a kind of I/O; none of syncs, and where an older result does not tell.
    pub fn bw_bytes_of(&self, kind: &str) -> Option<u64> {
        let latency = self.latency_of(kind).filter(|_| kind != SYNC)?;
        let alone = self.latencies().filter(|(kind, _)| *kind != SYNC).count() == 1;
        latency.bw_bytes.or(alone.then_some(self.bw_bytes))
    }

    /// What of an amount counts in the rate of all jobs together.
    pub(crate) fn in_total(&self, amount: u64) -> u64 {
        self.part_in_total.map_or(amount, |part| (amount as f64 * part).round() as u64)
    }

    /// The part that it has of all bytes of the phase by so many of its bytes a second.
    pub(crate) fn share_of(&self, bw_bytes: u64) -> f64 {
        match self.bw_bytes {
            0 => self.share,
            all => self.share * bw_bytes as f64 / all as f64,
        }
    }

    /// Bytes of a kind of I/O: its part of those that the job moved.
    fn io_bytes_of(&self, kind: &str) -> u64 {
        let Some(of_kind) = self.bw_bytes_of(kind) else { return 0 };
        let all = u128::from(self.bw_bytes.max(of_kind).max(1));
        (u128::from(self.io_bytes) * u128::from(of_kind) / all) as u64
    }

    /// I/Os a second of a kind, over the time in which the job ran.
    pub fn iops_of(&self, kind: &str) -> Option<f64> {
        let latency = self.latency_of(kind)?;
        let over_runtime = || latency.n as f64 * 1e3 / self.runtime as f64;
        latency.iops.or_else(|| (self.runtime > 0).then(over_runtime))
    }

    /// The latencies of each kind of I/O that the job did: `read`, `write`, `trim`, `sync`.
    pub fn latencies(&self) -> impl Iterator<Item = (&'static str, &LatencySummary)> {
        KINDS.iter().filter_map(|(kind, of)| Some((*kind, of(self)?)))
    }
}

/// A distribution of latencies in some figures, nanoseconds, and how many I/Os it is of. What older
/// results have not is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencySummary {
    /// Number of samples.
    #[serde(rename = "N")]
    pub n: u64,
    /// The mean latency.
    pub mean: f64,
    /// The median latency.
    pub p50: u64,
    /// The 95th percentile.
    pub p95: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The greatest latency.
    pub max: u64,
    /// The 99.9th percentile of the latency, in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9: Option<u64>,
    /// I/Os a second, over the time in which any process of the job ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes a second, over the same time; absent for syncs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bw_bytes: Option<u64>,
    /// The percentiles that the job file's `percentile_list` asks for, by their percentage with six
    /// decimals; empty without such a list.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub percentile: OrderedMap<u64>,
}

impl LatencySummary {
    /// The latency below which that percentage lies, if the summary has it.
    pub fn at(&self, percentage: f64) -> Option<u64> {
        let listed = || self.percentile.get(&format!("{percentage:.6}")).copied();
        match percentage {
            50.0 => Some(self.p50),
            95.0 => Some(self.p95),
            99.0 => Some(self.p99),
            99.9 => self.p99_9.or_else(listed),
            100.0 => Some(self.max),
            _ => listed(),
        }
    }
}

/// The summary of a run: its groups in each phase, its jobs, and all of them together.
pub fn summary(jobs: &[JobInfo], groups: &[GroupInfo], processes: &[ProcessRecord]) -> Summary {
    let phase_bytes = |phase| -> u64 {
        let inside = processes.iter().filter(|process| jobs[process.job].phase == phase);
        inside.map(|process| process.recorder.bytes()).sum()
    };
    let grouped = jobs.iter().any(|job| job.cgroup != "/");
    let phases = jobs.iter().map(|job| job.phase + 1).max().unwrap_or(0);
    let mut lines = Vec::new();
    for phase in (0..phases).filter(|_| grouped) {
        let all_bytes = phase_bytes(phase);
        for group in groups {
            let member = |process: &&ProcessRecord| {
                let job = &jobs[process.job];
                job.phase == phase && is_within(&job.cgroup, &group.path)
            };
            let members: Vec<_> = processes.iter().filter(member).collect();
            if !members.is_empty() {
                lines.push(group_summary(group, phase, &members, all_bytes));
            }
        }
    }
    let all: Vec<_> = processes.iter().collect();
    let together = Together::of(&all);
    let job_summaries = jobs.iter().enumerate().map(|(index, job)| {
        let members: Vec<_> = processes.iter().filter(|process| process.job == index).collect();
        let part_in_total = together.part_of(&members).map(six_decimals);
        JobSummary { part_in_total, ..job_summary(job, &members, phase_bytes(job.phase)) }
    });
    let (io_bytes, bw_bytes) = (bytes_of(&all), together.bw_bytes(&all));
    let total = Total { io_bytes, bw_bytes, runtime: together.ns() / 1_000_000 };
    Summary { groups: lines, jobs: job_summaries.collect(), total: Some(total) }
}

/// Whether `path` is `group` or below it.
fn is_within(path: &str, group: &str) -> bool {
    group == "/"
        || path.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn group_summary(
    group: &GroupInfo,
    phase: u32,
    members: &[&ProcessRecord],
    all_bytes: u64,
) -> GroupSummary {
    let bytes = bytes_of(members);
    GroupSummary {
        path: group.path.clone(),
        weight: group.weight,
        phase,
        processes: members.len() as u32,
        io_bytes: bytes,
        bw_bytes: Together::of(members).bw_bytes(members),
        share: share(bytes, all_bytes),
    }
}

fn job_summary(job: &JobInfo, members: &[&ProcessRecord], all_bytes: u64) -> JobSummary {
    let bytes = bytes_of(members);
    let rates = || {
        members.iter().map(|process| {
            per_second(process.recorder.bytes(), process.recorder.counted_ns()) as u64
        })
    };
    let clat = |direction: Direction| {
        let records = || members.iter().filter_map(|process| process.recorder.record(direction));
        let latencies = records().map(|record| (record.clat(), &record.clat_histogram));
        let mut summary = latency_summary(job, span_ns(members), latencies)?;
        let bytes = records().map(|record| record.bytes).sum();
        summary.bw_bytes = Some(per_second(bytes, span_ns(members)) as u64);
        Some(summary)
    };
    let mut errors = members.iter().map(|process| process.recorder.error);
    JobSummary {
        jobname: job.name.clone(),
        groupid: job.groupid,
        phase: job.phase,
        cgroup: job.cgroup.clone(),
        options: job.options.clone(),
        processes: members.len() as u32,
        io_bytes: bytes,
        bw_bytes: per_second(bytes, span_ns(members)) as u64,
        share: share(bytes, all_bytes),
        process_bw_bytes_min: rates().min().unwrap_or(0),
        process_bw_bytes_max: rates().max().unwrap_or(0),
        runtime: span_ns(members) / 1_000_000,
        runtime_ns: Some(span_ns(members)),
        read_clat_ns: clat(Direction::Read),
        write_clat_ns: clat(Direction::Write),
        trim_clat_ns: clat(Direction::Trim),
        sync_lat_ns: {
            let records = members.iter().filter_map(|process| process.recorder.sync.as_ref());
            let latencies = records.map(|record| (record.lat.clone(), &record.histogram));
            latency_summary(job, span_ns(members), latencies)
        },
        part_in_total: None,
        error: errors.find(|&error| error != 0).unwrap_or(0),
        unfinished: members.iter().any(|process| process.recorder.has_work_left),
    }
}

fn bytes_of(members: &[&ProcessRecord]) -> u64 {
    members.iter().map(|process| process.recorder.bytes()).sum()
}

fn share(bytes: u64, all_bytes: u64) -> f64 {
    if all_bytes == 0 { 0.0 } else { six_decimals(bytes as f64 / all_bytes as f64) }
}

/// From the first start to the last end.
fn span_ns(members: &[&ProcessRecord]) -> u64 {
    let spans = || members.iter().filter_map(|process| process.recorder.span_ns());
    let start_ns = spans().map(|(start_ns, _)| start_ns).min();
    let end_ns = spans().map(|(_, end_ns)| end_ns).max();
    start_ns.zip(end_ns).map_or(0, |(start_ns, end_ns)| end_ns - start_ns)
}

fn latency_summary<'a>(
    job: &JobInfo,
    span_ns: u64,
    records: impl Iterator<Item = (Moments, &'a Histogram)>,
) -> Option<LatencySummary> {
    let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
    for (theirs, their_histogram) in records {
        moments.merge(&theirs);
        histogram.merge(their_histogram);
    }
    let values = within(&moments, histogram.percentiles(&[50.0, 95.0, 99.0, 99.9]));
    let &[p50, p95, p99, p99_9] = &values[..] else { return None };
    let listed = if job.percentiles == GLOBAL_PERCENTILES { &[][..] } else { &job.percentiles[..] };
    let listed_values = within(&moments, histogram.percentiles(listed));
    Some(LatencySummary {
        n: moments.count(),
        mean: six_decimals(moments.mean()),
        p50,
        p95,
        p99,
        max: moments.max(),
        p99_9: Some(p99_9),
        iops: Some(six_decimals(per_second(moments.count(), span_ns))),
        bw_bytes: None,
        percentile: listed.iter().map(|one| format!("{one:.6}")).zip(listed_values).collect(),
    })
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
