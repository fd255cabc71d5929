// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shape of fio's JSON, and the figures in it.

use super::*;
use crate::fio::{FioOutput, GLOBAL_PERCENTILES};
use crate::recorder::Sample;
use serde_json::Value;

const S: u64 = 1_000_000_000;

/// A process that did one read of 64 KiB in each of `latencies_ns`, one after the other.
fn reader(latencies_ns: &[u64]) -> Recorder {
    let mut recorder = Recorder::new(false, None);
    recorder.start(0);
    let mut now_ns = 0;
    for latency_ns in latencies_ns {
        recorder.submitted(now_ns, 1, 1);
        let sample = Sample {
            direction: Direction::Read,
            bytes: 65536,
            created_ns: now_ns,
            accepted_ns: now_ns,
        };
        now_ns += latency_ns;
        recorder.completed(now_ns, &sample);
        recorder.reaped(now_ns, 1);
    }
    recorder.finish(now_ns);
    recorder
}

fn job(name: &str, groupid: u32, group_reporting: bool) -> JobInfo {
    JobInfo {
        name: name.into(),
        groupid,
        cgroup: "/".into(),
        options: [("rw".to_owned(), "read".to_owned())].into_iter().collect(),
        percentiles: GLOBAL_PERCENTILES.to_vec(),
        group_reporting,
        depth: 1,
        ..JobInfo::default()
    }
}

fn records(members: &[(usize, &[u64])]) -> Vec<ProcessRecord> {
    let record =
        |&(job, latencies): &(usize, &[u64])| ProcessRecord { job, recorder: reader(latencies) };
    members.iter().map(record).collect()
}

/// All paths of `value`, objects' keys joined by `/`, in order.
fn key_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                key_paths(inner, &format!("{path}/{key}"), paths);
            }
        }
        Value::Array(items) => {
            for inner in items {
                key_paths(inner, path, paths);
            }
        }
        _ => paths.push(path.to_owned()),
    }
}

#[test]
fn the_keys_are_those_of_fio() {
    let mut synced = reader(&[S]);
    synced.synced(S, 0);
    let disk = crate::fio::DiskUtil { name: "vda".into(), ..Default::default() };
    let output = FioOutput::undated(
        [("size".to_owned(), "4m".to_owned())].into_iter().collect(),
        fio_jobs(&[job("rd", 0, false)], &[ProcessRecord { job: 0, recorder: synced }]),
        vec![disk],
    );
    let mut paths = Vec::new();
    key_paths(&serde_json::to_value(&output).unwrap(), "", &mut paths);
    paths.sort();
    paths.dedup();
    let golden: Vec<_> = include_str!("fio_keys.txt").lines().collect();
    assert_eq!(paths, golden);
}

#[test]
fn figures_of_a_steady_reader() {
    let stats = &fio_jobs(&[job("rd", 0, false)], &records(&[(0, &[S / 4; 8])]))[0];
    let read = &stats.read;
    assert_eq!((read.io_bytes, read.io_kbytes, read.total_ios), (8 * 65536, 512, 8));
    assert_eq!((read.runtime, stats.job_runtime, stats.elapsed), (2000, 2000, 2));
    assert_eq!((read.bw_bytes, read.bw, read.iops), (262_144, 256, 4.0));
    assert_eq!((read.bw_min, read.bw_max, read.bw_samples, read.bw_agg), (256, 256, 4, 100.0));
    assert_eq!((read.iops_min, read.iops_mean, read.iops_stddev), (4, 4.0, 0.0));
    assert_eq!((read.clat_ns.min, read.clat_ns.mean, read.clat_ns.n), (S / 4, S as f64 / 4.0, 8));
    assert_eq!(read.slat_ns.n, 0);
    let percentiles = read.clat_ns.percentile.as_ref().unwrap();
    assert_eq!(percentiles.get("99.000000"), Some(&(S / 4)));
    assert_eq!(stats.latency_ms.get("500"), Some(&100.0));
    assert_eq!(stats.iodepth_level.get("1"), Some(&100.0));
    assert_eq!(stats.iodepth_submit.get("4"), Some(&100.0));
    assert_eq!(stats.write, DirectionStats::default());
}

#[test]
fn group_reporting_joins_neighbours_of_the_same_group() {
    let jobs = [job("a", 0, true), job("b", 0, true), job("c", 1, true), job("d", 1, false)];
    let processes = records(&[(0, &[S]), (0, &[S]), (1, &[S]), (2, &[S]), (3, &[S]), (3, &[S])]);
    let stats = fio_jobs(&jobs, &processes);
    let entries: Vec<_> =
        stats.iter().map(|job| (job.jobname.as_str(), job.read.total_ios)).collect();
    assert_eq!(entries, [("a", 3), ("c", 1), ("d", 1), ("d", 1)]);
    assert_eq!((stats[0].read.bw_bytes, stats[0].read.bw_min), (3 * 65536, 3 * 64));
    assert_eq!((stats[1].read.bw_agg, stats[2].read.bw_agg), (33.333333, 33.333333));
}

#[test]
fn unified_reporting_adds_a_mixed_entry() {
    let mut unified = job("rw", 0, false);
    unified.unified = true;
    let mut recorder = reader(&[S]);
    let write = Sample { direction: Direction::Write, bytes: 4096, created_ns: 0, accepted_ns: 0 };
    recorder.completed(S, &write);
    let stats = &fio_jobs(&[unified], &[ProcessRecord { job: 0, recorder }])[0];
    assert_eq!(stats.mixed.as_ref().unwrap().io_bytes, 65536 + 4096);
    assert_eq!((stats.read.io_bytes, stats.write.io_bytes), (65536, 4096));
}

#[test]
fn the_first_error_is_told() {
    let mut processes = records(&[(0, &[S]), (0, &[S])]);
    processes[1].recorder.fail(5);
    assert_eq!(fio_jobs(&[job("a", 0, true)], &processes)[0].error, 5);
}
