//! A scenario: what it is, and for each device the verdict, the drawings, the tables and the way to
//! repeat it.

use super::{Budget, Sheet, bars, latency, legend, rates, schedule, tables};
use crate::study::{Chapter, Kind, Stage};
use maud::{Markup, html};

/// Paragraphs of a job file's header that are for programs.
const FOR_PROGRAMS: [&str; 2] = ["Run", "Measure"];

/// All of a scenario.
pub(super) fn chapter(chapter: &Chapter, budget: Budget) -> Markup {
    html! {
        section.chapter aria-labelledby=(chapter.id) {
            h2 #(chapter.id) { (chapter.title()) }
            @if let Some(scenario) = chapter.scenario {
                p.files { @for file in &scenario.files { code { (file) } " " } }
                @let for_people = |(name, _): &(&str, &String)| !FOR_PROGRAMS.contains(name);
                dl.notes {
                    @for (name, text) in scenario.notes.iter().filter(for_people) {
                        dt { (name) } dd { (text) }
                    }
                }
            }
            @for stage in &chapter.stages {
                (of_device(stage, budget))
            }
            @if !chapter.commands.is_empty() {
                div.repeat {
                    h3 { "To repeat it" }
                    (tables::copyable_text(&chapter.commands.join("\n")))
                }
            }
        }
    }
}

fn of_device(stage: &Stage, budget: Budget) -> Markup {
    let sheet = Sheet::of(stage, budget);
    let parts: Vec<(String, String)> = stage
        .parts
        .iter()
        .enumerate()
        .map(|(place, part)| (sheet.class(place), part.name.clone()))
        .collect();
    html! {
        section.stage aria-labelledby=(stage.id) {
            h3 #(stage.id) { (stage.device.name()) " " small { (device(stage)) } }
            div.verdict { @for sentence in &stage.verdict { p { (sentence) } } }
            @if parts.len() > 1 { (legend(&parts)) }
            div.pair {
                (bars::throughput(&sheet))
                (bars::shares(&sheet))
                @for measure in stage.measures.iter().filter(|one| one.kind == Kind::StartUp) {
                    (bars::start_up(&sheet, measure))
                }
            }
            div.pair { (latency::latencies(&sheet)) }
            (rates::throughput(&sheet))
            (schedule::schedules(&sheet))
            (tables::tables(stage))
        }
    }
}

fn device(stage: &Stage) -> String {
    let device = stage.device;
    let mut text = String::from(if stage.simulated { "simulated" } else { "real" });
    text += if device.rotational { ", rotational" } else { ", solid state" };
    text += &format!(", depth {}", device.depth);
    for (name, value) in device.overrides.iter() {
        text += &format!(", {name}={value}");
    }
    text
}
