// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares of jobs and groups.

use super::*;
use crate::recorder::{Recorder, Sample};

const S: u64 = 1_000_000_000;

/// A process that lived from `start_ns` to `end_ns` and read `bytes` in one go.
fn process(job: usize, start_ns: u64, end_ns: u64, bytes: u64) -> ProcessRecord {
    moving(Direction::Read, job, [start_ns, end_ns], bytes)
}

fn moving(
    direction: Direction,
    job: usize,
    [start_ns, end_ns]: [u64; 2],
    bytes: u64,
) -> ProcessRecord {
    let mut recorder = Recorder::new(false, None);
    recorder.start(start_ns);
    let sample = Sample { direction, bytes, created_ns: start_ns, accepted_ns: start_ns };
    if bytes > 0 {
        recorder.completed(end_ns, &sample);
    }
    recorder.finish(end_ns);
    ProcessRecord { job, recorder }
}

fn job(name: &str, cgroup: &str, phase: u32) -> JobInfo {
    JobInfo { name: name.into(), cgroup: cgroup.into(), phase, ..JobInfo::default() }
}

fn group(path: &str, weight: u32) -> GroupInfo {
    GroupInfo { path: path.into(), weight: Some(weight) }
}

/// A writer that lived for a tenth of the run was once told at ten times its part of the run.
#[test]
fn reads_and_writes_of_a_run_are_parts_of_its_throughput() {
    let processes = [
        process(0, 0, 10 * S, 3000),
        moving(Direction::Write, 1, [5 * S, 6 * S], 500),
        moving(Direction::Trim, 1, [5 * S, 6 * S], 1000),
    ];
    let mut summary = summary(&[job("a", "/", 0), job("b", "/", 0)], &[], &processes);
    let rates = |summary: &Summary| ["read", "write", "trim"].map(|kind| summary.bw_bytes_of(kind));
    assert_eq!(summary.bw_bytes(), 450);
    assert_eq!(rates(&summary), [300, 50, 100]);
    // Older results have no total: the sum of the jobs' own rates.
    summary.total = None;
    assert_eq!(summary.bw_bytes(), 1800);
    assert_eq!(rates(&summary), [300, 500, 1000]);
}

#[test]
fn shares_of_jobs_are_of_their_phase() {
    let jobs = [job("a", "/", 0), job("b", "/", 0), job("later", "/", 1)];
    let processes = [
        process(0, 0, S, 3000),
        process(0, 0, 2 * S, 3000),
        process(1, 0, 2 * S, 2000),
        process(2, 2 * S, 3 * S, 500),
    ];
    let summary = summary(&jobs, &[], &processes);
    let shares: Vec<_> = summary.jobs.iter().map(|job| job.share).collect();
    assert_eq!(shares, [0.75, 0.25, 1.0]);
    let first = &summary.jobs[0];
    assert_eq!((first.processes, first.io_bytes, first.bw_bytes), (2, 6000, 3000));
    assert_eq!((first.process_bw_bytes_min, first.process_bw_bytes_max), (1500, 3000));
    assert!(summary.groups.is_empty());
}

#[test]
fn a_group_holds_the_processes_below_it() {
    let jobs = [job("x", "/a/x", 0), job("y", "/a/y", 0), job("ab", "/ab", 0)];
    let groups = [
        GroupInfo { path: "/".into(), weight: None },
        group("/a", 300),
        group("/a/x", 100),
        group("/ab", 100),
        group("/unused", 100),
    ];
    let processes = [process(0, 0, S, 600), process(1, 0, S, 200), process(2, 0, S, 200)];
    let summary = summary(&jobs, &groups, &processes);
    let lines: Vec<_> = summary
        .groups
        .iter()
        .map(|group| (&group.path[..], group.processes, group.share))
        .collect();
    assert_eq!(lines, [("/", 3, 1.0), ("/a", 2, 0.8), ("/a/x", 1, 0.6), ("/ab", 1, 0.2)]);
}

#[test]
fn a_job_without_io_has_zeros_and_no_latency() {
    let summary = summary(&[job("starved", "/", 0)], &[], &[process(0, 0, S, 0)]);
    let starved = &summary.jobs[0];
    assert_eq!((starved.bw_bytes, starved.share, starved.process_bw_bytes_min), (0, 0.0, 0));
    assert_eq!(starved.read_clat_ns, None);
}

#[test]
fn latencies_of_all_processes_together() {
    let processes = [process(0, 0, S, 1), process(0, 0, 3 * S, 1)];
    let summary = summary(&[job("a", "/", 0)], &[], &processes);
    let latency = summary.jobs[0].read_clat_ns.as_ref().unwrap();
    assert_eq!((latency.n, latency.mean, latency.max), (2, 2e9, 3 * S));
    assert!(latency.p50.abs_diff(S) < S / 100 && latency.p99.abs_diff(3 * S) < S / 30);
}

/// A start of 1.875 ms was once told as one of 1 ms, and one of less than a millisecond as none.
#[test]
fn a_job_ran_to_the_nanosecond() {
    let processes = [process(0, 0, 1_875_000, 1), process(1, 0, 999, 1)];
    let mut summary = summary(&[job("a", "/", 0), job("b", "/", 0)], &[], &processes);
    let spans = |summary: &Summary| [0, 1].map(|place: usize| summary.jobs[place].span_ns());
    assert_eq!(spans(&summary), [1_875_000, 999]);
    // Older results tell milliseconds.
    summary.jobs.iter_mut().for_each(|job| job.runtime_ns = None);
    assert_eq!(spans(&summary), [1_000_000, 0]);
}

/// What a job moves in its ramp is not known: the time was once counted, and the bytes were not.
#[test]
fn all_are_rated_over_the_time_in_which_none_has_its_ramp() {
    // Each process in seconds: when it starts, counts and ends; what it moves then, bytes. Then the
    // rate of all, the time of that, s, and the part of each that counts in it.
    type Row = (u64, u64, u64, u64);
    type Case<'a> = (&'a str, &'a [Row], u64, u64, &'a [Option<f64>]);
    let cases: [Case; 6] = [
        ("no ramp", &[(0, 0, 10, 1000), (0, 0, 5, 500)], 150, 10, &[None, None]),
        ("equal ramps", &[(0, 5, 10, 500), (0, 5, 10, 500)], 200, 5, &[None, None]),
        ("one of two", &[(0, 5, 10, 5000), (0, 0, 10, 100)], 1010, 5, &[None, Some(0.5)]),
        ("it comes later", &[(4, 5, 10, 450), (0, 0, 10, 1000)], 150, 9, &[None, Some(0.9)]),
        ("phases", &[(0, 5, 10, 500), (10, 15, 20, 500)], 100, 10, &[None, None]),
        ("gone within another's", &[(0, 5, 10, 500), (0, 0, 5, 10)], 100, 5, &[None, Some(0.0)]),
    ];
    for (case, rows, bw_bytes, runtime_s, parts) in cases {
        let rows = rows.iter().enumerate();
        let processes: Vec<ProcessRecord> = rows
            .map(|(job, &(start, counts, end, bytes))| {
                let mut process = process(job, counts * S, end * S, bytes);
                process.recorder.start_with_ramp(start * S, counts * S);
                process
            })
            .collect();
        let summary = summary(&[job("a", "/a", 0), job("b", "/b", 0)], &[], &processes);
        let total = summary.total.unwrap();
        assert_eq!((total.bw_bytes, total.runtime), (bw_bytes, runtime_s * 1000), "{case}");
        let told: Vec<_> = summary.jobs.iter().map(|job| job.part_in_total).collect();
        assert_eq!(told, parts, "{case}");
        assert_eq!(summary.bw_bytes_of("read"), bw_bytes, "{case}");
    }
}

#[test]
fn ios_of_all_are_those_of_the_time_in_which_none_has_its_ramp() {
    let ios = |job, [start, counts, end]: [u64; 3], bytes: u64, ios: u64| {
        let mut recorder = Recorder::new(false, None);
        recorder.start_with_ramp(start * S, counts * S);
        for _ in 0..ios {
            let (direction, now_ns) = (Direction::Read, end * S);
            let sample = Sample { direction, bytes, created_ns: now_ns, accepted_ns: now_ns };
            recorder.completed(now_ns, &sample);
        }
        recorder.finish(end * S);
        ProcessRecord { job, recorder }
    };
    // 20 large I/Os a second, and 100 small ones.
    let processes = [ios(0, [0, 5, 10], 1000, 100), ios(1, [0, 0, 10], 10, 1000)];
    let summary = summary(&[job("large", "/", 0), job("small", "/", 0)], &[], &processes);
    assert_eq!((summary.bw_bytes(), summary.iops()), (21_000, 120.0));
}
