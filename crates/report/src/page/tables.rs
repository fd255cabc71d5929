// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures behind the drawings, as tables that can be copied.

use crate::fairness_rows::FairnessRow;
use crate::names::{percentage, phase};
use crate::ordered::OrderedMap;
use crate::results::Run;
use crate::study::{Column, StudyStage};
use crate::summary::{GroupSummary, JobSummary};
use base::text::{iops, megabytes, percent, time};
use maud::{Markup, html};

type FiguresOf = fn(&Run) -> &OrderedMap<u64>;

/// What else was counted or set in a run.
const FIGURES: [(&str, FiguresOf); 3] = [
    ("Figures of the scheduler", |run| &run.scheduler_stats),
    ("Figures of the device", |run| &run.device_stats),
    ("Settings of the queue", |run| &run.queue),
];

/// What jobs and groups got in a stage.
pub(super) fn results(stage: &StudyStage) -> Markup {
    html! {
        details.data {
            summary { "All figures of jobs and groups" }
            (jobs(stage))
            (groups(stage))
        }
        (fairness(stage))
    }
}

/// What was set, and what schedulers, devices and queues count of themselves.
pub(super) fn inner_workings(stage: &StudyStage) -> Markup {
    html! {
        details.data {
            summary { "Turns, tunables, counters, settings" }
            (turns(stage))
            (maps("Tunables", &stage.columns, |column| {
                column.run.tunables.iter().map(|(name, value)| {
                    (name.to_owned(), value.as_str().map_or(value.to_string(), str::to_owned))
                }).collect()
            }))
            @for (caption, of) in FIGURES {
                (counted(caption, &stage.columns, of))
            }
        }
    }
}

/// A text that can be copied.
pub(super) fn copyable_text(text: &str) -> Markup {
    html! {
        div.copyable {
            button.copy type="button" { "Copy" }
            pre { code { (text) } }
        }
    }
}

/// A table under its caption; nothing without rows.
pub(super) fn table(caption: &str, head: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        @if !rows.is_empty() {
            div.copyable {
                button.copy type="button" { "Copy" }
                div.scroll tabindex="0" role="region" aria-label=(caption) {
                    table {
                        caption { (caption) }
                        thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                        tbody {
                            @for row in rows { tr { @for cell in row { td { (cell) } } } }
                        }
                    }
                }
            }
        }
    }
}

fn jobs(stage: &StudyStage) -> Markup {
    let mut rows = Vec::new();
    let jobs = stage.columns.first().map_or(0, |column| column.run.summary.jobs.len());
    let percentages = listed_percentages(stage);
    for job in 0..jobs {
        for column in &stage.columns {
            let job = &column.run.summary.jobs[job];
            let mut row = |kind: Option<&str>| {
                let mut row = vec![job.jobname.clone(), column.label.clone()];
                row.extend(kind_cells(job, kind, &percentages));
                rows.push(row);
            };
            if job.latencies().next().is_none() {
                row(None);
            }
            job.latencies().for_each(|(kind, _)| row(Some(kind)));
        }
    }
    let percentages: Vec<String> = percentages.iter().map(|&one| percentage(one)).collect();
    let mut head = vec![
        "job",
        "scheduler",
        "MB/s",
        "share, %",
        "ran, s",
        "I/O",
        "IOPS",
        "number",
        "mean",
        "median",
        "95 %",
        "99 %",
        "99.9 %",
    ];
    head.extend(percentages.iter().map(String::as_str));
    head.push("max");
    table("Jobs", &head, &rows)
}

/// What a job did of a kind of I/O; none: it did nothing.
fn kind_cells(job: &JobSummary, kind: Option<&str>, percentages: &[f64]) -> Vec<String> {
    let latency = kind.and_then(|kind| job.latency_of(kind));
    let moved = kind.map_or(Some(job.bw_bytes), |kind| job.bw_bytes_of(kind));
    let share = moved.map(|moved| job.share_of(moved));
    let at = |&one: &f64| latency.and_then(|latency| latency.at(one)).map_or_else(dash, time);
    let mut cells = vec![
        moved.map_or_else(dash, megabytes),
        share.map_or_else(dash, percent),
        format!("{:.3}", job.runtime as f64 / 1e3),
        kind.map_or_else(dash, str::to_owned),
        kind.and_then(|kind| job.iops_of(kind)).map_or_else(dash, iops),
        latency.map_or_else(dash, |latency| latency.n.to_string()),
        latency.map_or_else(dash, |latency| time(latency.mean as u64)),
    ];
    cells.extend([50.0, 95.0, 99.0, 99.9].iter().map(at));
    cells.extend(percentages.iter().map(at));
    cells.push(at(&100.0));
    cells
}

/// The percentages besides the usual ones that job files ask for, ascending.
fn listed_percentages(stage: &StudyStage) -> Vec<f64> {
    let jobs = stage.columns.iter().flat_map(|column| &column.run.summary.jobs);
    let latencies = jobs.flat_map(JobSummary::latencies);
    let listed = latencies.flat_map(|(_, latency)| latency.percentile.iter());
    let mut all: Vec<f64> = listed.filter_map(|(name, _)| name.parse().ok()).collect();
    all.retain(|one| ![50.0, 95.0, 99.0, 99.9, 100.0].contains(one));
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn dash() -> String {
    "–".to_owned()
}

fn groups(stage: &StudyStage) -> Markup {
    let of_column = |column: &Column| {
        let groups = &column.run.summary.groups;
        let row = |group: &GroupSummary| {
            let cells = vec![
                format!("{}{}", group.path, phase(group, groups)),
                group.weight.map_or(dash(), |weight| weight.to_string()),
                column.label.clone(),
                megabytes(group.bw_bytes),
                percent(group.share),
            ];
            ((group.path.clone(), group.phase), cells)
        };
        groups.iter().map(row).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = stage.columns.iter().flat_map(of_column).collect();
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, cells)| cells).collect();
    table("Groups", &["group", "weight", "scheduler", "MB/s", "share, %"], &rows)
}

/// How fairly the device's time was shared, if runs were judged.
fn fairness(stage: &StudyStage) -> Markup {
    let runs: Vec<&Run> = stage.columns.iter().map(|column| column.run).collect();
    let rows: Vec<Vec<String>> =
        crate::fairness_rows::rows(&runs).iter().map(FairnessRow::text).collect();
    let mut head = FairnessRow::HEAD.to_vec();
    head.extend(stage.columns.iter().map(|column| column.label.as_str()));
    html! {
        @if !rows.is_empty() {
            details.data open {
                summary { "Fairness: the rate of each process, of that at its fair share" }
                (table("Fairness", &head, &rows))
            }
        }
    }
}

/// What the recorded part of the schedule adds up to, for each who had turns.
fn turns(stage: &StudyStage) -> Markup {
    let mut rows = Vec::new();
    for column in &stage.columns {
        let Some(timeline) = column.run.plots.as_ref().and_then(|plots| plots.timeline.as_ref())
        else {
            continue;
        };
        for (place, who) in timeline.who.iter().enumerate() {
            let turns = || timeline.turns.iter().filter(|turn| turn.who == place);
            let count = turns().count() as u64;
            if count == 0 {
                continue;
            }
            let length_ns: u64 = turns().map(|turn| turn.until_ns - turn.from_ns).sum();
            let waits = timeline.waits.iter().filter(|wait| wait.who == place);
            let idle_ns: u64 = waits.map(|wait| wait.until_ns - wait.from_ns).sum();
            let ended =
                |reason: &str| turns().filter(|turn| turn.reason == reason).count().to_string();
            rows.push(vec![
                who.name.clone(),
                column.label.clone(),
                count.to_string(),
                time(length_ns / count),
                time(length_ns),
                time(idle_ns),
                ended("too_idle"),
                ended("budget_timeout"),
                ended("budget_exhausted"),
                ended("no_more_requests"),
                ended("preempted"),
            ]);
        }
    }
    let head = [
        "queue of",
        "scheduler",
        "turns",
        "mean length",
        "in all",
        "kept idle",
        "nothing came",
        "time was up",
        "budget used",
        "nothing left",
        "preempted",
    ];
    table("Turns in the recorded part of the schedule", &head, &rows)
}

/// What was counted or set, without what is 0 under all schedulers.
fn counted(caption: &str, columns: &[Column], of: FiguresOf) -> Markup {
    let counts = |column: &Column, name: &str| of(column.run).get(name).is_some_and(|of| *of != 0);
    maps(caption, columns, |column| {
        let told = of(column.run).iter();
        told.filter(|(name, _)| columns.iter().any(|other| counts(other, name)))
            .map(|(name, value)| (name.to_owned(), value.to_string()))
            .collect()
    })
}

/// Maps side by side: a row for each key, a column for each run that has any.
fn maps(
    caption: &str,
    columns: &[Column],
    of: impl Fn(&Column) -> Vec<(String, String)>,
) -> Markup {
    let maps: Vec<(&str, Vec<(String, String)>)> = columns
        .iter()
        .map(|column| (column.label.as_str(), of(column)))
        .filter(|(_, map)| !map.is_empty())
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in maps.iter().flat_map(|(_, map)| map) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let rows: Vec<Vec<String>> = names
        .into_iter()
        .map(|name| {
            let value = |map: &[(String, String)]| {
                let found = map.iter().find(|(key, _)| key == name);
                found.map_or(dash(), |(_, value)| value.clone())
            };
            let values = maps.iter().map(|(_, map)| value(map));
            std::iter::once(name.to_owned()).chain(values).collect()
        })
        .collect();
    let mut head = vec!["name"];
    head.extend(maps.iter().map(|(label, _)| *label));
    table(caption, &head, &rows)
}
