// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of many scenarios sees first: what bfq wins, what it loses, and where it
//! does not matter.

use super::filter;
use super::scenarios::{lead, mark, part_of_throughput};
use crate::study::{Chapter, Lead, MeasureKind, Standing, StandingOutcome, Study, StudyStage};
use maud::{Markup, html};

/// A scenario on a disk in which bfq was compared.
struct Case<'a> {
    chapter: &'a Chapter<'a>,
    stage: &'a StudyStage<'a>,
    kind: MeasureKind,
    standing: Standing,
}

/// The three outcomes side by side; nothing where bfq was compared with no other scheduler.
pub(super) fn summary(study: &Study) -> Markup {
    let case = |(chapter, stage)| case(chapter, stage);
    let cases: Vec<Case> = study.stages().filter_map(case).collect();
    html! {
        @if !cases.is_empty() {
            section.summary aria-labelledby="summary" {
                h2 #summary { "bfq beside the best of the others" }
                p {
                    (cases.len()) " cases: a scenario on a disk each, judged by what it is about. \
                     The best of the others is whichever scheduler did best in that case, so the \
                     rival is another in each."
                }
                div.outcomes {
                    (outcome(&cases, StandingOutcome::Better))
                    (outcome(&cases, StandingOutcome::Worse))
                    (outcome(&cases, StandingOutcome::Level))
                }
            }
        }
    }
}

fn case<'a>(chapter: &'a Chapter<'a>, stage: &'a StudyStage<'a>) -> Option<Case<'a>> {
    let standing = Standing::of(stage)?;
    Some(Case { chapter, stage, kind: stage.measures.first()?.kind, standing })
}

fn outcome(cases: &[Case], outcome: StandingOutcome) -> Markup {
    let (title, meaning) = match outcome {
        StandingOutcome::Better => ("bfq wins", "Better than every other."),
        StandingOutcome::Worse => ("bfq loses", "At least one other is better."),
        StandingOutcome::Level => {
            ("It does not matter", "bfq is as good as the best of the others.")
        }
    };
    let of_outcome = |case: &&Case| case.standing.outcome == outcome;
    let count = cases.iter().filter(of_outcome).count();
    let mut kinds: Vec<MeasureKind> =
        cases.iter().filter(of_outcome).map(|case| case.kind).collect();
    kinds.sort();
    kinds.dedup();
    html! {
        div.outcome data-outcome=(filter::name(outcome)) {
            h3 { (mark(outcome)) " " (title) " " span.count { (count) " of " (cases.len()) } }
            p { (meaning) }
            @if count > 0 {
                ul {
                    @for kind in kinds { (of_kind(cases, outcome, kind)) }
                    @if outcome == StandingOutcome::Better { (price(cases)) }
                }
            }
        }
    }
}

/// The cases of a kind that came out so: how many, how far apart, and the one farthest apart.
fn of_kind(cases: &[Case], outcome: StandingOutcome, kind: MeasureKind) -> Markup {
    let all = cases.iter().filter(|case| case.kind == kind);
    let mut these: Vec<&Case> =
        all.clone().filter(|case| case.standing.outcome == outcome).collect();
    these.sort_by(|one, other| {
        let order = |case: &Case| case.standing.lead.order().abs();
        order(one).total_cmp(&order(other))
    });
    let leads: Vec<Lead> = these.iter().map(|case| case.standing.lead).collect();
    html! {
        li {
            strong { (capital(kind.word())) } ", " (these.len()) " of " (all.count())
            @if let ([.., farthest], true) = (&these[..], outcome != StandingOutcome::Level) {
                ": "
                @if leads.len() > 2 { (lead(leads[leads.len() / 2], kind)) " in the median, " }
                @if leads.len() > 1 { "up to " }
                (lead(farthest.standing.lead, kind)) ": " (link(farthest))
            }
        }
    }
}

/// What bfq pays in throughput where it wins something else.
fn price(cases: &[Case]) -> Markup {
    let won = cases.iter().filter(|case| {
        case.standing.outcome == StandingOutcome::Better
            && !matches!(case.kind, MeasureKind::Throughput | MeasureKind::Rate)
    });
    let mut parts: Vec<(f64, &Case)> = won
        .filter_map(|case| Some((part_of_throughput(case.stage, &case.standing)?.1, case)))
        .collect();
    parts.sort_by(|one, other| one.0.total_cmp(&other.0));
    html! {
        @if let [(least, case), ..] = &parts[..] {
            li {
                strong { "What it pays" } ": of the bytes of whoever moves most it moves "
                (format!("{:.0} %", parts[parts.len() / 2].0 * 100.0)) " in the median, \
                 as little as " (format!("{:.0} %", least * 100.0)) ": " (link(case))
            }
        }
    }
}

fn link(case: &Case) -> Markup {
    html! {
        a href={ "#" (case.stage.id) } { (case.chapter.heading) }
        span.where { ", " (case.stage.device.label()) }
    }
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
