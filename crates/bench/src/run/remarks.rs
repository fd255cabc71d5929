// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was noticed while cells were measured, each thing once.

use crate::model::Measurement;
use std::collections::BTreeMap;

/// A line for each remark: on what, of whom, how often.
pub fn summed_up(measured: &[Measurement]) -> Vec<String> {
    let mut counts: BTreeMap<(&str, String, &str), usize> = BTreeMap::new();
    for cell in measured {
        for remark in &cell.remarks {
            *counts.entry((&cell.scenario, cell.candidate.to_string(), remark)).or_default() += 1;
        }
    }
    let line = |((scenario, candidate, remark), count): ((&str, String, &str), usize)| match count {
        1 => format!("{scenario}, {candidate}: {remark}"),
        _ => format!("{scenario}, {candidate}, {count} times: {remark}"),
    };
    counts.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Candidate;

    #[test]
    fn the_same_remark_is_made_once() {
        let cell = |round, remarks: &[&str]| Measurement {
            candidate: Candidate::plain("none"),
            scenario: "start-writers".to_owned(),
            round,
            began_s: 0.0,
            values: BTreeMap::new(),
            remarks: remarks.iter().map(|remark| (*remark).to_owned()).collect(),
            others: None,
        };
        let lines = summed_up(&[cell(0, &["slow"]), cell(1, &[]), cell(2, &["slow", "late"])]);
        let expected = ["start-writers, none: late", "start-writers, none, 2 times: slow"];
        assert_eq!(lines, expected);
    }
}
