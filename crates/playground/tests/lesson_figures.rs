// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the paragraphs of the lessons say in figures is what their simulations give.

use playground::{Session, Setup};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::path::Path;

/// A figure of one of a lesson's runs, which are counted from 0.
#[derive(Clone, Copy, Debug)]
enum Figure {
    /// Bytes a second of a job, of all its processes together.
    Rate(usize, &'static str),
    /// Bytes a second of all jobs.
    All(usize),
    /// How long the longest process of a job ran, s.
    Seconds(usize, &'static str),
    /// Within which time 99 % of the I/Os of each process of a job end, ms.
    P99Ms(usize, &'static str),
    /// Mean latency of a job's reads, ms.
    MeanMs(usize, &'static str),
    /// Hollow parts of turns: the disk was kept idle.
    Hollow(usize),
}
use Figure::{All, Hollow, MeanMs, P99Ms, Rate, Seconds};

/// The lesson, a figure, what it is divided by (none: 1), and between what the paragraph puts it.
type Claim = (&'static str, Figure, Option<Figure>, RangeInclusive<f64>);

#[rustfmt::skip]
const CLAIMS: &[Claim] = &[
    ("shares", Rate(0, "heavy"), Some(All(0)), 0.73..=0.77),
    ("shares", Rate(1, "heavy"), Some(All(1)), 0.49..=0.51),
    ("deceptive-idleness", All(0), Some(All(1)), 5.0..=7.0),
    ("deceptive-idleness", Hollow(0), None, 100.0..=f64::MAX),
    ("starving-shell", Seconds(0, "program"), None, 1.0..=1.5),
    ("starving-shell", Seconds(1, "program"), None, 25.0..=30.0),
    ("idling-on-flash", All(0), Some(All(2)), 0.99..=1.01),
    ("idling-on-flash", All(0), Some(All(1)), 3.0..=5.0),
    ("unequal-on-flash", Rate(0, "reader-1"), Some(All(0)), 0.70..=0.75),
    ("unequal-on-flash", All(0), Some(All(2)), 0.2..=0.3),
    ("unequal-on-flash", Rate(0, "reader-1"), Some(Rate(2, "reader-1")), 0.5..=0.95),
    ("unequal-on-flash", Rate(1, "reader-1"), Some(Rate(2, "reader-1")), 0.95..=1.05),
    ("unequal-on-flash", Rate(1, "reader-1"), Some(All(1)), 0.70..=0.75),
    ("unequal-on-flash", All(1), Some(All(0)), 1.3..=1.45),
    ("queue-merge", All(0), Some(All(1)), 1.8..=2.2),
    ("burst", Seconds(0, "alone"), None, 0.1..=1.0),
    ("burst", Seconds(1, "alone"), None, 14.0..=16.5),
    ("burst", Seconds(0, "worker"), None, 1.0..=2.0),
    ("burst", Seconds(1, "worker"), None, 1.0..=2.0),
    ("budget-or-time", Rate(0, "here-and-there"), Some(All(0)), 0.005..=0.05),
    // More than a hundred times as fast, and half of the time each.
    ("budget-or-time", Rate(1, "in-order"), Some(Rate(1, "here-and-there")), 100.0..=500.0),
    ("budget-or-time", Rate(2, "in-order"), Some(Rate(2, "here-and-there")), 100.0..=500.0),
    ("budget-or-time", Rate(0, "in-order"), Some(Rate(1, "in-order")), 0.3..=0.5),
    ("successor", Rate(0, "writer"), Some(Rate(0, "reader")), 0.95..=1.05),
    ("successor", Rate(1, "writer"), Some(All(2)), 0.45..=0.55),
    ("successor", All(1), Some(All(0)), 2.7..=3.3),
    ("successor", MeanMs(2, "reader"), Some(MeanMs(1, "reader")), 40.0..=60.0),
    ("film", P99Ms(0, "player"), None, 1.0..=40.0),
    ("film", P99Ms(1, "player"), None, 60.0..=1000.0),
    ("film", Rate(1, "reader"), Some(Rate(2, "reader")), 1.0..=1.0),
    ("thinking", Hollow(0), None, 100.0..=f64::MAX),
    ("thinking", All(0), Some(All(1)), 5.0..=7.0),
    ("groups", Rate(0, "dev"), Some(All(0)), 0.49..=0.51),
    ("groups", Rate(0, "web"), Some(All(0)), 0.115..=0.135),
    ("groups", Rate(1, "web"), Some(All(1)), 0.16..=0.17),
    ("write-back", Rate(0, "reader"), None, 450.0 * 65_536.0..=550.0 * 65_536.0),
    ("write-back", Rate(1, "reader"), None, 15.0 * 65_536.0..=25.0 * 65_536.0),
    ("write-back", Rate(2, "reader"), None, 15.0 * 65_536.0..=25.0 * 65_536.0),
];

/// The text of a lesson.
fn text_of(lesson: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/lessons");
    std::fs::read_to_string(folder.join(format!("{lesson}.fio"))).unwrap()
}

/// The result of a lesson, or of one that a reader has changed.
fn result_of(text: &str) -> Value {
    let run = text.lines().find_map(|line| line.strip_prefix("; Run: --device ")).unwrap();
    let (device, schedulers) = run.split_once(" --scheduler ").unwrap();
    let session = Session::begin(Setup::new(device, schedulers, text)).unwrap();
    serde_json::from_str(&session.result().unwrap()).unwrap()
}

impl Figure {
    fn of(self, result: &Value) -> f64 {
        match self {
            Rate(run, job) => of_each(result, run, Some(job), bytes_per_s).sum(),
            All(run) => of_each(result, run, None, bytes_per_s).sum(),
            Seconds(run, job) => {
                of_each(result, run, Some(job), |job| number(&job["read"]["runtime"]) / 1e3)
                    .fold(0.0, f64::max)
            }
            P99Ms(run, job) => of_each(result, run, Some(job), |job| {
                number(&job["read"]["clat_ns"]["percentile"]["99.000000"]) / 1e6
            })
            .fold(0.0, f64::max),
            MeanMs(run, job) => {
                of_each(result, run, Some(job), |job| number(&job["read"]["lat_ns"]["mean"]) / 1e6)
                    .sum()
            }
            Hollow(run) => {
                let waits = &result["runs"][run]["plots"]["timeline"]["waits"];
                waits.as_array().map_or(0, Vec::len) as f64
            }
        }
    }
}

/// A figure of each process of a job, or of all.
fn of_each(
    result: &Value,
    run: usize,
    job: Option<&'static str>,
    figure: impl Fn(&Value) -> f64,
) -> impl Iterator<Item = f64> {
    let processes = result["runs"][run]["fio"]["jobs"].as_array().unwrap().iter();
    let of_job = processes.filter(move |one| job.is_none_or(|job| one["jobname"] == job));
    let figures: Vec<f64> = of_job.map(figure).collect();
    assert!(!figures.is_empty(), "run {run} has no job {job:?}");
    figures.into_iter()
}

fn bytes_per_s(job: &Value) -> f64 {
    number(&job["read"]["bw_bytes"]) + number(&job["write"]["bw_bytes"])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn figures_of_lessons_are_those_of_their_simulations() {
    let mut wrong = Vec::new();
    let mut last: Option<(&str, Value)> = None;
    for (lesson, figure, beside, between) in CLAIMS {
        if last.as_ref().is_none_or(|(name, _)| name != lesson) {
            last = Some((lesson, result_of(&text_of(lesson))));
        }
        let result = &last.as_ref().unwrap().1;
        let found = figure.of(result) / beside.map_or(1.0, |beside| beside.of(result));
        if !between.contains(&found) {
            wrong.push(format!("{lesson}: {figure:?} / {beside:?} is {found}, not {between:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What the lesson on weights on flash says to try, and what it says is the cause.
#[test]
fn on_flash_it_is_groups_that_cost_throughput_not_unequal_weights() {
    let unequal = text_of("unequal-on-flash");
    let equal = unequal.replace("cgroup_weight=800", "cgroup_weight=100");
    assert_ne!(unequal, equal);
    let lines = equal.lines().filter(|line| !line.starts_with("cgroup"));
    let in_no_group: String = lines.flat_map(|line| [line, "\n"]).collect();
    let [unequal, equal, in_no_group] = [unequal, equal, in_no_group].map(|text| result_of(&text));
    let between = |figure: f64, least: f64, most: f64| {
        assert!((least..=most).contains(&figure), "{figure}, not {least} to {most}");
    };
    between(All(0).of(&equal) / All(0).of(&unequal), 0.99, 1.01);
    between(Rate(0, "reader-1").of(&equal) / All(0).of(&equal), 0.23, 0.27);
    between(All(0).of(&in_no_group) / All(2).of(&in_no_group), 0.99, 1.01);
}
