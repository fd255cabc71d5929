//! Simulations of the recorded scenarios against what Linux 6.1 did (`data/kernel-results.csv`).

use sim::fidelity::{
    Case, Line, Place, Recording, Verdict, cases, markdown, read_recordings, repeat,
};
use std::path::Path;

fn recordings() -> Vec<Recording> {
    read_recordings(include_str!("data/kernel-results.csv")).unwrap()
}

/// Simulates all cases that `wanted` picks and asserts that each of their lines is good enough.
fn assert_lines(wanted: impl Fn(&Case) -> bool, is_good: impl Fn(&Line) -> bool) {
    let recordings = recordings();
    let mut lines = Vec::new();
    for case in cases(&recordings).iter().filter(|case| wanted(case)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
        let jobs = workload::load(&folder.join(format!("{}.fio", case.scenario))).unwrap();
        lines.extend(repeat(&recordings, case, &jobs).unwrap());
    }
    assert!(!lines.is_empty(), "no recording was picked");
    lines.retain(|line| !is_good(line));
    assert!(lines.is_empty(), "{}", markdown(&lines));
}

fn assert_agreement(worst: Verdict, wanted: impl Fn(&Case) -> bool) {
    assert_lines(
        |case| !case.is_chaotic() && wanted(case),
        |line| matches!(line, Line::Once(once) if once.verdict() <= worst),
    );
}

#[test]
fn none_at_depth_32() {
    assert_agreement(Verdict::Agrees, |case| case.scheduler == "none" && case.depth == 32);
}

#[test]
fn mq_deadline_at_depth_32() {
    assert_agreement(Verdict::Agrees, |case| case.scheduler == "mq-deadline" && case.depth == 32);
}

#[test]
fn kyber_at_any_depth() {
    assert_agreement(Verdict::Agrees, |case| case.scheduler == "kyber");
}

#[test]
fn bfq_without_heuristics_at_depth_32() {
    // Of eight readers some have a slot every second or two, so that the end of the run cuts off a
    // good part of what they get.
    assert_agreement(Verdict::WithinSlot, |case| {
        ["bfq-ll0", "bfq-ll0-strict"].contains(&case.scheduler.as_str()) && case.depth == 32
    });
}

#[test]
fn bfq_without_heuristics_at_depth_1() {
    let scenarios = ["fair2", "fair8", "fairg4", "seq1", "seq16", "idle", "rt"];
    assert_agreement(Verdict::WithinSlot, |case| {
        ["bfq-ll0", "bfq-ll0-strict"].contains(&case.scheduler.as_str())
            && case.depth == 1
            && scenarios.contains(&case.scenario.as_str())
    });
}

#[test]
fn bfq_with_heuristics_where_it_is_not_chaotic() {
    assert_agreement(Verdict::WithinSlot, |case| case.scheduler == "bfq");
}

/// The long ones are left to `make fidelity`.
#[test]
fn bfq_with_heuristics_where_it_is_chaotic() {
    let short = |case: &Case| ["onoff1", "softrt"].contains(&case.scenario.as_str());
    assert_lines(
        |case| case.is_chaotic() && short(case) && case.disk == "hdd" && case.depth == 32,
        |line| matches!(line, Line::Orders(orders) if orders.place() <= Place::Near),
    );
}

#[test]
fn every_scenario_has_a_job_file() {
    for case in cases(&recordings()) {
        let name = format!("tests/scenarios/{}.fio", case.scenario);
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name).is_file(), "{name}");
    }
}
