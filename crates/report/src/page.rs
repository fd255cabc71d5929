// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as a page: one file of HTML that needs nothing else, with drawings in SVG.
//!
//! First a summary, then a table of all scenarios, whose rows unfold. Drawings are made here; in a
//! report of many scenarios they are packed, and a small script unpacks those of a row when it is
//! opened. The script also filters, sorts, zooms and copies. Drawings have no fixed width: places
//! across are in percent, or in a view box of their own, so that text keeps its size on a phone.

mod bars;
mod comparison;
mod filter;
mod how;
mod latency;
mod packed;
mod rates;
mod scale;
mod scenarios;
mod schedule;
mod section;
mod summary;
mod tables;
mod text;

use crate::alike::{Alike, alike};
use crate::study::{Column, Measure, Stage, Study};
use crate::timeline::REASONS;
use crate::{Run, study};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use scale::{Axis, Rank, number};

/// A report of up to so many scenarios on disks begins with all rows open, and needs no script to
/// show its drawings.
const OPEN_STAGES: usize = 4;

/// The colour of those who have none of their own.
const GREY: usize = 7;

/// What a report may show of each run, so that one of many runs is not too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Budget {
    /// Slots of time.
    slots: usize,
    /// Entries of the schedule.
    entries: usize,
}

impl Budget {
    /// A report of up to so many runs has all of it.
    const RUNS: usize = 200;

    fn of(runs: usize) -> Self {
        let share = |whole: usize| whole * Self::RUNS / runs.max(Self::RUNS);
        Self { slots: share(128).max(48), entries: share(400).max(100) }
    }
}

/// A stage, and how it is drawn.
struct Sheet<'a> {
    stage: &'a Stage<'a>,
    /// The runs that are drawn.
    drawn: Vec<Drawn<'a>>,
    /// What there is to say of those that did the same, a sentence each.
    same: Vec<String>,
    budget: Budget,
    colours: Vec<usize>,
}

/// A run that is drawn, for itself and for those that did exactly the same.
struct Drawn<'a> {
    /// The names of all of them.
    label: String,
    /// The place of the run among the columns of the stage.
    place: usize,
    column: &'a Column<'a>,
}

impl<'a> Drawn<'a> {
    /// One for each of those that did exactly the same.
    fn for_all(stage: &'a Stage<'a>, alike: &Alike) -> Drawn<'a> {
        let turns = |place: &usize| {
            let plots = stage.columns[*place].run.plots.as_ref();
            plots.and_then(|plots| Some(plots.timeline.as_ref()?.turns.len())).unwrap_or(0)
        };
        let names = alike.places.iter().map(|&place| stage.columns[place].label.as_str());
        let label = study::listed(&names.collect::<Vec<_>>());
        // The one that tells most of its schedule; of equals the first.
        let place = alike.places.iter().copied().rev().max_by_key(turns);
        let place = place.unwrap_or(alike.first());
        Drawn { label, place, column: &stage.columns[place] }
    }

    fn run(&self) -> &'a Run {
        self.column.run
    }

    /// Its value of a measure, if that was measured.
    fn of(&self, measure: &Measure) -> Option<f64> {
        measure.values.get(self.place).copied().flatten()
    }
}

impl<'a> Sheet<'a> {
    fn of(stage: &'a Stage<'a>, budget: Budget) -> Self {
        let runs: Vec<&Run> = stage.columns.iter().map(|column| column.run).collect();
        let labels: Vec<&str> = stage.columns.iter().map(|column| column.label.as_str()).collect();
        let alike = alike(&runs);
        let drawn = alike.iter().map(|alike| Drawn::for_all(stage, alike)).collect();
        let same = alike.iter().filter_map(|alike| alike.sentence(&labels)).collect();
        let mut sheet = Self { stage, drawn, same, budget, colours: Vec::new() };
        let subject = stage.measures.iter().find_map(|measure| measure.part);
        let mut next = 1;
        for part in 0..stage.parts.len() {
            let colour = if Some(part) == subject { 0 } else { next };
            next += usize::from(colour == next);
            sheet.colours.push(colour.min(GREY));
        }
        sheet
    }

    /// The colour of a part, the same in all drawings of the stage.
    fn colour(&self, part: usize) -> usize {
        self.colours.get(part).copied().unwrap_or(GREY)
    }

    /// The class of shapes that are filled with the colour of a part.
    fn class(&self, part: usize) -> String {
        format!("c{}", self.colour(part))
    }

    /// The parts, those that the scenario is about first.
    fn by_interest(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = self.stage.measures.iter().filter_map(|one| one.part).collect();
        parts.extend(
            (0..self.stage.parts.len()).filter(|part| !parts.contains(part)).collect::<Vec<_>>(),
        );
        parts
    }
}

/// The whole page.
pub fn page(study: &Study) -> String {
    let budget = Budget::of(study.runs());
    let many = study.stages().count() > OPEN_STAGES;
    let reasons: Vec<&str> = REASONS.iter().map(|(_, words)| *words).collect();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "I/O schedulers compared" }
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("page/style.css"))) }
                script { (PreEscaped(r#"document.documentElement.classList.add("scripted");"#)) }
            }
            body data-reasons=(reasons.join("|")) {
                header {
                    h1 { "I/O schedulers compared" }
                    p.lead { (lead(study)) }
                    noscript {
                        p.note {
                            "This page unfolds, filters and sorts by JavaScript, which is off. What \
                             each scheduler made of each scenario is below"
                            @if many { "; drawings and finer tables need JavaScript" } "."
                        }
                    }
                    @for (source, note) in &study.notes {
                        p.note { strong { (source) ": " } (note) }
                    }
                }
                main {
                    @for (place, of) in study.comparisons.iter().enumerate() {
                        (comparison::comparison(of, &format!("comparison-{}", place + 1)))
                    }
                    @if many { (summary::summary(study)) }
                    @if !study.chapters.is_empty() { (scenarios::scenarios(study, budget)) }
                }
                footer {
                    p {
                        "Made by bfq " (env!("CARGO_PKG_VERSION"))
                        ". This page is one file and fetches nothing."
                    }
                }
                script {
                    (PreEscaped(include_str!("page/schedule.js")))
                    (PreEscaped(include_str!("page/rows.js")))
                }
            }
        }
    };
    markup.into_string()
}

/// What the report is of, in a line.
fn lead(study: &Study) -> String {
    let count = |number: usize, thing: &str| match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    };
    let comparisons = match study.comparisons.len() {
        0 => String::new(),
        number => format!("{} on real disks.", count(number, "comparison")),
    };
    if study.chapters.is_empty() {
        return comparisons;
    }
    let mut devices: Vec<&str> = Vec::new();
    for (_, stage) in study.stages() {
        let device = stage.device.name();
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    let simulated = study.stages().filter(|(_, stage)| stage.simulated).count();
    let how = match simulated {
        0 => "all real",
        _ if simulated == study.stages().count() => "all simulated",
        _ => "some simulated, some real",
    };
    format!(
        "{}, {}, {}: {}, {how}. {comparisons}",
        count(study.chapters.len(), "scenario"),
        count(devices.len(), "device"),
        count(study.schedulers().len(), "scheduler"),
        count(study.runs(), "run"),
    )
    .trim_end()
    .to_owned()
}

/// Lines at the ticks of an axis, in a drawing that is as wide as the axis.
fn grid(axis: &Axis) -> Markup {
    html! {
        @for tick in &axis.ticks {
            @let x = format!("{}%", number(tick.percent));
            line.grid x1=(x) x2=(x) y1="0" y2="100%" {}
        }
    }
}

/// What stands at the ticks of an axis; the last one has the unit, if there is one.
fn ticks(axis: &Axis, y: f64, unit: &str) -> Markup {
    let spoken = || axis.ticks.iter().filter(|tick| !tick.text.is_empty());
    let last = spoken().count().saturating_sub(1);
    html! {
        @for (place, tick) in spoken().enumerate() {
            @let anchor = match tick.percent { ..=6.0 => "start", 94.0.. => "end", _ => "middle" };
            @let class = match tick.rank {
                Rank::Always => None,
                Rank::Usual => Some("usual"),
                Rank::Fine => Some("fine"),
            };
            text class=[class] text-anchor=(anchor) x={ (number(tick.percent)) "%" } y=(number(y)) {
                (tick.text) @if place == last && !unit.is_empty() { " " (unit) }
            }
        }
    }
}

/// An axis below rows, whose unit the caption tells.
fn axis_row(axis: &Axis) -> Markup {
    html! {
        div.row {
            div.axis { svg height="18" width="100%" aria-hidden="true" { (ticks(axis, 12.0, "")) } }
        }
    }
}

#[cfg(test)]
#[path = "page/tests.rs"]
mod tests;
