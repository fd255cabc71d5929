// SPDX-License-Identifier: MIT OR Apache-2.0
//! Candidates compared over rounds: advice, and for each metric how much better or worse each of
//! them is than the reference, with intervals.

use super::scale::{Axis, number, with_step};
use super::tables::table;
use super::text::{breakable, prose};
use crate::comparison::{ComparedMetric, Comparison, Effect, Shade};
use crate::page::axis::{axis_row, grid};
use maud::{Markup, html};

/// All of a comparison.
pub(super) fn comparison(comparison: &Comparison, id: &str) -> Markup {
    let reference = &comparison.candidates[comparison.reference];
    html! {
        section.chapter.comparison aria-labelledby=(id) {
            h2 #(id) { (comparison.title) }
            p.files { (comparison.about.join(" ")) }
            div.verdict { @for advice in &comparison.advice { p { (prose(advice)) } } }
            p { (prose(&comparison.sureness)) }
            @if !comparison.untested.is_empty() {
                details {
                    summary { "Not tested" }
                    ul { @for one in &comparison.untested { li { (prose(one)) } } }
                }
            }
            h3 { "Beside " (breakable(reference)) }
            p.key {
                "Dots are medians of the rounds' ratios, lines their 95 % intervals; to the right of \
                 the dark line is better than " (reference) ", to the left worse. Grey with a line \
                 that reaches the dark one is what was not told apart; other grey lines are \
                 differences too slight to matter. A dot without a line had too few rounds to tell \
                 anything. An arrow is an interval that goes on."
            }
            div.pair {
                @for metric in &comparison.metrics { (effects(comparison, metric)) }
            }
            (figures(comparison))
        }
    }
}

/// What was measured of a metric, if anything was compared.
fn effects(comparison: &Comparison, metric: &ComparedMetric) -> Markup {
    let known: Vec<(&String, &Effect)> = comparison
        .candidates
        .iter()
        .zip(&metric.effects)
        .filter_map(|(name, effect)| Some((name, effect.as_ref()?)))
        .collect();
    if known.is_empty() {
        return html! {};
    }
    let axis = axis(metric.by_ratio, &known);
    let (even, unit) =
        if metric.by_ratio { (1.0, "times as good") } else { (0.0, "points better") };
    html! {
        figure.bars.effects {
            figcaption {
                (metric.what_happens) span.unit { ": " (metric.metric) ", " (unit) }
            }
            div.rows {
                @for (name, effect) in &known {
                    div.row {
                        div.label { (breakable(name)) }
                        div."value first" { (effect.words) }
                        (drawn(name, effect, even, &axis))
                    }
                }
                (axis_row(&axis))
            }
        }
    }
}

/// An axis that has all medians and what makes no difference. An interval that would take more room
/// than all of those is cut.
fn axis(by_ratio: bool, known: &[(&String, &Effect)]) -> Axis {
    // Where a value lies, beside 0 for what makes no difference.
    let place = |value: f64| if by_ratio { value.max(1e-9).ln() } else { value };
    let ends = |effect: &Effect| effect.interval.unwrap_or([effect.median; 2]).map(place);
    let effects = || known.iter().map(|(_, effect)| *effect);
    let medians = || effects().map(|effect| place(effect.median));
    let (first, last) = (medians().fold(0.0, f64::min), medians().fold(0.0, f64::max));
    let room = (last - first).max(if by_ratio { 2_f64.ln() } else { 1.0 });
    let least = effects().map(|effect| ends(effect)[0]).fold(first, f64::min).max(first - room);
    let most = effects().map(|effect| ends(effect)[1]).fold(last, f64::max).min(last + room);
    match by_ratio {
        true => Axis::ratios(least.exp(), most.exp()),
        false => Axis::span(least.min(-1.0) * 1.1, most.max(1.0) * 1.1, with_step),
    }
}

fn drawn(name: &str, effect: &Effect, even: f64, axis: &Axis) -> Markup {
    let at = |value: f64| format!("{}%", number(axis.percent(value)));
    let colour = match effect.shade {
        Shade::Better => 3,
        Shade::Worse => 0,
        Shade::Slight | Shade::Open | Shade::TooFew => 7,
    };
    html! {
        svg.effect role="img" height="18" width="100%" {
            title { (name) ": " (effect.words) ", " (effect.shade.word()) }
            (grid(axis))
            line.even x1=(at(even)) x2=(at(even)) y1="0" y2="18" {}
            @if let Some([low, high]) = effect.interval {
                line class={ "interval s" (colour) } x1=(at(low)) x2=(at(high)) y1="9" y2="9" {}
                @for (end, turn) in [(low, 180), (high, 0)] {
                    @if axis.cuts(end) {
                        svg.goes-on x=(at(end)) y="9" width="1" height="1" {
                            path class={ "c" (colour) } d="M0 -6L7 0L0 6Z"
                                transform={ "rotate(" (turn) ")" } {}
                        }
                    }
                }
            }
            circle class={ "c" (colour) } cx=(at(effect.median)) cy="9" r="4.5" {}
        }
    }
}

/// Medians with intervals, as a table.
fn figures(comparison: &Comparison) -> Markup {
    let mut head = vec!["scenario", "measured"];
    head.extend(comparison.candidates.iter().map(String::as_str));
    let row = |metric: &ComparedMetric| {
        let mut row = vec![metric.scenario.clone(), format!("{}, {}", metric.metric, metric.unit)];
        let values = metric.values.iter();
        row.extend(values.map(|value| value.clone().unwrap_or("–".to_owned())));
        row
    };
    let rows: Vec<Vec<String>> = comparison.metrics.iter().map(row).collect();
    html! {
        details.data {
            summary { "All figures" }
            (table("Medians of the rounds, with 95 % intervals in brackets, or least and greatest \
                in parentheses", &head, &rows))
        }
    }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
