//! The table at a glance, whole.

use super::*;
use crate::results::Mode;
use crate::summary::{JobSummary, LatencySummary, Summary};
use crate::{FioOutput, OrderedMap};

fn run(scheduler: &str, device: DeviceInfo, shares: [f64; 2], p50: u64) -> Run {
    let group = |path: &str, weight, share| GroupSummary {
        path: path.into(),
        weight,
        phase: 0,
        processes: 1,
        io_bytes: 0,
        bw_bytes: 0,
        share,
    };
    let latency = LatencySummary { n: 9, mean: 0.0, p50, p95: 0, p99: 10 * p50, max: 0 };
    let job = JobSummary {
        jobname: "clicks".into(),
        groupid: 0,
        phase: 0,
        cgroup: "/".into(),
        options: OrderedMap::new(),
        processes: 1,
        io_bytes: 0,
        bw_bytes: 123_400_000,
        share: 1.0,
        process_bw_bytes_min: 0,
        process_bw_bytes_max: 0,
        runtime: 0,
        read_clat_ns: Some(latency),
        write_clat_ns: None,
        trim_clat_ns: None,
        sync_lat_ns: None,
        error: 0,
    };
    let groups = vec![
        group("/", None, 1.0),
        group("/light", Some(100), shares[0]),
        group("/heavy", Some(300), shares[1]),
    ];
    Run {
        scheduler: scheduler.into(),
        variant: None,
        tunables: OrderedMap::new(),
        device,
        queue: OrderedMap::new(),
        fio: FioOutput::undated(OrderedMap::new(), Vec::new(), Vec::new()),
        summary: Summary { groups, jobs: vec![job] },
        device_stats: OrderedMap::new(),
        scheduler_stats: OrderedMap::new(),
        group_stats: OrderedMap::new(),
        queue_stats: OrderedMap::new(),
        page_cache: OrderedMap::new(),
        scenario: None,
        plots: None,
    }
}

fn results(runs: Vec<Run>, note: Option<&str>) -> Results {
    let note = note.map(str::to_owned);
    Results { bfq_version: "1".into(), mode: Mode::Mixed, seed: 1, note, runs }
}

#[test]
fn a_line_for_each_run() {
    let model = DeviceInfo { profile: Some("ssd-sata".into()), ..DeviceInfo::default() };
    let real = DeviceInfo { path: Some("somewhere/file".into()), ..DeviceInfo::default() };
    let runs = vec![
        run("bfq", model.clone(), [0.25, 0.75], 90_000),
        run("none", model, [0.5, 0.5], 11_500_000),
        run("bfq", real, [0.251, 0.749], 200_000),
    ];
    let text = glance(&results(runs, Some("a note")), Some("clicks"), Style::default());
    assert_eq!(
        text,
        "\
disk                  scheduler   MB/s  light (weight 100)  heavy (weight 300)  clicks: median     99 %
ssd-sata (simulated)  bfq        123.4              25.0 %              75.0 %         90.0 µs   900 µs
                      none       123.4              50.0 %              50.0 %         11.5 ms   115 ms

this machine (real)   bfq        123.4              25.1 %              74.9 %          200 µs  2.00 ms

Note: a note
"
    );
}

#[test]
fn a_job_that_is_not_there_has_no_latency() {
    let runs = vec![run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000)];
    let text = glance(&results(runs, None), Some("clocks"), Style::default());
    let last = text.lines().last().expect("a line");
    assert!(last.trim_end().ends_with("-"), "{last}");
}

#[test]
fn runs_of_one_scheduler_are_told_apart_by_their_tunables() {
    let tuned = Run {
        variant: Some("bfq:low_latency=0".into()),
        ..run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000)
    };
    let plain = run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000);
    let text = glance(&results(vec![plain, tuned], None), None, Style::default());
    let names: Vec<_> =
        text.lines().skip(1).filter_map(|line| line.split_whitespace().rev().nth(5)).collect();
    assert_eq!(names, ["bfq", "bfq:low_latency=0"], "{text}");
}
