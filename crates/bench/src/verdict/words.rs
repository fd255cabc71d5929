// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings in plain words: "starts 6.1 [5.2–7.0] times faster", "moves 28 % [22–31 %] less".
//!
//! This is the one place that turns findings into words. A clause is made of an [`Apart`] only, so
//! there is none for what is not sure; its interval is rounded outwards, and with as many digits as
//! it takes to keep it clear of equality.

use crate::model::{Matters, Metric, MetricKind};
use crate::statistics::{Apart, Direction, Estimate, Finding};
use base::Interval;

/// From this ratio on rates and costs are told as a multiple; less is told in percent.
const TIMES: f64 = 2.0;

/// How a difference of a metric is told; `{}` is how much.
struct Phrases {
    better: &'static str,
    worse: &'static str,
    /// Of rates and costs: several times as much.
    times: &'static str,
}

fn phrases(metric: Metric) -> Phrases {
    let (better, worse, times) = match metric {
        Metric::StartUp => ("starts {} faster", "starts {} slower", ""),
        Metric::Throughput => ("moves {} more", "moves {} less", "moves {} as much"),
        Metric::Iops => {
            ("does {} more operations", "does {} fewer operations", "does {} as many operations")
        }
        Metric::LatencyMedian => ("answers {} faster", "answers {} slower", ""),
        Metric::LatencyTail => ("has {} shorter worst waits", "has {} longer worst waits", ""),
        Metric::LateFrames => ("has {} fewer late frames", "has {} more late frames", ""),
        Metric::ShareError => ("is {} nearer to fair shares", "is {} further from fair shares", ""),
        Metric::SyncTail => ("syncs {} faster", "syncs {} slower", ""),
        Metric::CpuPerIo => (
            "takes {} less processor time for an I/O",
            "takes {} more processor time for an I/O",
            "takes {} as much processor time for an I/O",
        ),
    };
    Phrases { better, worse, times }
}

/// What the first of two does better or worse than the second.
pub(super) fn clause(metric: Metric, apart: &Apart) -> String {
    let phrases = phrases(metric);
    let (effect, is_more) = (apart.effect(), apart.effect().median >= metric.equality());
    let phrase = match apart.direction() {
        Direction::Better => phrases.better,
        Direction::Worse => phrases.worse,
    };
    let (phrase, how_much) = match (metric.kind(), is_more) {
        (MetricKind::Share, true) => (phrase, told(effect, &[0.0], " points")),
        (MetricKind::Share, false) => (phrase, told(effect.map(|value| -value), &[0.0], " points")),
        (MetricKind::Time, true) => (phrase, told(effect, &[1.0], " times")),
        (MetricKind::Time, false) => (phrase, told(effect.map(f64::recip), &[1.0], " times")),
        (MetricKind::Rate | MetricKind::Cost, true) if effect.median >= TIMES => {
            (phrases.times, told(effect, &[1.0], " times"))
        }
        (MetricKind::Rate | MetricKind::Cost, true) => {
            (phrase, percent(effect.map(|value| value - 1.0)))
        }
        (MetricKind::Rate | MetricKind::Cost, false) => {
            (phrase, percent(effect.map(|value| 1.0 - value)))
        }
    };
    phrase.replace("{}", &how_much)
}

/// What is told of any finding beside its drawing: how many times as much, or how many points more.
pub(super) fn effect(finding: &Finding, matters: Matters) -> String {
    let unit = match matters {
        Matters::Ratio { .. } => " ×",
        Matters::Points(_) => " points",
    };
    let equality = [matters.equality()];
    match finding {
        Finding::Apart(apart) => told(apart.effect(), &equality, unit),
        Finding::Slight(apart) => told(apart.effect(), &equality, unit) + ", slight",
        Finding::Open(open) => told(open.effect(), &[], unit),
        Finding::TooFew { median, .. } => {
            format!("{}{unit}, too few rounds", rounded(*median, digits(*median), f64::round))
        }
    }
}

/// What was measured, as a figure of a table: `5.1`, `5.1 (4.9–5.2)` or `5.1 [4.9–5.2]`.
pub(super) fn figure(estimate: &Estimate) -> String {
    let digits = match estimate.median().abs() {
        ..1.0 => 3,
        1.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    let median = rounded(estimate.median(), digits, f64::round);
    match estimate {
        Estimate::Once(_) => median,
        Estimate::Few(range) => format!("{median} ({})", span(range, digits, "")),
        Estimate::Known(interval) => format!("{median} [{}]", span(interval, digits, "")),
    }
}

/// `28 % [22–31 %]` of parts of a whole.
fn percent(part: Interval) -> String {
    let part = part.map(|value| 100.0 * value);
    let digits = clear_digits(&part, &[0.0, 100.0]);
    let median = rounded(part.median, digits, f64::round);
    format!("{median} % [{}]", span(&part, digits, " %"))
}

/// A median with its interval and unit, such as `6.1 [5.2–7.0] times`.
fn told(interval: Interval, outside: &[f64], unit: &str) -> String {
    let digits = clear_digits(&interval, outside);
    let median = rounded(interval.median, digits, f64::round);
    format!("{median} [{}]{unit}", span(&interval, digits, ""))
}

/// Digits with which an interval does not seem to reach what is outside of it.
fn clear_digits(interval: &Interval, outside: &[f64]) -> usize {
    const MOST_DIGITS: usize = 6;
    let is_clear = |digits: &usize| {
        let low = to_digits(interval.low, *digits, f64::floor);
        let high = to_digits(interval.high, *digits, f64::ceil);
        let seems_in = |of: &&f64| (low..=high).contains(*of);
        let is_in = |of: &f64| (interval.low..=interval.high).contains(of);
        outside.iter().filter(seems_in).all(is_in)
    };
    let mut enough = digits(interval.median)..MOST_DIGITS;
    enough.find(is_clear).unwrap_or(MOST_DIGITS)
}

/// Digits behind the point that are worth reading.
fn digits(median: f64) -> usize {
    match median.abs() {
        ..2.0 => 2,
        2.0..10.0 => 1,
        _ => 0,
    }
}

/// `5.2–7.0`; a dash would be taken for a sign beside negative numbers.
fn span(interval: &Interval, digits: usize, unit: &str) -> String {
    let low = rounded(interval.low, digits, f64::floor);
    let high = rounded(interval.high, digits, f64::ceil);
    let between = if low.starts_with('−') || high.starts_with('−') { " to " } else { "–" };
    format!("{low}{between}{high}{unit}")
}

/// Rounded to `digits` digits. What is a multiple but for the last bits of a floating point number
/// stays what it is.
fn to_digits(value: f64, digits: usize, round: fn(f64) -> f64) -> f64 {
    let scale = 10_f64.powi(digits as i32);
    let (scaled, near) = (value * scale, (value * scale).round());
    let is_multiple = (scaled - near).abs() < 1e-9 * near.abs();
    if is_multiple { near / scale } else { round(scaled) / scale }
}

/// With a true minus, and no minus at nothing.
fn rounded(value: f64, digits: usize, round: fn(f64) -> f64) -> String {
    let value = to_digits(value, digits, round);
    let text = format!("{:.digits$}", value.abs());
    let is_nothing = text.chars().all(|letter| letter == '0' || letter == '.');
    if value < 0.0 && !is_nothing { format!("−{text}") } else { text }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
