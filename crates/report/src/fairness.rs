// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fairly a run shared the device's time, and the rows of a table of that for several runs.

use crate::results::Run;
use serde::{Deserialize, Serialize};

/// How fairly the device's time was shared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fairness {
    /// The least R of a process; absent if none is due anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<f64>,
    /// Useful time: the part of the time that the device would have needed for what all got, had
    /// it served them one by one, each as if alone. Above 1 where it serves several at once.
    pub useful: f64,
    /// The processes, in the order of jobs and clones.
    pub processes: Vec<ProcessFairness>,
    /// The groups, parents first; empty if no job names one.
    pub groups: Vec<GroupFairness>,
}

/// What a process got, beside its fair share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessFairness {
    /// The job's place among all, from 0.
    pub job: usize,
    /// The job's name.
    pub jobname: String,
    /// Which of the job's processes, from 0.
    pub clone: u32,
    /// Its weight in its group.
    pub weight: u32,
    /// The part of the device's time that it uses when it is alone, 0 to 1.
    pub demand: f64,
    /// The part of the device's time that it was due, 0 to 1.
    pub share: f64,
    /// Bytes a second that it got.
    pub bw_bytes: u64,
    /// Bytes a second that it gets alone.
    pub alone_bw_bytes: u64,
    /// Bytes a second that it gets at its share.
    pub fair_bw_bytes: u64,
    /// The rate that it got, of that at its share; absent if it is due nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r: Option<f64>,
}

/// What a group's processes got, beside their fair shares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupFairness {
    /// Path of the group.
    pub path: String,
    /// The part of the device's time that they were due, 0 to 1.
    pub share: f64,
    /// The time that they would have needed alone for what they got, of the time that they were
    /// due; absent if they are due nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r: Option<f64>,
}

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
            name: crate::tables::job_name(job),
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
            name: crate::tables::shortened(&group.path),
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
