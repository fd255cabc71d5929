//! Results for people: per device, the schedulers side by side.

use crate::results::{Mode, Results, Run};
use crate::study::labels;
use crate::summary::JobSummary;
use std::fmt::Write;

/// How text is set off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether headings are set off by terminal colours.
    pub color: bool,
}

impl Style {
    pub(crate) fn heading(self, text: &str) -> String {
        self.wrapped("1", text)
    }

    fn faint(self, text: &str) -> String {
        self.wrapped("2", text)
    }

    fn wrapped(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Widest name that is shown whole.
const NAME_WIDTH: usize = 28;

/// The tables of a result. Runs on the same device form one block of tables, a column each.
pub fn tables(results: &Results, style: Style) -> String {
    let mut text = String::new();
    let mut rest = &results.runs[..];
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|run| run.device == first.device).count();
        let (block, others) = rest.split_at(same);
        device_block(&mut text, results, block, style);
        rest = others;
        if !rest.is_empty() {
            text.push('\n');
        }
    }
    if let Some(note) = &results.note {
        let _ = writeln!(text, "\n{}", style.heading(&format!("Note: {note}")));
    }
    text
}

fn device_block(text: &mut String, results: &Results, runs: &[Run], style: Style) {
    let device = &runs[0].device;
    let how = match results.mode {
        Mode::Sim => format!("simulated, seed {}", results.seed),
        Mode::Run => "in real time, by our schedulers".to_owned(),
        Mode::Bench => "in real time, by the kernel's schedulers".to_owned(),
        Mode::Mixed if device.profile.is_some() => format!("simulated, seed {}", results.seed),
        Mode::Mixed => "in real time".to_owned(),
    };
    let kind = if device.rotational { "rotational" } else { "solid state" };
    let _ = writeln!(
        text,
        "{}  {}",
        style.heading(device.name()),
        style.faint(&format!("depth {}, {kind}, {how}", device.depth))
    );
    let columns: Vec<String> = columns(runs);
    let tables = [
        throughput(runs),
        shares(runs),
        spread(runs),
        latency(runs),
        page_cache(runs),
        errors(runs),
    ];
    for table in tables {
        if !table.rows.is_empty() {
            text.push('\n');
            table.print(text, &columns, style);
        }
    }
}

/// The heads of the columns.
fn columns(runs: &[Run]) -> Vec<String> {
    labels(&runs.iter().collect::<Vec<_>>())
}

struct Table {
    title: &'static str,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    fn print(&self, text: &mut String, columns: &[String], style: Style) {
        let names = self.rows.iter().map(|(name, _)| name.chars().count());
        let name_width = names.chain([self.title.chars().count()]).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns.len())
            .map(|column| {
                let cells = self.rows.iter().map(|(_, cells)| cells[column].chars().count());
                cells.chain([columns[column].chars().count()]).max().unwrap_or(0)
            })
            .collect();
        let mut line = |name: &str, cells: &[String], emphasis: bool| {
            let mut line = format!("{name:<name_width$}");
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(line, "  {cell:>width$}");
            }
            let line = if emphasis { style.heading(&line) } else { line };
            let _ = writeln!(text, "{line}");
        };
        line(self.title, columns, true);
        for (name, cells) in &self.rows {
            line(name, cells, false);
        }
    }
}

/// The jobs of all runs (they are of the same job files), with the name of each as shown.
fn jobs(runs: &[Run]) -> impl Iterator<Item = (usize, String)> {
    runs[0].summary.jobs.iter().enumerate().map(|(index, job)| (index, job_name(job)))
}

fn job_name(job: &JobSummary) -> String {
    let name = shortened(&job.jobname);
    if job.processes > 1 { format!("{name} ×{}", job.processes) } else { name }
}

pub(crate) fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_WIDTH {
        return name.to_owned();
    }
    name.chars().take(NAME_WIDTH - 1).chain(['…']).collect()
}

fn throughput(runs: &[Run]) -> Table {
    let mut rows: Vec<_> = jobs(runs)
        .map(|(index, name)| {
            let cell = |run: &Run| megabytes(run.summary.jobs[index].bw_bytes);
            (name, runs.iter().map(cell).collect())
        })
        .collect();
    let phases = runs[0].summary.jobs.iter().map(|job| job.phase).max().unwrap_or(0);
    if rows.len() > 1 && phases == 0 {
        let total = |run: &Run| megabytes(run.summary.jobs.iter().map(|job| job.bw_bytes).sum());
        rows.push(("all".into(), runs.iter().map(total).collect()));
    }
    Table { title: "throughput, MB/s", rows }
}

fn shares(runs: &[Run]) -> Table {
    let several = |phase| runs[0].summary.jobs.iter().filter(|job| job.phase == phase).count() > 1;
    let groups = runs[0].summary.groups.iter().enumerate();
    let group_rows = groups.filter(|(_, group)| group.path != "/").map(|(index, group)| {
        let weight = group.weight.map_or(String::new(), |weight| format!(" (weight {weight})"));
        let cell = |run: &Run| percent(run.summary.groups[index].share);
        (format!("group {}{weight}", shortened(&group.path)), runs.iter().map(cell).collect())
    });
    let job_rows = jobs(runs).filter(|(index, _)| several(runs[0].summary.jobs[*index].phase));
    let job_rows = job_rows.map(|(index, name)| {
        let cell = |run: &Run| percent(run.summary.jobs[index].share);
        (name, runs.iter().map(cell).collect())
    });
    Table { title: "share of all bytes, %", rows: group_rows.chain(job_rows).collect() }
}

fn spread(runs: &[Run]) -> Table {
    let rows = jobs(runs).filter(|(index, _)| runs[0].summary.jobs[*index].processes > 1);
    let rows = rows.map(|(index, name)| {
        let cell = |run: &Run| {
            let job = &run.summary.jobs[index];
            let (least, most) = (job.process_bw_bytes_min, job.process_bw_bytes_max);
            format!("{}–{}", megabytes(least), megabytes(most))
        };
        (name, runs.iter().map(cell).collect())
    });
    Table { title: "least–most of a process, MB/s", rows: rows.collect() }
}

fn latency(runs: &[Run]) -> Table {
    let mut rows = Vec::new();
    for (index, name) in jobs(runs) {
        let of = |run: &Run, kind: &str| {
            let mut latencies = run.summary.jobs[index].latencies();
            let (_, latency) = latencies.find(|(other, _)| *other == kind)?;
            Some(format!("{} | {}", time(latency.p50), time(latency.p99)))
        };
        let present = |kind: &&str| runs.iter().any(|run| of(run, kind).is_some());
        let present: Vec<&str> = JobSummary::latency_kinds().filter(present).collect();
        for kind in &present {
            let name = if present.len() > 1 { format!("{name} {kind}") } else { name.clone() };
            let cell = |run: &Run| of(run, kind).unwrap_or("-".to_owned());
            rows.push((name, runs.iter().map(cell).collect()));
        }
    }
    Table { title: "latency, median | 99 %", rows }
}

/// What the page cache did, if jobs went through one.
fn page_cache(runs: &[Run]) -> Table {
    /// Pages of the model, bytes.
    const PAGE_BYTES: u64 = 4096;
    type Cell = fn(&dyn Fn(&str) -> u64) -> String;
    let rows: [(&str, Cell); 5] = [
        ("reads found there, %", |get| of(get("read_hits"), get("read_pages"))),
        ("read ahead in vain, %", |get| of(get("read_ahead_wasted"), get("read_ahead_pages"))),
        ("dirty at most, MB", |get| megabytes(get("dirty_max_pages") * PAGE_BYTES)),
        ("writers paused for", |get| time(get("throttled_ns"))),
        ("syncs", |get| get("syncs").to_string()),
    ];
    let present = runs.iter().any(|run| !run.page_cache.is_empty());
    let rows = rows.into_iter().filter(|_| present).map(|(name, cell)| {
        let cell = |run: &Run| {
            let get = |name: &str| run.page_cache.get(name).copied().unwrap_or(0);
            if run.page_cache.is_empty() { "-".to_owned() } else { cell(&get) }
        };
        (name.to_owned(), runs.iter().map(cell).collect())
    });
    Table { title: "page cache", rows: rows.collect() }
}

/// A part of a whole in percent, if there is a whole.
fn of(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { percent(part as f64 / whole as f64) }
}

fn errors(runs: &[Run]) -> Table {
    let failed = |index: usize| runs.iter().any(|run| run.summary.jobs[index].error != 0);
    let rows = jobs(runs).filter(|(index, _)| failed(*index)).map(|(index, name)| {
        let cell = |run: &Run| match run.summary.jobs[index].error {
            0 => "-".to_owned(),
            errno => format!("error {errno}"),
        };
        (name, runs.iter().map(cell).collect())
    });
    Table { title: "stopped by", rows: rows.collect() }
}

pub(crate) fn megabytes(bytes_per_s: u64) -> String {
    let value = bytes_per_s as f64 / 1e6;
    match value {
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// A time in the unit that suits it, three digits.
pub(crate) fn time(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    match value {
        100.0.. => format!("{value:.0} {unit}"),
        10.0.. => format!("{value:.1} {unit}"),
        _ => format!("{value:.2} {unit}"),
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
