// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table at a glance, whole.

use super::*;
use crate::fio::FioOutput;
use crate::ordered::OrderedMap;
use crate::results::{DeviceInfo, Mode, Results, Scenario};
use crate::study::NamedResults;
use crate::summary::LatencySummary;
use crate::summary::{JobSummary, Summary};

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
    let latency = LatencySummary {
        n: 9,
        p50,
        p99: 10 * p50,
        p99_9: Some(11 * p50),
        max: 12 * p50,
        iops: Some(500.0),
        ..LatencySummary::default()
    };
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
        runtime_ns: None,
        read_clat_ns: Some(latency),
        write_clat_ns: None,
        trim_clat_ns: None,
        sync_lat_ns: None,
        part_in_total: None,
        error: 0,
        unfinished: false,
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
        summary: Summary { groups, jobs: vec![job], total: None },
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

fn source(runs: Vec<Run>, note: Option<&str>) -> NamedResults {
    let note = note.map(str::to_owned);
    let results = Results { bfq_version: "1".into(), mode: Mode::Mixed, seed: 1, note, runs };
    NamedResults { name: "out/some.json".into(), results }
}

fn glance_at(sources: &[NamedResults], job: Option<&str>) -> String {
    glance(&Study::of(sources), job, Style::default())
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
    let text = glance_at(&[source(runs, Some("a note"))], Some("clicks"));
    let expected = "
                      light   heavy  clicks:
         MB/s  IOPS   (100)   (300)   median     99 %   99.9 %      max
ssd-sata (simulated)
  bfq   123.4   500  25.0 %  75.0 %  90.0 µs   900 µs   990 µs  1.08 ms
  none  123.4   500  50.0 %  50.0 %  11.5 ms   115 ms   126 ms   138 ms

this machine (real)
  bfq   123.4   500  25.1 %  74.9 %   200 µs  2.00 ms  2.20 ms  2.40 ms

Note: out/some.json: a note
";
    assert_eq!(format!("\n{text}"), expected);
}

#[test]
fn several_real_targets_have_the_names_that_they_were_given() {
    let on = |path: &str| {
        let device = DeviceInfo { path: Some(path.into()), ..DeviceInfo::default() };
        run("bfq", device, [0.25, 0.75], 90_000)
    };
    let text = glance_at(&[source(vec![on("one"), on("two")], None)], None);
    for heading in ["\none (real)\n", "\ntwo (real)\n"] {
        assert!(text.contains(heading), "{text}");
    }
}

#[test]
fn a_job_that_is_not_there_has_no_latency() {
    let runs = vec![run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000)];
    let text = glance_at(&[source(runs, None)], Some("clocks"));
    let last = text.lines().last().expect("a line");
    assert!(last.trim_end().ends_with("-     -       -    -"), "{last}");
}

#[test]
fn several_job_files_have_their_names() {
    let of = |name: &str| {
        let mut run = run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000);
        run.scenario = Some(Scenario {
            files: vec![format!("jobs/{name}.fio")],
            title: format!("About {name}."),
            ..Scenario::default()
        });
        source(vec![run], None)
    };
    let text = glance_at(&[of("copies"), of("clicks")], None);
    for name in ["copies: About copies\n", "clicks: About clicks\n"] {
        assert!(text.contains(name), "{text}");
    }
    assert!(!glance_at(&[of("copies")], None).contains("About"), "one needs no name");
}

#[test]
fn runs_of_one_scheduler_are_told_apart_by_their_tunables() {
    let tuned = Run {
        variant: Some("bfq:low_latency=0".into()),
        ..run("bfq", DeviceInfo::default(), [0.25, 0.75], 80_000)
    };
    let plain = run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000);
    let text = glance_at(&[source(vec![plain, tuned], None)], None);
    for name in ["\n  bfq  ", "\n  bfq:low_latency=0  "] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn weights_that_differ_stand_in_the_rows() {
    let plain = run("bfq", DeviceInfo::default(), [0.25, 0.75], 90_000);
    let mut changed = run("none", DeviceInfo::default(), [0.75, 0.25], 80_000);
    changed.summary.groups[1].weight = Some(900);
    let text = glance_at(&[source(vec![plain, changed], None)], None);
    for cells in ["  25.0 % (100)  75.0 %", "  75.0 % (900)  25.0 %"] {
        assert!(text.contains(cells), "{cells}\n{text}");
    }
    let head = text.lines().nth(1).unwrap();
    assert!(head.contains("(300)") && !head.contains("(100)"), "{text}");
}

#[test]
fn where_only_a_number_tells_runs_apart_their_files_are_named() {
    let of = |file: &str, p50| {
        let device = DeviceInfo { profile: Some("disk".into()), ..DeviceInfo::default() };
        let named = source(vec![run("bfq", device, [0.25, 0.75], p50)], None);
        NamedResults { name: file.to_owned(), ..named }
    };
    let mut sources = [of("one.json", 90_000), of("two.json", 80_000)];
    for source in &mut sources {
        source.results.runs[0].scenario =
            Some(Scenario { files: vec!["jobs/same.fio".into()], ..Scenario::default() });
    }
    let text = glance_at(&sources, None);
    assert!(text.ends_with("\n\nbfq: one.json\nbfq (2): two.json\n"), "{text}");
    sources[1].results.seed = 7;
    let text = glance_at(&sources, None);
    assert!(text.ends_with("\nbfq: one.json, seed 1\nbfq (2): two.json, seed 7\n"), "{text}");
    let markdown = crate::markdown(&Study::of(&sources));
    assert!(markdown.contains(" (2) |") || markdown.contains(" (2)<br>"), "{markdown}");
    assert!(!markdown.contains("((2))"), "{markdown}");
    assert!(markdown.contains("\n- bfq (2): two.json, seed 7\n"), "{markdown}");
    let page = crate::page(&Study::of(&sources));
    assert!(page.contains("two.json"), "the page names it, too");
}
