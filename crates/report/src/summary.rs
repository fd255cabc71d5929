//! How the target was shared: by job and by control group, with the spread between processes.

use crate::fio::six_decimals;
use crate::histogram::Histogram;
use crate::moments::Moments;
use crate::ordered::OrderedMap;
use crate::recorder::Direction;
use crate::totals::{JobInfo, ProcessRecord, per_second, within};
use serde::{Deserialize, Serialize};

/// Who got how much of the target. fio has nothing like it, so it stands beside fio's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The control groups that have processes in them or below them, parents first; empty if no
    /// job names one.
    pub groups: Vec<GroupSummary>,
    /// The jobs, in the order of the job file.
    pub jobs: Vec<JobSummary>,
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
pub struct GroupSummary {
    /// Its path.
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
    /// The same per second of the time during which any of them ran.
    pub bw_bytes: u64,
    /// The part of all bytes of the phase, 0 to 1.
    pub share: f64,
}

/// What a job got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Milliseconds from the start of the first process (or the end of its ramp) to the end of
    /// the last.
    pub runtime: u64,
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
    /// The errno that stopped the first process that failed; 0 if none did.
    pub error: i32,
}

type OfKind = fn(&JobSummary) -> Option<&LatencySummary>;

/// The kinds of I/O, by the names that results have for them.
const KINDS: [(&str, OfKind); 4] = [
    ("read", |job| job.read_clat_ns.as_ref()),
    ("write", |job| job.write_clat_ns.as_ref()),
    ("trim", |job| job.trim_clat_ns.as_ref()),
    ("sync", |job| job.sync_lat_ns.as_ref()),
];

impl JobSummary {
    /// The kinds of I/O that have latencies.
    pub fn latency_kinds() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(kind, _)| *kind)
    }

    /// The latencies of each kind of I/O that the job did: `read`, `write`, `trim`, `sync`.
    pub fn latencies(&self) -> impl Iterator<Item = (&'static str, &LatencySummary)> {
        KINDS.iter().filter_map(|(kind, of)| Some((*kind, of(self)?)))
    }
}

/// A distribution of latencies in six figures, nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencySummary {
    /// Number of samples.
    #[serde(rename = "N")]
    pub n: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Greatest.
    pub max: u64,
}

/// Summarizes a run.
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
    let job_summaries = jobs.iter().enumerate().map(|(index, job)| {
        let members: Vec<_> = processes.iter().filter(|process| process.job == index).collect();
        job_summary(job, &members, phase_bytes(job.phase))
    });
    Summary { groups: lines, jobs: job_summaries.collect() }
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
        bw_bytes: per_second(bytes, span_ns(members)) as u64,
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
        latency_summary(members.iter().filter_map(|process| {
            let record = process.recorder.record(direction)?;
            Some((&record.clat, &record.clat_histogram))
        }))
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
        read_clat_ns: clat(Direction::Read),
        write_clat_ns: clat(Direction::Write),
        trim_clat_ns: clat(Direction::Trim),
        sync_lat_ns: latency_summary(members.iter().filter_map(|process| {
            let record = process.recorder.sync.as_ref()?;
            Some((&record.lat, &record.histogram))
        })),
        error: errors.find(|&error| error != 0).unwrap_or(0),
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
    records: impl Iterator<Item = (&'a Moments, &'a Histogram)>,
) -> Option<LatencySummary> {
    let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
    for (theirs, their_histogram) in records {
        moments.merge(theirs);
        histogram.merge(their_histogram);
    }
    let values = within(&moments, histogram.percentiles(&[50.0, 95.0, 99.0]));
    let &[p50, p95, p99] = &values[..] else { return None };
    Some(LatencySummary {
        n: moments.count(),
        mean: six_decimals(moments.mean()),
        p50,
        p95,
        p99,
        max: moments.max(),
    })
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
