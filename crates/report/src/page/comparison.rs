//! Candidates compared over rounds: advice, and for each metric how much better or worse each of
//! them is than the reference, with intervals.

use super::scale::{Axis, number, with_step};
use super::tables::table;
use super::{axis_row, breakable, grid};
use crate::comparison::{ComparedMetric, Comparison, Effect, Finding};
use maud::{Markup, html};

/// All of a comparison.
pub(super) fn comparison(comparison: &Comparison, id: &str) -> Markup {
    let reference = &comparison.candidates[comparison.reference];
    html! {
        section.chapter.comparison aria-labelledby=(id) {
            h2 #(id) { (comparison.title) }
            p.files { (comparison.about.join(" ")) }
            div.verdict { @for advice in &comparison.advice { p { (advice) } } }
            p { (comparison.sureness) }
            @if !comparison.untested.is_empty() {
                details {
                    summary { "Not tested" }
                    ul { @for one in &comparison.untested { li { (one) } } }
                }
            }
            h3 { "Beside " (reference) }
            p.key {
                "Dots are medians of the rounds' ratios, lines their 95 % intervals; to the right of \
                 the middle is better than " (reference) ", to the left worse. Grey means that no \
                 difference was found, a broken line that there were too few rounds for more than a \
                 hint."
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
    let (even, unit) = if metric.by_ratio { (1.0, "×") } else { (0.0, "points") };
    html! {
        figure.bars.effects {
            figcaption { (metric.what_happens) span.unit { ": " (metric.metric) } }
            div.rows {
                @for (name, effect) in &known {
                    div.label { (breakable(name)) }
                    (drawn(name, effect, metric.by_ratio, even, &axis))
                    div.value { (effect.shown(metric.by_ratio)) }
                }
                (axis_row(&axis, unit))
            }
        }
    }
}

/// An axis on which all intervals fit, and what makes no difference.
fn axis(by_ratio: bool, known: &[(&String, &Effect)]) -> Axis {
    let lows = known.iter().map(|(_, effect)| effect.size.low);
    let highs = known.iter().map(|(_, effect)| effect.size.high);
    let (least, most) = (lows.fold(f64::INFINITY, f64::min), highs.fold(0.0, f64::max));
    match by_ratio {
        true => Axis::ratios(least, most),
        false => Axis::span(least.min(-1.0) * 1.1, most.max(1.0) * 1.1, with_step),
    }
}

fn drawn(name: &str, effect: &Effect, by_ratio: bool, even: f64, axis: &Axis) -> Markup {
    let at = |value: f64| format!("{}%", number(axis.percent(value)));
    let (colour, broken) = match effect.finding {
        Finding::Better => (3, false),
        Finding::Worse => (0, false),
        Finding::SeemsBetter => (3, true),
        Finding::SeemsWorse => (0, true),
        Finding::None => (7, false),
    };
    html! {
        svg.effect role="img" height="18" width="100%" {
            title { (name) ": " (effect.shown(by_ratio)) ", " (effect.finding.word()) }
            (grid(axis))
            line.even x1=(at(even)) x2=(at(even)) y1="0" y2="18" {}
            line class={ "interval s" (colour) @if broken { " broken" } }
                x1=(at(effect.size.low)) x2=(at(effect.size.high)) y1="9" y2="9" {}
            circle class={ "c" (colour) } cx=(at(effect.size.median)) cy="9" r="4.5" {}
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
        row.extend(values.map(|value| value.map_or("–".to_owned(), |value| value.shown())));
        row
    };
    let rows: Vec<Vec<String>> = comparison.metrics.iter().map(row).collect();
    html! {
        details.data {
            summary { "All figures" }
            (table("Medians of the rounds, with 95 % intervals", &head, &rows))
        }
    }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
