//! Differences in plain words: "starts 6.1 [5.2–7.0] times faster", "costs 2 % [0–4 %] throughput".

use super::Answer;
use crate::model::{Better, Matters, Metric};
use crate::statistics::Interval;

/// From this ratio on people say "times", below it "percent".
const TIMES: f64 = 1.5;

/// What is said of a metric in which one candidate is better or worse; `{}` is how much.
struct Phrases {
    better: &'static str,
    worse: &'static str,
}

fn phrases(metric: Metric) -> Phrases {
    let (better, worse) = match metric {
        Metric::StartUp => ("starts {} faster", "starts {} slower"),
        Metric::Throughput => ("moves {} more", "costs {} throughput"),
        Metric::Iops => ("does {} more operations", "costs {} of the operations"),
        Metric::LatencyMedian => ("answers {} sooner", "answers {} later"),
        Metric::LatencyTail => ("has {} shorter worst waits", "has {} longer worst waits"),
        Metric::LateFrames => ("has {} points fewer late frames", "has {} points more late frames"),
        Metric::ShareError => {
            ("is {} points nearer to fair shares", "is {} points further from fair shares")
        }
        Metric::SyncTail => ("syncs {} faster", "syncs {} slower"),
        Metric::CpuPerIo => {
            ("takes {} less processor time for an I/O", "takes {} more processor time for an I/O")
        }
    };
    Phrases { better, worse }
}

/// What the first of two does better or worse than the second.
pub(super) fn phrase(answer: &Answer) -> String {
    let effect = answer.difference.effect;
    let info = answer.metric.info();
    let equal = match info.matters {
        Matters::Ratio { .. } => 1.0,
        Matters::Points(_) => 0.0,
    };
    let better = match info.better {
        Better::Higher => effect.median >= equal,
        Better::Lower => effect.median <= equal,
    };
    let phrases = phrases(answer.metric);
    let how_much = match info.matters {
        Matters::Points(_) => {
            let more = if effect.median >= 0.0 { effect } else { mapped(effect, |value| -value) };
            format!("{} {}", decimal(more.median), range(more, decimal, ""))
        }
        Matters::Ratio { .. } => of_ratio(answer.metric, effect, better),
    };
    let phrase = if better { phrases.better } else { phrases.worse };
    phrase.replace("{}", &how_much)
}

/// `6.1 [5.2–7.0] times` or `2 % [0–4 %]`.
fn of_ratio(metric: Metric, effect: Interval, better: bool) -> String {
    // What people compare with is what there was before: a rate becomes less by a part of itself,
    // a time is so many times as short or as long. Processor time is a cost like a price.
    let part = |value: f64| 100.0 * (value - 1.0);
    let (times, percent) = match (metric, better) {
        (Metric::Throughput | Metric::Iops, true) => (effect, mapped(effect, part)),
        (Metric::Throughput | Metric::Iops, false) => {
            let lost = mapped(effect, |value| 100.0 * (1.0 - value));
            return format!("{} % {}", whole(lost.median), range(lost, whole, " %"));
        }
        (Metric::CpuPerIo, true) => {
            let saved = mapped(effect, |value| 100.0 * (1.0 - value));
            return format!("{} % {}", whole(saved.median), range(saved, whole, " %"));
        }
        (_, true) => {
            let inverse = mapped(effect, |value| 1.0 / value);
            (inverse, mapped(inverse, part))
        }
        (_, false) => (effect, mapped(effect, part)),
    };
    match times.median >= TIMES {
        true => format!("{} {} times", decimal(times.median), range(times, decimal, "")),
        false => format!("{} % {}", whole(percent.median), range(percent, whole, " %")),
    }
}

/// An interval on another scale, which may turn it round.
fn mapped(interval: Interval, scale: impl Fn(f64) -> f64) -> Interval {
    let (one, other) = (scale(interval.low), scale(interval.high));
    Interval { median: scale(interval.median), low: one.min(other), high: one.max(other) }
}

/// `[5.2–7.0]`; a dash would be taken for a sign beside negative numbers.
fn range(interval: Interval, show: fn(f64) -> String, unit: &str) -> String {
    let (low, high) = (show(interval.low), show(interval.high));
    let between = if low.starts_with('−') || high.starts_with('−') { " to " } else { "–" };
    format!("[{low}{between}{high}{unit}]")
}

/// With a true minus, and no minus at nothing.
fn signed(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|letter| letter == '0' || letter == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

fn decimal(value: f64) -> String {
    match value.abs() {
        ..10.0 => signed(format!("{value:.1}")),
        _ => whole(value),
    }
}

fn whole(value: f64) -> String {
    signed(format!("{value:.0}"))
}

/// A median with its interval, as a figure of a table.
pub(super) fn figure(interval: &Interval) -> String {
    let digits = match interval.median.abs() {
        ..1.0 => 3,
        1.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    let show = |value: f64| format!("{value:.digits$}");
    format!("{} [{}–{}]", show(interval.median), show(interval.low), show(interval.high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Difference, Finding};

    fn said(metric: Metric, median: f64, low: f64, high: f64) -> String {
        let effect = Interval { median, low, high };
        let difference = Difference { effect, p: 0.01, rounds: 10, finding: Finding::Better };
        phrase(&Answer { scenario: "any".to_owned(), metric, difference })
    }

    #[test]
    fn differences_are_said_in_plain_words() {
        for (metric, [median, low, high], words) in [
            (Metric::StartUp, [0.164, 0.143, 0.192], "starts 6.1 [5.2–7.0] times faster"),
            (Metric::StartUp, [2.0, 1.8, 2.5], "starts 2.0 [1.8–2.5] times slower"),
            (Metric::StartUp, [0.8, 0.75, 0.9], "starts 25 % [11–33 %] faster"),
            (Metric::Throughput, [0.98, 0.96, 1.0], "costs 2 % [0–4 %] throughput"),
            (Metric::Throughput, [0.98, 0.95, 1.01], "costs 2 % [−1 to 5 %] throughput"),
            (Metric::Throughput, [0.25, 0.2, 0.3], "costs 75 % [70–80 %] throughput"),
            (Metric::Iops, [1.9, 1.7, 2.2], "does 1.9 [1.7–2.2] times more operations"),
            (
                Metric::CpuPerIo,
                [0.4, 0.3, 0.5],
                "takes 60 % [50–70 %] less processor time for an I/O",
            ),
            (Metric::LateFrames, [-30.0, -42.0, -2.5], "has 30 [2.5–42] points fewer late frames"),
            (
                Metric::ShareError,
                [5.0, -1.0, 8.0],
                "is 5.0 [−1.0 to 8.0] points further from fair shares",
            ),
        ] {
            assert_eq!(said(metric, median, low, high), words);
        }
    }
}
