// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results for people: per device, the schedulers side by side.

use crate::alike::alike;
use crate::fairness_rows::FairnessRow;
use crate::grid::Grid;
use crate::job_table;
use crate::names::{job_name, phase, shortened};
use crate::results::{Mode, Results, Run};
use crate::study::labels;
use crate::style::Style;
use base::PAGE_BYTES;
use base::text::{megabytes, percent, time};
use std::fmt::Write;

/// The tables of a result. Runs on the same device form one block of tables; those that did exactly
/// the same are one in them.
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
        style.heading(&device.label()),
        style.faint(&format!("depth {}, {kind}, {how}", device.depth))
    );
    let labels = labels(&runs.iter().collect::<Vec<_>>());
    let mut distinct = Vec::new();
    let mut names = Vec::new();
    for same in alike(&runs.iter().collect::<Vec<_>>()) {
        distinct.push(&runs[same.first()]);
        names.push(same.label(&labels));
        if let Some(sentence) = same.sentence(&labels) {
            let _ = writeln!(text, "{sentence}");
        }
    }
    let runs = &distinct[..];
    let tables = [groups(runs), spread(runs), page_cache(runs), errors(runs)];
    let others = tables.iter().filter(|table| !table.rows.is_empty());
    let grids = others.map(|table| table.grid(&names));
    let fairness = fairness(runs, &names);
    for grid in std::iter::once(job_table::jobs(runs, &names, style)).chain(grids).chain(fairness) {
        text.push('\n');
        grid.print(text, style);
    }
}

/// Figures side by side, a column for each run.
struct Table {
    title: &'static str,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    fn grid(&self, columns: &[String]) -> Grid {
        let head = std::iter::once(self.title.to_owned()).chain(columns.iter().cloned());
        let mut grid = Grid::new(1, head.collect());
        for (name, cells) in &self.rows {
            grid.row(std::iter::once(name).chain(cells).cloned().collect());
        }
        grid
    }
}

/// The jobs of all runs (they are of the same job files), with the name of each as shown.
fn jobs(runs: &[&Run]) -> impl Iterator<Item = (usize, String)> {
    runs[0].summary.jobs.iter().enumerate().map(|(index, job)| (index, job_name(job)))
}

fn groups(runs: &[&Run]) -> Table {
    let groups = &runs[0].summary.groups;
    let below = groups.iter().enumerate().filter(|(_, group)| group.path != "/");
    let rows = below.map(|(index, group)| {
        let weight = group.weight.map_or(String::new(), |weight| format!(" (weight {weight})"));
        let cell = |run: &&Run| percent(run.summary.groups[index].share);
        let name = format!("{}{weight}{}", shortened(&group.path), phase(group, groups));
        (name, runs.iter().map(cell).collect())
    });
    Table { title: "share of groups, %", rows: rows.collect() }
}

fn spread(runs: &[&Run]) -> Table {
    let rows = jobs(runs).filter(|(index, _)| runs[0].summary.jobs[*index].processes > 1);
    let rows = rows.map(|(index, name)| {
        let cell = |run: &&Run| {
            let job = &run.summary.jobs[index];
            let (least, most) = (job.process_bw_bytes_min, job.process_bw_bytes_max);
            format!("{}–{}", megabytes(least), megabytes(most))
        };
        (name, runs.iter().map(cell).collect())
    });
    Table { title: "least–most of a process, MB/s", rows: rows.collect() }
}

/// How fairly the device's time was shared, if runs were judged.
fn fairness(runs: &[&Run], columns: &[String]) -> Option<Grid> {
    let head: Vec<String> =
        FairnessRow::HEAD.map(str::to_owned).into_iter().chain(columns.iter().cloned()).collect();
    let mut rows: Vec<Vec<String>> =
        crate::fairness_rows::rows(runs).iter().map(FairnessRow::text).collect();
    // They stand in each block of a wide table, as names do; but they are figures.
    for column in 1..FairnessRow::HEAD.len() {
        let cells = || std::iter::once(&head).chain(&rows).map(|row| row[column].chars().count());
        let width = cells().max().unwrap_or(0);
        rows.iter_mut().for_each(|row| row[column] = format!("{:>width$}", row[column]));
    }
    let mut grid = Grid::new(FairnessRow::HEAD.len(), head);
    rows.into_iter().for_each(|row| grid.row(row));
    (!grid.is_empty()).then_some(grid)
}

/// What the page cache did, if jobs went through one.
fn page_cache(runs: &[&Run]) -> Table {
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
        let cell = |run: &&Run| {
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

fn errors(runs: &[&Run]) -> Table {
    let failed = |index: usize| runs.iter().any(|run| run.summary.jobs[index].error != 0);
    let rows = jobs(runs).filter(|(index, _)| failed(*index)).map(|(index, name)| {
        let cell = |run: &&Run| match run.summary.jobs[index].error {
            0 => "-".to_owned(),
            errno => format!("error {errno}"),
        };
        (name, runs.iter().map(cell).collect())
    });
    Table { title: "stopped by", rows: rows.collect() }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
