// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page as text: complete, escaped, and without anything from elsewhere. How it looks is tested
//! in a browser.

use super::*;
use crate::page::scenarios::OPEN_STAGES;
use crate::page::sheet::{Budget, GREY, Sheet};
use crate::study::NamedResults;
use crate::summary::LatencySummary;
use crate::tests::samples::{JobSample, run, source, timeline};
use crate::timeline::Who;

fn sources() -> Vec<NamedResults> {
    let of = |scheduler: &str, latency_us| {
        let one = JobSample::steady("<script>one", &[("thinktime", "1ms")], latency_us, 4096);
        let two = JobSample::steady("two", &[("bs", "1m")], 90_000, 1 << 20);
        let mut run = run(scheduler, &[one, two], &[]);
        run.set_timeline(Some(timeline()));
        run
    };
    vec![source("a & b", vec![of("bfq", 2_000), of("none", 2_500)])]
}

fn made(sources: &[NamedResults]) -> String {
    page(&Study::of(sources))
}

#[test]
fn nothing_is_fetched_and_nothing_of_the_results_is_markup() {
    let mut sources = sources();
    sources[0].results.note = Some("</p><img src=x>".into());
    let page = made(&sources);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    assert!(page.contains("&lt;script&gt;one") && !page.contains("<script>one"));
    assert!(page.contains("&lt;img src=x&gt;") && !page.contains("<img"));
    assert!(page.contains("jobs/a &amp; b.fio"));
    for foreign in ["src=\"", "url(", "@import", "https:"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let addresses = page.matches("http:").count();
    assert_eq!(addresses, page.matches("\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn a_result_without_plots_has_tables_and_verdicts() {
    let mut sources = sources();
    for run in &mut sources[0].results.runs {
        run.plots = None;
        run.scenario = None;
    }
    let page = made(&sources);
    assert!(page.contains("99 of 100 reads") && page.contains("<caption>Jobs</caption>"));
    assert!(
        !page.contains("<figure class=\"schedule\"") && !page.contains("<figure class=\"rates\"")
    );
}

#[test]
fn schedules_say_what_happened() {
    let page = made(&sources());
    // 100 ms are 20000 units: two turns, the second of the second lane and ended by idleness.
    assert!(page.contains("data-turns=\"0,8000,0,3;8000,4000,1,1;\""));
    assert!(page.contains("From 0 ns to 100 ms of the run: 2 requests, 2 turns, 10.0 ms idle"));
    for row in ["nothing came", "budget used", "raised"] {
        assert!(page.contains(&format!("<div class=\"event\">{row}</div>")), "{row}");
    }
    assert!(page.contains("<path class=\"idle\" d=\"M10000 27h2000\">"));
}

#[test]
fn a_report_of_many_runs_shows_less_of_each() {
    assert_eq!(Budget::of(1), Budget { slots: 128, entries: 400 });
    assert_eq!(Budget::of(400), Budget { slots: 64, entries: 200 });
    assert_eq!(Budget::of(9_999), Budget { slots: 48, entries: 100 });
}

#[test]
fn the_subject_has_the_first_colour_and_the_rest_the_others_in_turn() {
    let jobs: Vec<String> = (0..12).map(|number| format!("job{}", "x".repeat(number))).collect();
    let samples: Vec<JobSample> = jobs
        .iter()
        .map(|name| match name.len() {
            5 => JobSample::steady(name, &[("thinktime", "1ms")], 1000, 4096),
            _ => JobSample::steady(name, &[("bs", "1m")], 1000, 4096),
        })
        .collect();
    let sources = [source("many", vec![run("bfq", &samples, &[])])];
    let study = Study::of(&sources);
    let sheet = Sheet::of(&study.chapters[0].stages[0], Budget::of(1));
    let colours: Vec<_> = (0..12).map(|part| sheet.colour(part)).collect();
    assert_eq!(colours, [1, 2, 0, 3, 4, 5, 6, GREY, GREY, GREY, GREY, GREY]);
    assert_eq!(sheet.by_interest()[..3], [2, 0, 1]);
}

#[test]
fn schedulers_that_did_exactly_the_same_have_one_drawing() {
    let mut sources = sources();
    let runs = &mut sources[0].results.runs;
    for name in ["kyber", "noop"] {
        let mut twin = runs[1].clone();
        twin.scheduler = name.into();
        runs.push(twin);
    }
    let page = made(&sources);
    assert_eq!(page.matches("Schedule under").count(), 2);
    assert!(page.contains("<title>Schedule under none, kyber and noop</title>"));
}

#[test]
fn what_does_not_fit_is_packed() {
    let sources: Vec<NamedResults> = (0..=OPEN_STAGES)
        .map(|number| {
            let mut sources = sources();
            let runs = std::mem::take(&mut sources[0].results.runs);
            source(&format!("scenario-{number}"), runs)
        })
        .collect();
    let page = made(&sources);
    assert_eq!(page.matches("class=\"packed\"").count(), OPEN_STAGES + 1);
    assert_eq!(page.matches("<table class=\"measures\">").count(), OPEN_STAGES + 1);
    assert!(!page.contains("<figure") && page.contains("<section class=\"summary\""));
    let few = made(&sources[1..]);
    assert!(!few.contains("class=\"packed\"") && few.contains("<figure"));
    assert!(!few.contains("<section class=\"summary\"") && !few.contains("class=\"filter\""));
}

#[test]
fn shared_queues_have_lanes_only_where_they_occur() {
    let mut sources = sources();
    let first = sources[0].results.runs[0].plots.as_mut().unwrap().timeline.as_mut().unwrap();
    first.who.push(Who { name: "one+two".into(), job: Some(0) });
    let page = made(&sources);
    assert_eq!(page.matches("<div class=\"lane\">one+two</div>").count(), 1);
    assert_eq!(page.matches("<div class=\"lane\">two</div>").count(), 2);
}

/// Each kind of I/O once had the rate of the whole job.
#[test]
fn the_table_of_jobs_has_the_figures_of_each_kind() {
    let of_kind = |n, bw_bytes| LatencySummary {
        n,
        p99_9: Some(7_000_000),
        iops: Some(n as f64),
        bw_bytes: Some(bw_bytes),
        percentile: [("99.990000", 8_000_000), ("99.900000", 1)].into_iter().collect(),
        ..LatencySummary::default()
    };
    let mut run = run("bfq", &[JobSample::steady("mix", &[], 1000, 4096)], &[]);
    let job = &mut run.summary.jobs[0];
    job.bw_bytes = 4_000_000;
    job.read_clat_ns = Some(of_kind(300, 3_000_000));
    job.write_clat_ns = Some(of_kind(100, 1_000_000));
    job.sync_lat_ns = Some(LatencySummary { bw_bytes: None, ..of_kind(5, 0) });
    let page = made(&[source("mix", vec![run])]);
    assert!(page.contains("<th scope=\"col\">99.99 %</th><th scope=\"col\">max</th>"));
    for cells in [
        ["3.00", "75.0", "10.000", "read", "300", "300"],
        ["1.00", "25.0", "10.000", "write", "100", "100"],
        ["–", "–", "10.000", "sync", "5.00", "5"],
    ] {
        let row = cells.map(|cell| format!("<td>{cell}</td>")).concat();
        assert!(page.contains(&row), "{row}");
    }
    assert!(page.contains("<td>7.00 ms</td><td>8.00 ms</td>"));
}
