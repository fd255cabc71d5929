// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clauses and figures, word for word.

use super::*;
use crate::statistics::{Finding, Paired, Question, compare};

/// The finding of nine rounds: the least value of the first, thrice the usual one, then
/// the greatest, each beside `other`. The interval of nine values reaches from the third
/// to the seventh.
fn finding(metric: Metric, [low, median, high]: [f64; 3], other: f64) -> Finding {
    let values = [low, low, low, median, median, median, high, high, high];
    let paired = |one: f64| Some(Paired { one, other });
    let question = Question { metric, rounds: values.map(paired).to_vec() };
    compare(&[question], 1, 1)[0].unwrap().finding
}

fn said(metric: Metric, values: [f64; 3], other: f64) -> String {
    clause(metric, finding(metric, values, other).apart().expect("it is sure and matters"))
}

#[test]
fn differences_are_said_in_plain_words() {
    for (metric, values, other, words) in [
        (Metric::StartUp, [1.43, 1.64, 1.92], 10.0, "starts 6.1 [5.2–7.0] times faster"),
        (Metric::StartUp, [1.8, 2.0, 2.5], 1.0, "starts 2.0 [1.8–2.5] times slower"),
        (Metric::StartUp, [7.5, 8.0, 9.0], 10.0, "starts 1.25 [1.11–1.34] times faster"),
        (
            Metric::LatencyTail,
            [1.7, 1.8, 2.2],
            1.0,
            "has 1.80 [1.70–2.20] times longer worst waits",
        ),
        (Metric::LatencyMedian, [0.5, 0.5, 0.5], 1.0, "answers 2.0 [2.0–2.0] times faster"),
        (Metric::SyncTail, [2.0, 2.5, 4.0], 10.0, "syncs 4.0 [2.5–5.0] times faster"),
        (Metric::Throughput, [57.0, 66.0, 71.0], 100.0, "moves 34 % [29–43 %] less"),
        (Metric::Throughput, [130.0, 140.0, 150.0], 100.0, "moves 40 % [30–50 %] more"),
        (Metric::Throughput, [1.02, 2.5, 2.9], 1.0, "moves 2.5 [1.01–2.9] times as much"),
        (
            Metric::Iops,
            [0.0004, 0.0005, 0.0006],
            1.0,
            "does 99.95 % [99.94–99.96 %] fewer operations",
        ),
        (Metric::Iops, [1.7, 1.9, 2.2], 1.0, "does 90 % [70–120 %] more operations"),
        (
            Metric::CpuPerIo,
            [3.0, 4.0, 5.0],
            10.0,
            "takes 60 % [50–70 %] less processor time for an I/O",
        ),
        (
            Metric::CpuPerIo,
            [2.5, 3.0, 3.5],
            1.0,
            "takes 3.0 [2.5–3.5] times as much processor time for an I/O",
        ),
        (Metric::LateFrames, [8.0, 20.0, 47.5], 50.0, "has 30 [2–42] points fewer late frames"),
        (
            Metric::ShareError,
            [4.0, 5.0, 8.0],
            0.0,
            "is 5.0 [4.0–8.0] points further from fair shares",
        ),
    ] {
        // What reaches equality once rounded gets more digits: 1.02 would else be 1.0.
        let words = words.replace("[1.01–2.9]", "[1.02–2.90]").replace("2.5 [1.02", "2.50 [1.02");
        assert_eq!(said(metric, values, other), words);
    }
}

#[test]
fn there_is_no_clause_for_what_is_not_sure_or_does_not_matter() {
    for (metric, values, other, told) in [
        (Metric::Throughput, [69.0, 72.0, 144.0], 100.0, "0.72 [0.69–1.44] ×"),
        (Metric::Throughput, [98.0, 98.5, 99.9], 100.0, "0.985 [0.980–0.999] ×, slight"),
        (Metric::LateFrames, [1.0, 2.0, 9.0], 3.0, "−1.00 [−2.00 to 6.00] points"),
    ] {
        let finding = finding(metric, values, other);
        assert!(finding.apart().is_none(), "{finding:?}");
        assert_eq!(effect(&finding, metric.info().matters), told);
    }
    let one =
        Question { metric: Metric::Iops, rounds: vec![Some(Paired { one: 41.0, other: 100.0 })] };
    let finding = compare(&[one], 1, 1)[0].unwrap().finding;
    assert!(finding.apart().is_none());
    assert_eq!(effect(&finding, Metric::Iops.info().matters), "0.41 ×, too few rounds");
}

#[test]
fn a_figure_has_as_much_of_an_interval_as_its_rounds_give() {
    for (values, shown) in [
        (&[5.126][..], "5.13"),
        (&[5.0, 5.1, 4.9], "5.00 (4.90–5.10)"),
        (&[5.0; 6], "5.00 [5.00–5.00]"),
        (&[0.05, 0.05], "0.050 (0.050–0.050)"),
        (&[150.2], "150"),
    ] {
        assert_eq!(figure(&Estimate::of(values).unwrap()), shown);
    }
}
