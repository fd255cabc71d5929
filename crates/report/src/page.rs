//! The report as a page: one file of HTML that needs nothing else, with drawings in SVG.
//!
//! Drawings are made here and can be read, printed and searched as they are; a small script adds
//! zooming and copying. They have no fixed width: places across are in percent, or in a view box of
//! their own, so that text keeps its size on a phone.

mod bars;
mod comparison;
mod latency;
mod overview;
mod rates;
mod scale;
mod schedule;
mod section;
mod tables;

use crate::study::{Stage, Study};
use crate::timeline::REASONS;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use scale::{Axis, number};

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
    const RUNS: usize = 250;

    fn of(runs: usize) -> Self {
        let share = |whole: usize| whole * Self::RUNS / runs.max(Self::RUNS);
        Self { slots: share(128).max(48), entries: share(400).max(100) }
    }
}

/// A stage, and how it is drawn.
struct Sheet<'a> {
    stage: &'a Stage<'a>,
    budget: Budget,
    colours: Vec<usize>,
}

impl<'a> Sheet<'a> {
    fn of(stage: &'a Stage<'a>, budget: Budget) -> Self {
        let mut sheet = Self { stage, budget, colours: Vec::new() };
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
            }
            body data-reasons=(reasons.join("|")) {
                header {
                    h1 { "I/O schedulers compared" }
                    p.lead { (summary(study)) }
                    @for (source, note) in &study.notes {
                        p.note { strong { (source) ": " } (note) }
                    }
                }
                main {
                    @for (place, of) in study.comparisons.iter().enumerate() {
                        (comparison::comparison(of, &format!("comparison-{}", place + 1)))
                    }
                    @if !study.chapters.is_empty() {
                        (overview::overview(study))
                        (overview::how_to_read())
                    }
                    @for chapter in &study.chapters {
                        (section::chapter(chapter, budget))
                    }
                }
                footer {
                    p {
                        "Made by bfq " (env!("CARGO_PKG_VERSION"))
                        ". This page is one file and fetches nothing."
                    }
                }
                script { (PreEscaped(include_str!("page/script.js"))) }
            }
        }
    };
    markup.into_string()
}

fn summary(study: &Study) -> String {
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

/// What stands at the ticks of an axis; the last one has the unit.
fn ticks(axis: &Axis, y: f64, unit: &str) -> Markup {
    let spoken = || axis.ticks.iter().filter(|tick| !tick.text.is_empty());
    let last = spoken().count().saturating_sub(1);
    html! {
        @for (place, tick) in spoken().enumerate() {
            @let anchor = match tick.percent { ..=6.0 => "start", 94.0.. => "end", _ => "middle" };
            @let between = place % 2 == 1 && place != last;
            text class=[between.then_some("between")] text-anchor=(anchor)
                x={ (number(tick.percent)) "%" } y=(number(y)) {
                (tick.text) @if place == last && !unit.is_empty() { " " (unit) }
            }
        }
    }
}

/// An axis below rows; `unit` is empty where the ticks have units of their own.
fn axis_row(axis: &Axis, unit: &str) -> Markup {
    html! {
        svg.axis height="18" width="100%" aria-hidden="true" {
            (ticks(axis, 12.0, unit))
        }
    }
}

/// A name that may be broken where its parts meet.
fn breakable(name: &str) -> Markup {
    html! {
        @for (place, part) in name.split_inclusive([':', ',', '/']).enumerate() {
            @if place > 0 { wbr; }
            (part)
        }
    }
}

/// Colours and their names.
fn legend(entries: &[(String, String)]) -> Markup {
    html! {
        ul.legend {
            @for (class, name) in entries {
                li {
                    svg width="12" height="12" aria-hidden="true" {
                        rect class=(class) width="12" height="12" {}
                    }
                    (name)
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "page/tests.rs"]
mod tests;
