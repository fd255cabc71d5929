// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario is about, read off its job file: a start, a latency, shares, or throughput; and
//! what each scheduler made of it.

use crate::names::ios;
use crate::results::Run;
use crate::study::column::Column;
use crate::study::kind::MeasureKind;
use crate::study::parts::Participant;
use crate::study::role::{Role, role};
use crate::study::shares;
use crate::study::wanted::Wanted;
use crate::summary::{JobSummary, SYNC};
use base::text::time;
use std::collections::BTreeMap;

/// A figure that was measured in every run of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Which figure it is, such as a latency or a throughput.
    pub kind: MeasureKind,
    /// Whom it is about: a place in the parts of the stage.
    pub part: Option<usize>,
    /// Its name, for people.
    pub name: String,
    /// The value of each column; none where it was not measured, or an error stopped a job.
    pub values: Vec<Option<f64>>,
    /// The columns in which a start was not done when its runtime was over or the run was
    /// interrupted, with the time after which that was, ns. They have no value.
    pub unfinished_ns: BTreeMap<usize, u64>,
}

impl Measure {
    /// The best value, if any was measured.
    pub fn best(&self) -> Option<f64> {
        let values = self.values.iter().flatten().copied();
        if self.kind.is_cost() { values.reduce(f64::min) } else { values.reduce(f64::max) }
    }

    /// What a column reached, for people; none where it was not measured.
    pub fn shown(&self, column: usize) -> Option<String> {
        let value = self.values.get(column).copied().flatten().map(|value| self.kind.show(value));
        let unfinished = || self.unfinished_ns.get(&column).map(|&ns| not_done_after(ns));
        value.or_else(unfinished)
    }

    /// Whether some did better than others.
    pub fn tells_apart(&self) -> bool {
        self.values.iter().flatten().any(|value| !self.is_best(*value))
    }

    /// Whether a value is as good as the best one, within what chance may do.
    pub fn is_best(&self, value: f64) -> bool {
        let Some(best) = self.best() else { return false };
        match self.kind {
            MeasureKind::StartUp | MeasureKind::Latency => value <= best * 1.05,
            MeasureKind::Shares => value <= best + 0.5,
            MeasureKind::Share => value >= best - 0.5,
            MeasureKind::Rate | MeasureKind::Throughput | MeasureKind::Useful => {
                value >= best * 0.97
            }
            // A process that has its share has all that is due to it.
            MeasureKind::Fairness => value >= best.min(1.0) - 0.03,
        }
    }
}

/// That a start took longer than it was watched.
fn not_done_after(ns: u64) -> String {
    format!("not done after {}", time(ns))
}

/// The measures of a stage, the one that it is about first.
pub(super) fn measures(columns: &[Column], parts: &[Participant]) -> Vec<Measure> {
    let Some(first_run) = columns.first().map(|column| column.run) else { return Vec::new() };
    let mut measures = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        match role(first_run, part) {
            Role::Starts => measures.push(of_part(columns, parts, MeasureKind::StartUp, place)),
            Role::Waits => measures.extend(latencies(columns, parts, place)),
            Role::Works => {}
        }
    }
    if shares::of_groups(first_run).is_some() {
        measures.push(shares_of(columns, shares::of_groups));
    }
    measures.push(of_all(columns, MeasureKind::Throughput, "throughput", |run| {
        Some(run.summary.bw_bytes() as f64)
    }));
    if columns.iter().any(|column| column.run.fairness.is_some()) {
        measures.extend(fairness(columns));
    }
    measures.sort_by_key(|measure| measure.kind);
    let mut first = Vec::new();
    for (kind, part) in wanted(first_run, parts) {
        let same = |measure: &Measure| (measure.kind, measure.part) == (kind, part);
        match (measures.iter().position(same), part) {
            (Some(place), _) => first.push(measures.remove(place)),
            (None, Some(part)) if kind == MeasureKind::Latency => {
                first.extend(latencies(columns, parts, part));
            }
            (None, Some(part)) => first.push(of_part(columns, parts, kind, part)),
            (None, None) if kind == MeasureKind::Shares && shares::of_jobs(first_run).is_some() => {
                first.push(shares_of(columns, shares::of_jobs));
            }
            (None, None) => {}
        }
    }
    first.append(&mut measures);
    first
}

/// How far shares are from weights.
fn shares_of(columns: &[Column], distance: fn(&Run) -> Option<f64>) -> Measure {
    of_all(columns, MeasureKind::Shares, "distance of shares from weights", distance)
}

/// How fairly the device's time was shared, and how much of it was useful.
fn fairness(columns: &[Column]) -> [Measure; 2] {
    [
        of_all(columns, MeasureKind::Fairness, "worst R of a process", |run| {
            run.fairness.as_ref()?.worst
        }),
        of_all(columns, MeasureKind::Useful, "useful time, U", |run| {
            Some(run.fairness.as_ref()?.useful)
        }),
    ]
}

/// What the scenario asks for, each with the place of the part if it is about one: of each part of
/// a series whose jobs do different things.
fn wanted(run: &Run, parts: &[Participant]) -> Vec<(MeasureKind, Option<usize>)> {
    let jobs = &run.summary.jobs;
    let names: Vec<&str> = jobs.iter().map(|job| job.jobname.as_str()).collect();
    let text = run.scenario.as_ref().and_then(|scenario| scenario.notes.get("Measure"));
    // One that is wrong was refused when the scenario was run.
    let wanted = text.and_then(|text| Wanted::parse(text, &names).ok()).unwrap_or_default();
    let about = |wanted: &Wanted, part: &Participant| {
        part.jobs.iter().any(|&job| wanted.is_about(names[job]))
    };
    let places = |wanted: &Wanted| -> Vec<Option<usize>> {
        match wanted.job {
            Some(_) => {
                (0..parts.len()).filter(|&part| about(wanted, &parts[part])).map(Some).collect()
            }
            None => vec![None],
        }
    };
    let of_each = |wanted: &Wanted| {
        let kind = wanted.kind;
        places(wanted).into_iter().map(move |part| (kind, part))
    };
    wanted.iter().flat_map(of_each).collect()
}

/// A measure of whole runs. One in which an error stopped a job has no value: from then on its load
/// was another one.
fn of_all(
    columns: &[Column],
    kind: MeasureKind,
    name: &str,
    value: impl Fn(&Run) -> Option<f64>,
) -> Measure {
    let of_run = |run: &Run| if run.summary.has_errors() { None } else { value(run) };
    let values = columns.iter().map(|column| of_run(column.run)).collect();
    Measure { kind, part: None, name: name.to_owned(), values, unfinished_ns: BTreeMap::new() }
}

/// The latency of the I/Os that a process waits for; where these are syncs, that of what it moves,
/// too, for that may take far longer and be waited for by the next sync.
fn latencies<'a>(
    columns: &'a [Column],
    parts: &'a [Participant],
    place: usize,
) -> impl Iterator<Item = Measure> {
    let part = &parts[place];
    let kinds = part.kinds(columns.iter().map(|column| column.run));
    let number = if kinds.first() == Some(&SYNC) { 2 } else { 1 };
    kinds.into_iter().take(number).map(move |kind| {
        let of_kind = |run: &Run| {
            let mut all = part.distributions(run).into_iter();
            Some(all.find(|of| of.kind == kind)?.summary.p99 as f64)
        };
        let name = format!("latency of {} of {}, 99 %", ios(kind), part.name);
        Measure { part: Some(place), ..of_all(columns, MeasureKind::Latency, &name, of_kind) }
    })
}

/// A start, a share or a throughput of a part.
fn of_part(columns: &[Column], parts: &[Participant], kind: MeasureKind, place: usize) -> Measure {
    let part = &parts[place];
    let name = match kind {
        MeasureKind::StartUp => format!("start of {}", part.name),
        MeasureKind::Share => format!("share of {}", part.name),
        _ => format!("throughput of {}", part.name),
    };
    let value = |run: &Run| match kind {
        MeasureKind::StartUp => start_up_ns(part, run),
        MeasureKind::Share => Some(sum(part, run, |job| job.share) * 100.0),
        _ => Some(sum(part, run, |job| job.bw_bytes as f64)),
    };
    let unfinished = |(place, column): (usize, &Column)| {
        let is_left = !column.run.summary.has_errors() && !is_done(part, column.run);
        is_left.then(|| (place, longest_ns(part, column.run)))
    };
    let unfinished_ns = match kind {
        MeasureKind::StartUp => columns.iter().enumerate().filter_map(unfinished).collect(),
        _ => BTreeMap::new(),
    };
    Measure { part: Some(place), unfinished_ns, ..of_all(columns, kind, &name, value) }
}

fn sum(part: &Participant, run: &Run, of: impl Fn(&JobSummary) -> f64) -> f64 {
    part.jobs.iter().map(|&job| of(&run.summary.jobs[job])).sum()
}

fn start_up_ns(part: &Participant, run: &Run) -> Option<f64> {
    let longest_ns = longest_ns(part, run);
    (longest_ns > 0 && is_done(part, run)).then_some(longest_ns as f64)
}

/// How long the jobs of a part ran, the longest of them.
fn longest_ns(part: &Participant, run: &Run) -> u64 {
    part.jobs.iter().map(|&job| run.summary.jobs[job].span_ns()).max().unwrap_or(0)
}

/// Whether all jobs of a part did all that they were to do.
fn is_done(part: &Participant, run: &Run) -> bool {
    part.jobs.iter().all(|&job| !run.summary.jobs[job].unfinished)
}
