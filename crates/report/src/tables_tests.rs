// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the tables that people read.

use super::*;
use crate::fio::FioOutput;
use crate::ordered::OrderedMap;
use crate::results::DeviceInfo;
use crate::style::Style;
use crate::summary;
use crate::summary::{GroupSummary, JobSummary, LatencySummary, Summary};
use crate::tests::samples::{JobSample, run as sample};

fn job(name: &str, processes: u32, bw_bytes: u64, share: f64) -> JobSummary {
    let mut job = summary(&[crate::totals::JobInfo::default()], &[], &[]).jobs.remove(0);
    job.jobname = name.into();
    job.processes = processes;
    job.bw_bytes = bw_bytes;
    job.share = share;
    job.process_bw_bytes_min = bw_bytes / 4;
    job.process_bw_bytes_max = bw_bytes / 2;
    job.read_clat_ns = Some(LatencySummary {
        n: 9,
        p50: 2_622_200,
        p99: 12_345_678,
        p99_9: Some(13_000_000),
        max: 14_000_000,
        iops: Some(123.4),
        ..LatencySummary::default()
    });
    job
}

fn run(scheduler: &str, device: &str, jobs: Vec<JobSummary>) -> Run {
    Run {
        scheduler: scheduler.into(),
        variant: None,
        tunables: OrderedMap::new(),
        device: DeviceInfo {
            profile: Some(device.into()),
            depth: 32,
            rotational: true,
            ..DeviceInfo::default()
        },
        queue: OrderedMap::new(),
        fio: FioOutput::undated(OrderedMap::new(), Vec::new(), Vec::new()),
        summary: Summary { groups: Vec::new(), jobs, total: None },
        fairness: None,
        device_stats: OrderedMap::new(),
        scheduler_stats: OrderedMap::new(),
        group_stats: OrderedMap::new(),
        queue_stats: OrderedMap::new(),
        page_cache: OrderedMap::new(),
        seed: None,
        note: None,
        scenario: None,
        plots: None,
    }
}

fn results(runs: Vec<Run>) -> Results {
    Results { bfq_version: "0".into(), mode: Mode::Sim, seed: 1, note: None, runs }
}

#[test]
fn schedulers_stand_side_by_side() {
    let jobs =
        |scale: u64| vec![job("be3", 1, 50 * scale, 0.5), job("greedy", 4, 10 * scale, 0.25)];
    let mut idle = jobs(2_000_000);
    idle[1].read_clat_ns = None;
    let text = tables(
        &results(vec![run("none", "disk", jobs(1_000_000)), run("mq-deadline", "disk", idle)]),
        Style::default(),
    );
    let expected = "\
disk  depth 32, rotational, simulated, seed 1

job        scheduler     MB/s  share, %  IOPS   median     99 %   99.9 %      max
be3        none         50.00      50.0   123  2.62 ms  12.3 ms  13.0 ms  14.0 ms
           mq-deadline  100.0      50.0   123  2.62 ms  12.3 ms  13.0 ms  14.0 ms

greedy ×4  none         10.00      25.0   123  2.62 ms  12.3 ms  13.0 ms  14.0 ms
           mq-deadline      -         -     -        -        -        -        -

all        none         60.00             247
           mq-deadline  120.0             123

least–most of a process, MB/s       none  mq-deadline
greedy ×4                      2.50–5.00   5.00–10.00
";
    assert_eq!(text, expected);
}

#[test]
fn groups_errors_and_notes() {
    let mut one = run("none", "disk", vec![job("be3", 1, 0, 0.5)]);
    one.summary.groups = vec![GroupSummary {
        path: "/a".into(),
        weight: Some(200),
        phase: 0,
        processes: 1,
        io_bytes: 0,
        bw_bytes: 0,
        share: 0.125,
    }];
    one.summary.jobs[0].error = 5;
    let mut results = results(vec![one]);
    results.note = Some("interrupted".into());
    let text = tables(&results, Style::default());
    for line in ["/a (weight 200)     12.5", "be3         error 5", "Note: interrupted"] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
}

#[test]
fn what_the_page_cache_did_is_shown_where_there_is_one() {
    let mut cached = run("bfq", "disk", vec![job("be3", 1, 0, 0.5)]);
    cached.page_cache = [
        ("read_pages", 200),
        ("read_hits", 150),
        ("read_ahead_pages", 0),
        ("dirty_max_pages", 1000),
        ("throttled_ns", 2_500_000_000),
        ("syncs", 3),
    ]
    .into_iter()
    .collect();
    let plain = run("none", "disk", vec![job("be3", 1, 0, 0.5)]);
    let text = tables(&results(vec![cached, plain.clone()]), Style::default());
    let expected = "
page cache                bfq  none
reads found there, %     75.0     -
read ahead in vain, %       -     -
dirty at most, MB        4.10     -
writers paused for     2.50 s     -
syncs                       3     -
";
    assert!(text.contains(expected), "{text}");
    assert!(!tables(&results(vec![plain]), Style::default()).contains("page cache"));
}

#[test]
fn devices_are_blocks_of_their_own() {
    let jobs = || vec![job("be3", 1, 0, 0.0)];
    let runs = vec![run("none", "hdd", jobs()), run("none", "ssd", jobs())];
    let text = tables(&results(runs), Style::default());
    assert_eq!(text.matches("MB/s").count(), 2);
    assert!(text.starts_with("hdd") && text.contains("\n\nssd"));
}

#[test]
fn twins_are_told_apart_by_their_tunables() {
    let twin = |low_latency: u64| {
        let mut run = run("bfq", "disk", vec![job("be3", 1, 0, 0.0)]);
        run.tunables.insert("low_latency", low_latency.into());
        run.tunables.insert("slice_idle", 8.into());
        run
    };
    assert_eq!(labels(&[&twin(0), &twin(1)]), ["bfq:low_latency=0", "bfq:low_latency=1"]);
    assert_eq!(labels(&[&twin(0)]), ["bfq"]);
}

#[test]
fn colour_only_when_asked_for() {
    let results = results(vec![run("none", "disk", vec![job("be3", 1, 0, 0.0)])]);
    assert!(tables(&results, Style { color: true, wide: false }).contains("\x1b[1m"));
    assert!(!tables(&results, Style::default()).contains('\x1b'));
}

#[test]
fn reads_and_writes_stand_apart_with_the_percentiles_asked_for() {
    let mut job = job("copy", 1, 3_000_000, 1.0);
    let of = |n, bw_bytes| LatencySummary {
        n,
        p50: 1_000_000,
        max: 9_000_000,
        iops: Some(n as f64),
        bw_bytes: Some(bw_bytes),
        percentile: [("50.000000", 1_000_000), ("99.500000", 7_000_000)].into_iter().collect(),
        ..LatencySummary::default()
    };
    job.read_clat_ns = Some(of(20, 2_000_000));
    job.write_clat_ns = Some(of(10, 1_000_000));
    job.sync_lat_ns = Some(LatencySummary { bw_bytes: None, ..of(5, 0) });
    let text = tables(&results(vec![run("bfq", "disk", vec![job])]), Style::default());
    let expected = "
job          scheduler  MB/s  share, %  IOPS   median   99.5 %      max
copy  read   bfq        2.00      66.7  20.0  1.00 ms  7.00 ms  9.00 ms
      write  bfq        1.00      33.3  10.0  1.00 ms  7.00 ms  9.00 ms
      sync   bfq           -         -  5.00  1.00 ms  7.00 ms  9.00 ms
";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn schedulers_that_did_the_same_are_one_line() {
    let of = |scheduler: &str, us| {
        let mut run = sample(scheduler, &[JobSample::steady("click", &[], us, 4096)], &[]);
        run.queue_stats = [("waited", 0), ("waiting_max", 2)].into_iter().collect();
        run
    };
    let runs = vec![of("bfq", 9), of("none", 5), of("mq-deadline", 5), of("kyber", 5)];
    let text = tables(&results(runs), Style::default());
    let sentence = "none, mq-deadline and kyber: exactly the same; nothing ever waited in them.\n";
    assert!(text.contains(sentence), "{text}");
    assert_eq!(text.matches("none + 2 more").count(), 1, "{text}");
}
