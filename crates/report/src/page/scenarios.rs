// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all scenarios on all disks: how bfq stands beside the best of the others, a line
//! each, which unfolds.

use super::text::breakable;
use super::{filter, how, section};
use crate::page::sheet::Budget;
use crate::study::{Chapter, Lead, MeasureKind, Standing, StandingOutcome, Study, StudyStage};
use maud::{Markup, html};

/// The columns: their names, and whether they are numbers.
const COLUMNS: [(&str, bool); 7] = [
    ("Scenario", false),
    ("Disk", false),
    ("Judged by", false),
    ("bfq", true),
    ("Best of the others", true),
    ("bfq beside it", true),
    ("All bytes", true),
];

/// The table, with what filters it and what explains it.
pub(super) fn scenarios(study: &Study, budget: Budget) -> Markup {
    let many = study.stages().count() > OPEN_STAGES;
    html! {
        section.scenarios aria-labelledby="scenarios" {
            h2 #scenarios { "Scenarios" }
            p.key {
                "Each line unfolds. bfq is better (" (mark(StandingOutcome::Better)) ") or worse ("
                (mark(StandingOutcome::Worse)) ") than the best of the others by more than chance may do: \
                 5 % of a time, 3 % of throughput, half a point of shares, 0.03 of an R. “All \
                 bytes” is what it moves, and how much that is of the most that another moves."
            }
            (how::how_to_read())
            @if many { (filter::filter(study)) }
            table.scenarios {
                thead {
                    tr {
                        @for (place, (name, is_number)) in COLUMNS.iter().enumerate() {
                            th scope="col" class=[is_number.then_some("number")]
                                data-column=(place) {
                                (name)
                            }
                        }
                    }
                }
                @for (chapter, stage) in study.stages() {
                    (row(chapter, stage, budget, many))
                }
            }
            p.none hidden { "No scenario is like that." }
        }
    }
}

/// The sign of an outcome, with its name for those who do not see it.
pub(super) fn mark(outcome: StandingOutcome) -> Markup {
    let (class, sign, name) = match outcome {
        StandingOutcome::Better => ("mark better", "▲", "better"),
        StandingOutcome::Level => ("mark level", "=", "as good"),
        StandingOutcome::Worse => ("mark worse", "▼", "worse"),
    };
    html! { span class=(class) title=(name) role="img" aria-label=(name) { (sign) } }
}

fn row(chapter: &Chapter, stage: &StudyStage, budget: Budget, many: bool) -> Markup {
    let standing = Standing::of(stage);
    let main = stage.measures.first();
    let outcome = filter::outcome(standing.as_ref());
    let order = standing.as_ref().map_or(0.0, |standing| standing.lead.order());
    let value = |place: Option<usize>| Some((main?, main?.values[place?]?));
    let bfq = value(standing.as_ref().map(|standing| standing.bfq));
    let rival = value(standing.as_ref().map(|standing| standing.rival));
    let sorted = |value: Option<(&crate::study::Measure, f64)>| value.map(|(_, value)| value);
    html! {
        tbody.stage id=(stage.id) data-outcome=(outcome) data-disk=(stage.device.name())
            data-schedulers=(schedulers(stage)) data-kind=(main.map_or("", |of| of.kind.word()))
            data-year=(chapter.year.unwrap_or(0)) {
            tr.line {
                th scope="row" {
                    span.title { (chapter.heading) }
                    @if let Some(year) = chapter.year { " " span.year { (year) } }
                }
                td data-label="Disk" { (disk(stage)) }
                td data-label="Judged by" { @if let Some(main) = main { (unbroken(&main.name)) } }
                td.number data-label="bfq" data-sort=[sorted(bfq)] {
                    @if let Some((main, value)) = bfq { (main.kind.show(value)) }
                    @else { (unranked(stage).unwrap_or_else(|| "–".to_owned())) }
                    @if let Some(variant) = standing.as_ref().and_then(|of| variant(stage, of.bfq)) {
                        span.aside { (breakable(variant)) }
                    }
                }
                td.number data-label="Best of the others" data-sort=[sorted(rival)] {
                    @if let (Some((main, value)), Some(standing)) = (rival, &standing) {
                        (main.kind.show(value))
                        span.aside { (breakable(&stage.columns[standing.rival].label)) }
                    } @else { "–" }
                }
                td.number data-label="bfq beside it" data-sort=(order) {
                    @if let (Some(standing), Some(main)) = (&standing, main) {
                        (mark(standing.outcome)) " " (beside(standing, main.kind))
                    } @else { "–" }
                }
                (all_bytes(stage, standing.as_ref()))
            }
            tr.detail {
                td colspan=(COLUMNS.len()) { (section::section(chapter, stage, budget, many)) }
            }
        }
    }
}

/// What bfq reached where it cannot be ranked.
fn unranked(stage: &StudyStage) -> Option<String> {
    stage.measures.first()?.shown(Standing::place_of_bfq(stage)?)
}

/// A name in which no unit begins a line.
fn unbroken(name: &str) -> String {
    name.replace(" %", "\u{a0}%")
}

/// The tunables that bfq had, if it was not as it is by default.
fn variant<'a>(stage: &'a StudyStage, place: usize) -> Option<&'a str> {
    Some(stage.columns[place].variant()).filter(|variant| !variant.is_empty())
}

fn disk(stage: &StudyStage) -> Markup {
    let values = stage.device.values();
    html! {
        (breakable(stage.device.name()))
        @if !values.is_empty() { span.aside { (breakable(&values)) } }
    }
}

/// The names of the schedulers, each once, between spaces.
fn schedulers(stage: &StudyStage) -> String {
    let mut names: Vec<&str> = Vec::new();
    for column in &stage.columns {
        if !names.contains(&column.run.scheduler.as_str()) {
            names.push(&column.run.scheduler);
        }
    }
    names.join(" ")
}

/// How much better or worse bfq is, in words.
pub(super) fn beside(standing: &Standing, kind: MeasureKind) -> String {
    if standing.outcome == StandingOutcome::Level {
        return "as good".to_owned();
    }
    lead(standing.lead, kind)
}

/// A lead, in words.
pub(super) fn lead(lead: Lead, kind: MeasureKind) -> String {
    let times = |times: f64| match times {
        ..10.0 => format!("{times:.1} ×"),
        _ => format!("{times:.0} ×"),
    };
    match (lead, kind) {
        (Lead::Times(ahead @ 2.0..), MeasureKind::Rate | MeasureKind::Throughput) => {
            format!("{} as much", times(ahead))
        }
        (Lead::Times(ahead @ 1.0..), MeasureKind::Rate | MeasureKind::Throughput) => {
            format!("{:.0} % more", (ahead - 1.0) * 100.0)
        }
        (Lead::Times(ahead), MeasureKind::Rate | MeasureKind::Throughput) => {
            format!("{:.0} % less", (1.0 - ahead) * 100.0)
        }
        (Lead::Times(ahead @ 1.0..), _) => format!("{} shorter", times(ahead)),
        (Lead::Times(ahead), _) => format!("{} longer", times(1.0 / ahead)),
        (Lead::Points(points @ 0.0..), MeasureKind::Shares) => format!("{points:.1} points nearer"),
        (Lead::Points(points), MeasureKind::Shares) => format!("{:.1} points farther", -points),
        (Lead::Points(points @ 0.0..), MeasureKind::Fairness | MeasureKind::Useful) => {
            format!("{:.2} more", points / 100.0)
        }
        (Lead::Points(points), MeasureKind::Fairness | MeasureKind::Useful) => {
            format!("{:.2} less", -points / 100.0)
        }
        (Lead::Points(points @ 0.0..), _) => format!("{points:.1} points more"),
        (Lead::Points(points), _) => format!("{:.1} points less", -points),
    }
}

/// The part of the greatest throughput of another that bfq has.
pub(super) fn part_of_throughput(stage: &StudyStage, standing: &Standing) -> Option<(f64, f64)> {
    let throughput =
        stage.measures.iter().find(|measure| measure.kind == MeasureKind::Throughput)?;
    let own = throughput.values[standing.bfq]?;
    let others = stage.columns.iter().zip(&throughput.values);
    let others = others.filter(|(column, _)| column.run.scheduler != "bfq");
    let most = others.filter_map(|(_, value)| *value).fold(0.0, f64::max);
    (most > 0.0).then(|| (own, own / most))
}

fn all_bytes(stage: &StudyStage, standing: Option<&Standing>) -> Markup {
    let moved = standing.and_then(|standing| part_of_throughput(stage, standing));
    let judged = stage.measures.first().is_some_and(|main| main.kind == MeasureKind::Throughput);
    html! {
        td.number data-label="All bytes" data-sort=[moved.map(|(_, part)| part)] {
            @match moved {
                Some(_) if judged => span.aside { "as judged" },
                Some((own, part)) => {
                    (MeasureKind::Throughput.show(own))
                    span.aside { (format!("{:.0} %", part * 100.0)) }
                }
                None => "–",
            }
        }
    }
}

/// A report of up to this number of scenarios on disks begins with all rows open, and needs no
/// script to show its drawings.
pub(super) const OPEN_STAGES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_in_words() {
        for (of, kind, words) in [
            (Lead::Times(8.24), MeasureKind::StartUp, "8.2 × shorter"),
            (Lead::Times(0.05), MeasureKind::Latency, "20 × longer"),
            (Lead::Times(1.12), MeasureKind::Throughput, "12 % more"),
            (Lead::Times(0.69), MeasureKind::Rate, "31 % less"),
            (Lead::Times(2.5), MeasureKind::Throughput, "2.5 × as much"),
            (Lead::Points(24.9), MeasureKind::Shares, "24.9 points nearer"),
            (Lead::Points(-1.0), MeasureKind::Shares, "1.0 points farther"),
            (Lead::Points(-7.25), MeasureKind::Share, "7.2 points less"),
            (Lead::Points(45.2), MeasureKind::Fairness, "0.45 more"),
            (Lead::Points(-5.0), MeasureKind::Useful, "0.05 less"),
        ] {
            assert_eq!(lead(of, kind), words);
        }
    }
}
