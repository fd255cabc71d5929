// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a table of how fairly several runs shared the device's time.

use crate::fairness::{Fairness, GroupFairness, ProcessFairness};
use crate::results::Run;

/// A figure of the measure, for people.
pub(crate) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

/// The least and the greatest figure of several, for people.
pub(crate) fn spread(values: impl Iterator<Item = Option<f64>>) -> String {
    let values: Vec<f64> = values.flatten().collect();
    let ends = [values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max)];
    let [least, most] = ends.map(figure);
    if least == most { least } else { format!("{least}–{most}") }
}

/// The rows of a table of several runs of the same jobs: a name, the share that is due in percent,
/// the rate alone in bytes a second (none of groups), and R in each run.
pub(crate) fn rows(runs: &[&Run]) -> Vec<FairnessRow> {
    let judged: Vec<Option<&Fairness>> = runs.iter().map(|run| run.fairness.as_ref()).collect();
    let Some(first) = judged.iter().flatten().next() else { return Vec::new() };
    let mut rows = Vec::new();
    for (place, job) in runs[0].summary.jobs.iter().enumerate() {
        let of = |fairness: &Fairness| -> Vec<ProcessFairness> {
            fairness.processes.iter().filter(|process| process.job == place).cloned().collect()
        };
        let members = of(first);
        let Some(member) = members.first() else { continue };
        rows.push(FairnessRow {
            name: crate::names::job_name(job),
            share: judged.iter().flatten().flat_map(|one| of(one)).map(|one| one.share).collect(),
            alone_bw_bytes: Some(member.alone_bw_bytes),
            cells: cells(&judged, |one| spread(of(one).iter().map(|process| process.r))),
        });
    }
    for group in first.groups.iter().filter(|group| group.path != "/") {
        // Runs of the same jobs may be in other groups.
        let of = |fairness: &Fairness| -> Option<GroupFairness> {
            fairness.groups.iter().find(|other| other.path == group.path).cloned()
        };
        rows.push(FairnessRow {
            name: crate::names::shortened(&group.path),
            share: judged.iter().flatten().filter_map(|one| of(one)).map(|of| of.share).collect(),
            alone_bw_bytes: None,
            cells: cells(&judged, |one| figure(of(one).and_then(|of| of.r))),
        });
    }
    let mut sum = |name: &str, of: fn(&Fairness) -> Option<f64>| {
        rows.push(FairnessRow {
            name: name.to_owned(),
            share: Vec::new(),
            alone_bw_bytes: None,
            cells: cells(&judged, |one| figure(of(one))),
        });
    };
    sum("worst R of a process", |one| one.worst);
    sum("useful time, U", |one| Some(one.useful));
    rows
}

fn cells(judged: &[Option<&Fairness>], of: impl Fn(&Fairness) -> String) -> Vec<String> {
    judged.iter().map(|one| one.map_or_else(|| "-".to_owned(), &of)).collect()
}

/// A row of figures of several runs.
pub(crate) struct FairnessRow {
    name: String,
    /// In each run and of each process.
    share: Vec<f64>,
    alone_bw_bytes: Option<u64>,
    cells: Vec<String>,
}

impl FairnessRow {
    /// What the head of a table says of the first columns; the others are the runs.
    pub(crate) const HEAD: [&str; 3] = ["fairness: R", "due, %", "alone, MB/s"];

    /// All cells of the row.
    pub(crate) fn text(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let least = self.share.iter().copied().reduce(f64::min).unwrap_or_default();
        let most = self.share.iter().copied().reduce(f64::max).unwrap_or_default();
        let share = match () {
            () if self.share.is_empty() => String::new(),
            // Processes do not end at the same instant, and the last ones have the device then.
            () if most <= least * 1.03 => percent(least),
            () => format!("{}–{}", percent(least), percent(most)),
        };
        let alone = self.alone_bw_bytes.map_or(String::new(), base::text::megabytes);
        [self.name.clone(), share, alone].into_iter().chain(self.cells.iter().cloned()).collect()
    }
}
