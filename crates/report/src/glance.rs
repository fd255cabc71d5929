// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table for each scenario of a report: a line for each run, comparable at a glance.

use crate::alike::alike;
use crate::grid::Grid;
use crate::names::{ios, phase, shortened};
use crate::results::Run;
use crate::study::{
    Chapter, Column, Distribution, MeasureKind, Origin, Participant, Study, StudyStage,
    kinds_by_interest,
};
use crate::style::Style;
use crate::summary::GroupSummary;
use base::text::{iops, megabytes, percent, time};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The tables: for each run its throughput, the share of each control group below the root, how
/// long programs took to start, and the latencies of the job called `job`; without one, of whom the
/// scenario is about, if a process waits in it. Runs that did exactly the same are one line.
pub fn glance(study: &Study, job: Option<&str>, style: Style) -> String {
    let mut text = String::new();
    let devices = DeviceNames::of(study);
    for chapter in &study.chapters {
        if !text.is_empty() {
            text.push('\n');
        }
        if study.chapters.len() > 1 {
            let _ = writeln!(text, "{}\n", style.heading(&name(chapter)));
        }
        of_chapter(&mut text, chapter, job, devices, style);
    }
    for (source, note) in &study.notes {
        let _ = writeln!(text, "\n{}", style.heading(&format!("Note: {source}: {note}")));
    }
    text
}

/// The name of a scenario, with its title if it has one.
fn name(chapter: &Chapter) -> String {
    match chapter.title() {
        title if title == chapter.name => chapter.name.clone(),
        title => format!("{}: {title}", chapter.name),
    }
}

/// What the columns of a chapter's table are about.
struct Layout<'a> {
    /// Whether reads and writes stand apart: a job does either.
    directions: bool,
    /// Programs that start, by the names of the measures.
    starts: Vec<&'a str>,
    groups: Vec<Shares<'a>>,
    waits: Option<Waits<'a>>,
}

/// The shares of a control group.
struct Shares<'a> {
    path: &'a str,
    phase: u32,
    /// `, phase 2` where there are several.
    which: String,
    /// Its weight, if it is the same in all runs; else each row has its own.
    weight: Option<u32>,
}

impl<'a> Shares<'a> {
    /// The groups below the root of all runs, in the order in which they occur first.
    fn all(runs: impl Iterator<Item = &'a Run> + Clone) -> Vec<Shares<'a>> {
        let groups = || runs.clone().flat_map(|run| &run.summary.groups);
        let mut all: Vec<Shares> = Vec::new();
        for group in groups().filter(|group| group.path != "/") {
            if all.iter().all(|shares| !shares.are_of(group)) {
                let which = phase(group, groups());
                let shares = Shares { path: &group.path, phase: group.phase, which, weight: None };
                let same = groups().filter(|other| shares.are_of(other));
                let agreed = same.clone().all(|other| other.weight == group.weight);
                all.push(Shares { weight: group.weight.filter(|_| agreed), ..shares });
            }
        }
        all
    }

    fn are_of(&self, group: &GroupSummary) -> bool {
        (self.path, self.phase) == (group.path.as_str(), group.phase)
    }

    fn head(&self) -> String {
        let path = shortened(self.path.trim_start_matches('/'));
        let name = format!("{path}{}", self.which);
        self.weight.map_or(name.clone(), |weight| format!("{name}\n({weight})"))
    }

    /// The share in a run, with the weight if that is another in other runs.
    fn cell(&self, run: &Run) -> Option<String> {
        let group = run.summary.groups.iter().find(|group| self.are_of(group))?;
        let share = format!("{} %", percent(group.share));
        Some(match (self.weight, group.weight) {
            (None, Some(weight)) => format!("{share} ({weight})"),
            _ => share,
        })
    }
}

/// Whose latencies are shown.
#[derive(Clone, Copy)]
enum Who<'a> {
    Job(&'a str),
    /// A part, by its name.
    Part(&'a str),
}

/// Which latencies are shown: of one kind of I/O in all rows.
struct Waits<'a> {
    who: Who<'a>,
    kind: Option<&'static str>,
    /// There are other kinds.
    is_one_of_several: bool,
}

impl<'a> Waits<'a> {
    fn of(chapter: &Chapter, who: Who<'a>) -> Self {
        let columns = || {
            let stages = chapter.stages.iter();
            stages.flat_map(|stage| stage.columns.iter().map(move |column| (stage, column.run)))
        };
        let of_columns = columns().flat_map(|(stage, run)| who.latencies(stage, run));
        let kinds = kinds_by_interest(of_columns.map(|of| (of.kind, of.summary.n)));
        Self { who, kind: kinds.first().copied(), is_one_of_several: kinds.len() > 1 }
    }

    fn head(&self) -> String {
        let (Who::Job(name) | Who::Part(name)) = self.who;
        match self.kind.filter(|_| self.is_one_of_several) {
            Some(kind) => format!("{} of {}:\nmedian", ios(kind), shortened(name)),
            None => format!("{}:\nmedian", shortened(name)),
        }
    }

    /// Median, 99 %, 99.9 % and maximum.
    fn cells(&self, stage: &StudyStage, run: &Run) -> [String; 4] {
        let all = self.who.latencies(stage, run);
        let latency = all.iter().find(|of| Some(of.kind) == self.kind);
        let about = if latency.is_some_and(|of| of.approximate) { "≈ " } else { "" };
        [50.0, 99.0, 99.9, 100.0].map(|percentage| {
            let value = latency.and_then(|of| of.summary.at(percentage));
            let about = if percentage == 100.0 { "" } else { about };
            value.map_or("-".to_owned(), |ns| format!("{about}{}", time(ns)))
        })
    }
}

impl Who<'_> {
    /// The latencies of all kinds of I/O in a run.
    fn latencies(self, stage: &StudyStage, run: &Run) -> Vec<Distribution> {
        let part = match self {
            Who::Job(name) => {
                let job = run.summary.jobs.iter().position(|job| job.jobname == name);
                job.map(|job| Participant::of_job(job, &run.summary.jobs[job]))
            }
            Who::Part(name) => stage.parts.iter().find(|part| part.name == name).cloned(),
        };
        part.map_or(Vec::new(), |part| part.distributions(run))
    }
}

impl<'a> Layout<'a> {
    fn of(chapter: &'a Chapter, job: Option<&'a str>) -> Self {
        let runs = || chapter.stages.iter().flat_map(|stage| &stage.columns);
        let moves = |kind| runs().any(|column| column.run.summary.bw_bytes_of(kind) > 0);
        let measures = || chapter.stages.iter().flat_map(|stage| &stage.measures);
        let mut starts: Vec<&str> = Vec::new();
        for start in measures().filter(|measure| measure.kind == MeasureKind::StartUp) {
            if !starts.contains(&start.name.as_str()) {
                starts.push(&start.name);
            }
        }
        let part = || {
            let waits = |stage: &'a StudyStage| {
                let measure = stage.measures.iter().find(|one| one.kind == MeasureKind::Latency)?;
                Some(Who::Part(&stage.parts[measure.part?].name))
            };
            chapter.stages.iter().find_map(waits)
        };
        Self {
            directions: moves("read") && moves("write"),
            starts,
            groups: Shares::all(runs().map(|column| column.run)),
            waits: job.map(Who::Job).or_else(part).map(|who| Waits::of(chapter, who)),
        }
    }

    fn head(&self) -> Vec<String> {
        let mut head = vec!["".to_owned(), "MB/s".to_owned()];
        if self.directions {
            head.extend(["read", "written"].map(str::to_owned));
        }
        head.push("IOPS".to_owned());
        head.extend(self.starts.iter().map(|name| name.replacen(" of ", " of\n", 1)));
        head.extend(self.groups.iter().map(Shares::head));
        if let Some(waits) = &self.waits {
            head.push(waits.head());
            head.extend(["99 %", "99.9 %", "max"].map(str::to_owned));
        }
        head
    }

    fn line(&self, stage: &StudyStage, place: usize, label: &str) -> Vec<String> {
        let run = stage.columns[place].run;
        let dash = || "-".to_owned();
        let mut cells = vec![format!("  {label}"), megabytes(run.summary.bw_bytes())];
        if self.directions {
            cells.extend(["read", "write"].map(|kind| megabytes(run.summary.bw_bytes_of(kind))));
        }
        cells.push(iops(run.summary.iops()));
        for name in &self.starts {
            let measure = stage.measures.iter().find(|measure| measure.name == *name);
            let shown = measure.and_then(|measure| measure.shown(place));
            cells.push(shown.unwrap_or_else(dash));
        }
        cells.extend(self.groups.iter().map(|group| group.cell(run).unwrap_or_else(dash)));
        if let Some(waits) = &self.waits {
            cells.extend(waits.cells(stage, run));
        }
        cells
    }
}

fn of_chapter(
    text: &mut String,
    chapter: &Chapter,
    job: Option<&str>,
    devices: DeviceNames,
    style: Style,
) {
    let layout = Layout::of(chapter, job);
    let mut grid = Grid::new(1, layout.head());
    let mut sentences = Vec::new();
    for stage in &chapter.stages {
        grid.gap();
        let device = devices.name(stage);
        let labels: Vec<String> = stage.columns.iter().map(|column| column.label.clone()).collect();
        let runs: Vec<&Run> = stage.columns.iter().map(|Column { run, .. }| *run).collect();
        grid.heading(device.clone());
        sentences.extend(stage.stopped.iter().map(|sentence| format!("{device}: {sentence}")));
        for same in alike(&runs) {
            grid.row(layout.line(stage, same.first(), &same.label(&labels)));
            sentences
                .extend(same.sentence(&labels).map(|sentence| format!("{device}: {sentence}")));
        }
    }
    grid.print(text, style);
    for lines in [sentences, origins(chapter, devices)] {
        for (number, line) in lines.iter().enumerate() {
            let gap = if number == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{line}");
        }
    }
}

/// Where the runs are from that only a number tells apart, once for all devices if it is the same.
fn origins(chapter: &Chapter, devices: DeviceNames) -> Vec<String> {
    let of_stages: Vec<&StudyStage> =
        chapter.stages.iter().filter(|stage| !stage.origins.is_empty()).collect();
    let line = |origin: &Origin| format!("{}: {}", origin.labels, origin.result);
    match &of_stages[..] {
        [] => Vec::new(),
        [first, rest @ ..] if rest.iter().all(|stage| stage.origins == first.origins) => {
            first.origins.iter().map(line).collect()
        }
        several => {
            let of_stage = |stage: &&StudyStage| {
                let device = devices.name(stage);
                let origins = stage.origins.iter();
                origins.map(|one| format!("{device}: {}", line(one))).collect::<Vec<_>>()
            };
            several.iter().flat_map(of_stage).collect()
        }
    }
}

/// How the devices of a study are called.
#[derive(Clone, Copy)]
struct DeviceNames {
    /// Real targets have the names that they were given, as there are several of them.
    by_path: bool,
}

impl DeviceNames {
    fn of(study: &Study) -> DeviceNames {
        let stages = study.chapters.iter().flat_map(|chapter| &chapter.stages);
        let targets = stages.filter(|stage| stage.device.profile.is_none());
        let paths: BTreeSet<&str> =
            targets.filter_map(|stage| stage.device.path.as_deref()).collect();
        DeviceNames { by_path: paths.len() > 1 }
    }

    fn name(self, stage: &StudyStage) -> String {
        match (&stage.device.profile, &stage.device.path) {
            (Some(_), _) => format!("{} (simulated)", stage.device.label()),
            (None, Some(path)) if self.by_path => format!("{path} (real)"),
            (None, Some(_)) => "this machine (real)".to_owned(),
            (None, None) => stage.device.label(),
        }
    }
}

#[cfg(test)]
#[path = "glance_tests.rs"]
mod tests;
