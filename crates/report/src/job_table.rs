// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of jobs: what each got of each kind of I/O under each scheduler, and how long it took.

use crate::grid::Grid;
use crate::names::{job_name, percentage};
use crate::results::Run;
use crate::style::Style;
use crate::summary::{JobSummary, LatencySummary};
use base::text::{iops, megabytes, percent, time};

/// What is shown of each latency unless a job file's `percentile_list` says otherwise.
const PERCENTAGES: [f64; 3] = [50.0, 99.0, 99.9];

/// A row for each job, kind of I/O and run; `labels` are the names of the runs.
pub(crate) fn jobs(runs: &[&Run], labels: &[String], style: Style) -> Grid {
    let percentages = percentages(runs, style);
    let mut head: Vec<String> =
        ["job", "", "scheduler", "MB/s", "share, %", "IOPS"].map(str::to_owned).into();
    if style.wide {
        head.extend(["I/Os", "mean"].map(str::to_owned));
    }
    head.extend(percentages.iter().map(|&one| percentage(one)));
    head.push("max".to_owned());
    let mut grid = Grid::new(3, head);
    let first = &runs[0].summary.jobs;
    for (place, job) in first.iter().enumerate() {
        if runs.len() > 1 {
            grid.gap();
        }
        let kinds = kinds(runs, place);
        for (number, kind) in kinds.iter().enumerate() {
            for (run, label) in runs.iter().zip(labels) {
                let first_run = std::ptr::eq(*run, runs[0]);
                let name = if number == 0 && first_run { job_name(job) } else { String::new() };
                let shown = kind.filter(|_| kinds.len() > 1 && first_run).unwrap_or_default();
                let mut cells = vec![name, shown.to_owned(), label.clone()];
                cells.extend(figures(&run.summary.jobs[place], *kind, &percentages, style));
                grid.row(cells);
            }
        }
    }
    let phases = first.iter().map(|job| job.phase).max().unwrap_or(0);
    if first.len() > 1 && phases == 0 {
        all(&mut grid, runs, labels);
    }
    grid
}

/// The kinds of I/O that a job did in any of the runs; one that is none if it did nothing.
fn kinds(runs: &[&Run], place: usize) -> Vec<Option<&'static str>> {
    let does =
        |run: &&Run, kind| run.summary.jobs[place].latencies().any(|(other, _)| other == kind);
    let kinds = JobSummary::latency_kinds().filter(|kind| runs.iter().any(|run| does(run, *kind)));
    let kinds: Vec<_> = kinds.map(Some).collect();
    if kinds.is_empty() { vec![None] } else { kinds }
}

/// The percentages of all lists of the jobs, ascending, and those that are always shown where a job
/// has no list. (100 % is the maximum.)
fn percentages(runs: &[&Run], style: Style) -> Vec<f64> {
    let summaries = || runs.iter().flat_map(|run| &run.summary.jobs);
    let latencies = || summaries().flat_map(JobSummary::latencies).map(|(_, latency)| latency);
    let listed = latencies().flat_map(|latency| latency.percentile.iter());
    let mut all: Vec<f64> = listed
        .filter_map(|(percentage, _)| percentage.parse().ok())
        .filter(|p| *p < 100.0)
        .collect();
    if latencies().any(|latency| latency.percentile.is_empty()) {
        all.extend(PERCENTAGES);
        all.extend(style.wide.then_some(95.0));
    }
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The cells of a job and kind of I/O.
fn figures(job: &JobSummary, kind: Option<&str>, percentages: &[f64], style: Style) -> Vec<String> {
    let latency = kind.and_then(|kind| job.latency_of(kind));
    let dash = || "-".to_owned();
    let moved = kind.map_or(Some(job.bw_bytes), |kind| job.bw_bytes_of(kind));
    let share = moved.map(|moved| job.share_of(moved));
    let mut cells = vec![
        moved.map_or_else(dash, megabytes),
        share.map_or_else(dash, percent),
        kind.and_then(|kind| job.iops_of(kind)).map_or_else(dash, iops),
    ];
    let figure = |value: Option<u64>| value.map_or_else(dash, time);
    if style.wide {
        cells.push(latency.map_or_else(dash, |latency| latency.n.to_string()));
        cells.push(figure(latency.map(|latency| latency.mean.round() as u64)));
    }
    let percentile = |&one: &f64| figure(latency.and_then(|latency| latency.at(one)));
    cells.extend(percentages.iter().map(percentile));
    cells.push(figure(latency.map(|latency: &LatencySummary| latency.max)));
    cells
}

/// What all jobs got together.
fn all(grid: &mut Grid, runs: &[&Run], labels: &[String]) {
    if runs.len() > 1 {
        grid.gap();
    }
    for (place, (run, label)) in runs.iter().zip(labels).enumerate() {
        let name = if place == 0 { "all" } else { "" };
        let mut cells = vec![name.to_owned(), String::new(), label.clone()];
        cells.push(megabytes(run.summary.bw_bytes()));
        cells.push(String::new());
        cells.push(iops(run.summary.iops()));
        grid.row_with_blanks(cells);
    }
}
