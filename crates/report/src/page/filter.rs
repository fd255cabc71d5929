// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the table of scenarios is searched and filtered by.

use crate::study::{MeasureKind, Standing, StandingOutcome, Study};
use maud::{Markup, html};

/// The outcomes, as the script names them and as people do.
const OUTCOMES: [(&str, &str); 4] = [
    ("better", "bfq is better"),
    ("level", "bfq is as good"),
    ("worse", "bfq is worse"),
    ("", "not compared"),
];

/// The name by which an outcome is filtered.
pub(super) fn outcome(standing: Option<&Standing>) -> &'static str {
    standing.map_or("", |standing| name(standing.outcome))
}

/// The name of an outcome.
pub(super) fn name(outcome: StandingOutcome) -> &'static str {
    match outcome {
        StandingOutcome::Better => "better",
        StandingOutcome::Level => "level",
        StandingOutcome::Worse => "worse",
    }
}

impl MeasureKind {
    /// What scenarios that are judged by it are called.
    pub(super) fn word(self) -> &'static str {
        match self {
            MeasureKind::StartUp => "start of a program",
            MeasureKind::Latency => "latency",
            MeasureKind::Shares => "shares by weight",
            MeasureKind::Share => "share of a job",
            MeasureKind::Rate => "throughput of a job",
            MeasureKind::Throughput => "throughput of all",
            MeasureKind::Fairness => "fairness",
            MeasureKind::Useful => "useful time",
        }
    }
}

/// The form; the script shows it and obeys it.
pub(super) fn filter(study: &Study) -> Markup {
    let mut disks: Vec<&str> = Vec::new();
    let mut kinds: Vec<MeasureKind> = Vec::new();
    let mut outcomes: Vec<&str> = Vec::new();
    let mut years: Vec<Option<u32>> = Vec::new();
    for (chapter, stage) in study.stages() {
        add(&mut disks, stage.device.name());
        stage.measures.first().into_iter().for_each(|main| add(&mut kinds, main.kind));
        add(&mut outcomes, outcome(Standing::of(stage).as_ref()));
        add(&mut years, chapter.year);
    }
    kinds.sort();
    let named = |name: &str| (name.to_owned(), name.to_owned());
    let outcomes: Vec<_> = OUTCOMES
        .iter()
        .filter(|(value, _)| outcomes.contains(value))
        .map(|(value, name)| ((*value).to_owned(), (*name).to_owned()))
        .collect();
    let time = |year: &Option<u32>| match year {
        Some(year) => (year.to_string(), format!("of {year}")),
        None => ("0".to_owned(), "today's".to_owned()),
    };
    let years: Vec<_> = years.iter().map(time).collect();
    let disks: Vec<_> = disks.into_iter().map(named).collect();
    let schedulers: Vec<_> = study.schedulers().into_iter().map(named).collect();
    let kinds: Vec<_> = kinds.into_iter().map(|kind| named(kind.word())).collect();
    html! {
        form.filter role="search" aria-label="Scenarios" {
            label.search {
                span { "Search" }
                input type="search" name="text" autocomplete="off"
                    placeholder="player, writers, s04 …";
            }
            (choice("outcome", "Outcome", &outcomes))
            (choice("disk", "Disk", &disks))
            (choice("schedulers", "Scheduler", &schedulers))
            (choice("kind", "Judged by", &kinds))
            (choice("year", "Scenarios", &years))
            div.state {
                output aria-live="polite" {}
                button type="reset" { "Show all" }
            }
        }
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// A choice of one value or all; nothing where there is only one.
fn choice(name: &str, label: &str, values: &[(String, String)]) -> Markup {
    html! {
        @if values.len() > 1 {
            label {
                span { (label) }
                select name=(name) {
                    option value="*" { "all" }
                    @for (value, shown) in values { option value=(value) { (shown) } }
                }
            }
        }
    }
}
