// SPDX-License-Identifier: MIT OR Apache-2.0
//! What unfolds below a row: what the scenario is, what each scheduler made of it, the drawings,
//! the tables and the way to repeat it.

use super::text::{breakable, legend, prose};
use super::{bars, latency, packed, rates, schedule, tables};
use crate::page::sheet::{Budget, Drawn, Sheet};
use crate::study::{Chapter, Measure, MeasureKind, StudyStage, ratio, subject};
use maud::{Markup, html};

/// Paragraphs of a job file's header that are for programs.
const FOR_PROGRAMS: [&str; 2] = ["Run", "Measure"];

/// All of a scenario on a device; drawings as they are, or packed.
pub(super) fn section(chapter: &Chapter, stage: &StudyStage, budget: Budget, pack: bool) -> Markup {
    let sheet = Sheet::of(stage, budget);
    let finer = html! {
        (drawings(&sheet))
        (tables::results(stage))
        (tables::inner_workings(stage))
    };
    html! {
        (about(chapter, stage))
        (made_of_it(&sheet))
        @for sentence in stage.stopped.iter().chain(&sheet.same) { p.same { (prose(sentence)) } }
        @if !stage.origins.is_empty() {
            p.same {
                @for (number, origin) in stage.origins.iter().enumerate() {
                    @if number > 0 { br; }
                    (breakable(&origin.labels)) ": " (breakable(&origin.result))
                }
            }
        }
        @if pack { (packed::packed(&finer)) } @else { (finer) }
        (to_repeat(stage))
    }
}

fn about(chapter: &Chapter, stage: &StudyStage) -> Markup {
    let for_people = |(name, _): &(&str, &String)| !FOR_PROGRAMS.contains(name);
    html! {
        p.files {
            @if let Some(scenario) = chapter.scenario {
                @for file in &scenario.files { code { (breakable(file)) } " " }
            }
            "on " (breakable(stage.device.name())) ": " (device(stage))
        }
        @if let Some(scenario) = chapter.scenario {
            dl.notes {
                @for (name, text) in scenario.notes.iter().filter(for_people) {
                    dt { (name) } dd { (text) }
                }
            }
        }
    }
}

fn device(stage: &StudyStage) -> String {
    let device = stage.device;
    let mut text = String::from(if stage.simulated { "simulated" } else { "real" });
    text += if device.rotational { ", rotational" } else { ", solid state" };
    text += &format!(", depth {}", device.depth);
    for (name, value) in device.overrides.iter() {
        text += &format!(", {name}={value}");
    }
    text
}

/// What was measured under each scheduler, what the scenario is about first.
fn made_of_it(sheet: &Sheet) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="What each scheduler made of it" {
            table.measures {
                thead {
                    tr {
                        th scope="col" { "Measured" }
                        @for drawn in &sheet.drawn { th scope="col" { (breakable(&drawn.label)) } }
                    }
                }
                tbody {
                    @for measure in &sheet.stage.measures {
                        tr {
                            th scope="row" { (subject(measure)) "…" }
                            @for drawn in &sheet.drawn {
                                td data-label=(drawn.label) { (value(measure, drawn)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn value(measure: &Measure, drawn: &Drawn) -> Markup {
    let Some(value) = drawn.of(measure) else {
        return html! { (measure.shown(drawn.place).unwrap_or_else(|| "–".to_owned())) };
    };
    let shown = measure.kind.show(value);
    let best = measure.best().unwrap_or(value);
    html! {
        @if !measure.tells_apart() {
            (shown)
        } @else if measure.is_best(value) {
            span.best { (shown) }
        } @else {
            (shown)
            @if let Some(ratio) = ratio(measure, value, best) { span.aside { (ratio) } }
        }
    }
}

fn drawings(sheet: &Sheet) -> Markup {
    let name = |(place, part): (usize, &crate::study::Participant)| {
        (sheet.class(place), part.name.clone())
    };
    let parts: Vec<(String, String)> = sheet.stage.parts.iter().enumerate().map(name).collect();
    html! {
        @if parts.len() > 1 { (legend(&parts)) }
        div.pair {
            (bars::throughput(sheet))
            (bars::shares(sheet))
            @for measure in sheet.stage.measures.iter().filter(|one| one.kind == MeasureKind::StartUp) {
                (bars::start_up(sheet, measure))
            }
        }
        div.pair { (latency::latencies(sheet)) }
        (rates::throughput(sheet))
        (schedule::schedules(sheet))
    }
}

fn to_repeat(stage: &StudyStage) -> Markup {
    let mut commands: Vec<&str> = Vec::new();
    for scenario in stage.columns.iter().filter_map(|column| column.run.scenario.as_ref()) {
        if !commands.contains(&scenario.command.as_str()) {
            commands.push(&scenario.command);
        }
    }
    html! {
        @if !commands.is_empty() {
            div.repeat {
                h3 { "To repeat it" }
                (tables::copyable_text(&commands.join("\n")))
            }
        }
    }
}
