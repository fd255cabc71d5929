//! One table for the whole of a result: a line for each run, comparable at a glance.

use crate::results::{DeviceInfo, Results, Run};
use crate::summary::GroupSummary;
use crate::tables::{Style, megabytes, percent, shortened, time};
use std::fmt::Write;

/// The table: for each run its throughput, the share of each control group below the root, and the
/// latency of the job called `job` (if there is one).
///
/// Runs may come from several results, as long as they are of the same job file.
pub fn glance(results: &Results, job: Option<&str>, style: Style) -> String {
    let mut text = String::new();
    let mut lines = vec![head(results, job)];
    let mut previous: Option<&DeviceInfo> = None;
    for run in &results.runs {
        let repeated = previous.is_some_and(|device| device == &run.device);
        lines.push(line(results, run, job, repeated));
        previous = Some(&run.device);
    }
    let columns = lines[0].len();
    let width = |column: usize| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (number, cells) in lines.iter().enumerate() {
        let new_device = number > 1 && !cells[0].is_empty();
        if new_device {
            text.push('\n');
        }
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "{cell:<width$}"),
                1 => write!(line, "  {cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let line = line.trim_end();
        let _ = writeln!(text, "{}", if number == 0 { style.heading(line) } else { line.into() });
    }
    if let Some(note) = &results.note {
        let _ = writeln!(text, "\n{}", style.heading(&format!("Note: {note}")));
    }
    text
}

/// The control groups that get a column: those of the first run, without the root.
fn groups(results: &Results) -> impl Iterator<Item = &GroupSummary> {
    let groups = results.runs.first().map(|run| run.summary.groups.as_slice());
    groups.unwrap_or_default().iter().filter(|group| group.path != "/")
}

fn head(results: &Results, job: Option<&str>) -> Vec<String> {
    let mut cells = vec!["disk".to_owned(), "scheduler".to_owned(), "MB/s".to_owned()];
    cells.extend(groups(results).map(|group| {
        let name = shortened(group.path.trim_start_matches('/'));
        group.weight.map_or(name.clone(), |weight| format!("{name} (weight {weight})"))
    }));
    if let Some(job) = job {
        cells.push(format!("{job}: median"));
        cells.push("99 %".to_owned());
    }
    cells
}

fn line(results: &Results, run: &Run, job: Option<&str>, repeated: bool) -> Vec<String> {
    let device = match (&run.device.profile, &run.device.path) {
        _ if repeated => String::new(),
        (Some(profile), _) => format!("{profile} (simulated)"),
        (None, Some(_)) => "this machine (real)".to_owned(),
        (None, None) => run.device.name().to_owned(),
    };
    let total = run.summary.jobs.iter().map(|job| job.bw_bytes).sum();
    let scheduler = run.variant.as_ref().unwrap_or(&run.scheduler).clone();
    let mut cells = vec![device, scheduler, megabytes(total)];
    cells.extend(groups(results).map(|wanted| {
        let found = run.summary.groups.iter().find(|group| group.path == wanted.path);
        found.map_or("-".to_owned(), |group| format!("{} %", percent(group.share)))
    }));
    if let Some(job) = job {
        let found = run.summary.jobs.iter().find(|summary| summary.jobname == job);
        let latency = found.and_then(|job| {
            [&job.read_clat_ns, &job.write_clat_ns, &job.sync_lat_ns].into_iter().flatten().next()
        });
        match latency {
            Some(latency) => cells.extend([time(latency.p50), time(latency.p99)]),
            None => cells.extend(["-".to_owned(), "-".to_owned()]),
        }
    }
    cells
}

#[cfg(test)]
#[path = "glance_tests.rs"]
mod tests;
