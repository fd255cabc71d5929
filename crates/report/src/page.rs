// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as a page: one file of HTML that needs nothing else, with drawings in SVG.
//!
//! First a summary, then a table of all scenarios, whose rows unfold. Drawings are made here; in a
//! report of many scenarios they are packed, and a small script unpacks those of a row when it is
//! opened. The script also filters, sorts, zooms and copies. Drawings have no fixed width: places
//! across are in percent, or in a view box of their own, so that text keeps its size on a phone.

mod axis;
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
mod sheet;
mod summary;
mod tables;
mod text;

use crate::page::scenarios::OPEN_STAGES;
use crate::page::sheet::Budget;
use crate::study::Study;
use crate::timeline::REASONS;
use maud::{DOCTYPE, PreEscaped, html};

/// Colours and fonts of pages, light and dark, as variables of a style sheet.
pub const PALETTE: &str = include_str!("page/palette.css");

/// The whole page of a study, as one HTML document.
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
                style { (PreEscaped(PALETTE)) (PreEscaped(include_str!("page/style.css"))) }
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

#[cfg(test)]
#[path = "page/tests.rs"]
mod tests;
