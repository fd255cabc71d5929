// SPDX-License-Identifier: MIT OR Apache-2.0
//! A short glossary of what occurs in an explanation, for newcomers.

use crate::cause::CauseKind;
use crate::explanation::{CauseRow, Explanation};
use crate::phases;
use bfq::PolicyName;

/// Terms of bfq, each with the causes or counts (by the beginnings of their names) that
/// call for it.
const BFQ: [Term; 7] = [
    (
        "request",
        "what a disk is asked for; their number is limited, and an I/O waits for a free one",
        &["pool_"],
    ),
    (
        "turn",
        "bfq serves one queue at a time: the requests of a process, until it has had its budget \
            or its time",
        &["behind_", "own_turn", "slots"],
    ),
    ("budget", "how much a queue may move in one turn", &["ended_budget_exhausted"]),
    (
        "held back",
        "requests of others wait, though the disk has room, for those of the turn would suffer",
        &["behind_held"],
    ),
    (
        "kept idle",
        "nothing is sent to the disk, because the process of the turn will go on in a moment",
        &["behind_idling", "idlings_"],
    ),
    (
        "raised weight",
        "a larger share for a while, for what looks like a program that starts, or plays",
        &["raises_", "raised_ios_"],
    ),
    (
        "served in turns of others",
        "the disk would have been idle, so a request was let in that does no harm there",
        &["injected_", "hosted_", "behind_injected"],
    ),
];

/// The terms of an explanation of Time Fair Queueing, in place of those of bfq.
const TFQ: [Term; 6] = [
    BFQ[0],
    (
        "turn",
        "who has got least of the device's time for its weight is served first; on a disk with \
            moving parts for a slot of many requests",
        &["behind_", "own_turn", "slots"],
    ),
    (
        "expected back",
        "the process has its data and will be back at once: it keeps its turn, and is charged for \
            the time if it does not come",
        &["behind_held", "behind_idling", "idlings_expected"],
    ),
    (
        "enough to do",
        "the requests that keep the device as busy as it can be, by what was learnt of it; more \
            would only wait there",
        &["own_turn_kept", "behind_served"],
    ),
    (
        "on loan",
        "who starts, or was silent for long, is served first for a moment, and is charged for it",
        &["loan"],
    ),
    (
        "slot",
        "a disk with moving parts is one queue's for some time, so that a move of the arm pays",
        &["slots"],
    ),
];

/// A term, its meaning, and what calls for it.
type Term = (&'static str, &'static str, &'static [&'static str]);

impl Explanation {
    /// The terms that occur, each with its meaning, in the order in which an I/O meets them.
    pub fn terms(&self) -> Vec<(&'static str, &'static str)> {
        terms(self)
    }
}

fn terms(explanation: &Explanation) -> Vec<(&'static str, &'static str)> {
    let causes = || explanation.causes.iter().filter(|row| row.ns > 0);
    let counted = || explanation.counts.iter().map(|row| row.name.as_str());
    let occurs = |beginnings: &[&str]| {
        let mut names = causes().map(|row| row.cause).chain(counted());
        names.any(|name| beginnings.iter().any(|beginning| name.starts_with(beginning)))
    };
    let by_time = explanation.about.scheduler == PolicyName::TimeFair.name();
    let all = if by_time { &TFQ[..] } else { &BFQ[..] };
    let of_scheduler = all.iter().filter(|(.., beginnings)| occurs(beginnings));
    let mut terms: Vec<_> = of_scheduler.map(|&(term, meaning, _)| (term, meaning)).collect();
    for phase in causes().filter(|row| row.is_worth_a_line()).filter_map(phase_of) {
        let row = phases::row(phase);
        if !terms.contains(&(row.term, row.meaning)) {
            terms.push((row.term, row.meaning));
        }
    }
    terms
}

fn phase_of(row: &CauseRow) -> Option<device::Phase> {
    match row.reason.kind {
        CauseKind::Phase(phase) => Some(phase),
        _ => None,
    }
}
