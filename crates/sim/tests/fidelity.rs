//! Simulations of the recorded scenarios against what Linux 6.1 did (`data/kernel-results.csv`).

use runner::SimultaneousOrder;
use sim::fidelity::{
    Case, Recording, Verdict, cases, compare, markdown, read_recordings, run_case,
};
use std::path::Path;

fn recordings() -> Vec<Recording> {
    read_recordings(include_str!("data/kernel-results.csv")).unwrap()
}

/// Simulates all cases that `wanted` picks and asserts that each of their lines gets one of the
/// `accepted` verdicts.
fn assert_agreement(accepted: &[Verdict], wanted: impl Fn(&Case) -> bool) {
    let recordings = recordings();
    let mut differing = Vec::new();
    let mut compared = 0;
    for case in cases(&recordings).iter().filter(|case| wanted(case)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
        let jobs = workload::load(&folder.join(format!("{}.fio", case.scenario))).unwrap();
        let simulated = run_case(case, &jobs, SimultaneousOrder::AsCreated).unwrap();
        let comparisons = compare(&recordings, case, &simulated).unwrap();
        compared += comparisons.len();
        differing
            .extend(comparisons.into_iter().filter(|line| !accepted.contains(&line.verdict())));
    }
    assert!(compared > 0, "no recording was picked");
    assert!(differing.is_empty(), "{}", markdown(&differing));
}

#[test]
fn none_at_depth_32() {
    assert_agreement(&[Verdict::Agrees], |case| case.scheduler == "none" && case.depth == 32);
}

#[test]
fn mq_deadline_at_depth_32() {
    assert_agreement(&[Verdict::Agrees], |case| {
        case.scheduler == "mq-deadline" && case.depth == 32
    });
}

#[test]
fn kyber_at_any_depth() {
    assert_agreement(&[Verdict::Agrees], |case| case.scheduler == "kyber");
}

#[test]
fn bfq_without_heuristics_at_depth_32() {
    assert_agreement(&[Verdict::Agrees], |case| {
        ["bfq-ll0", "bfq-ll0-strict"].contains(&case.scheduler.as_str()) && case.depth == 32
    });
}

#[test]
fn bfq_without_heuristics_at_depth_1() {
    let scenarios = ["fair2", "fair8", "fairg4", "seq1", "seq16", "idle", "rt"];
    // Of eight readers the lightest has a slot every second or two, so that the end of the run
    // cuts off a good part of what it gets.
    assert_agreement(&[Verdict::Agrees, Verdict::WithinSlot], |case| {
        ["bfq-ll0", "bfq-ll0-strict"].contains(&case.scheduler.as_str())
            && case.depth == 1
            && scenarios.contains(&case.scenario.as_str())
    });
}

#[test]
fn bfq_with_heuristics_where_it_is_not_chaotic() {
    // onoff1, onoff8 and softrt have many default readers, and hang on who is first.
    let chaotic = ["onoff1", "onoff8", "softrt"];
    assert_agreement(&[Verdict::Agrees, Verdict::WithinSlot], |case| {
        case.scheduler == "bfq" && !chaotic.contains(&case.scenario.as_str())
    });
}

#[test]
fn every_scenario_has_a_job_file() {
    for case in cases(&recordings()) {
        let name = format!("tests/scenarios/{}.fio", case.scenario);
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name).is_file(), "{name}");
    }
}
