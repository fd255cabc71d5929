// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logs that were replayed, side by side: as lines for people, and as JSON.

use super::compare::compare;
use super::error::ReplayError;
use super::outcome::{Difference, LogPosition, ReplayOutcome};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Logs that were replayed, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct ReplayedLogs {
    /// Each log's name, without folder and endings, and what became of it.
    pub logs: Vec<(String, ReplayOutcome)>,
}

impl ReplayedLogs {
    /// Replays each of the logs or recordings at these paths, as [`compare`] does.
    ///
    /// # Errors
    /// If one of the files is missing or malformed.
    pub fn of<P: AsRef<Path>>(paths: &[P]) -> Result<Self, ReplayError> {
        let replayed = paths.iter().map(|path| {
            let path = path.as_ref();
            Ok((name(path), compare(path)?))
        });
        Ok(ReplayedLogs { logs: replayed.collect::<Result<_, ReplayError>>()? })
    }

    /// How many of the logs have decisions that differ.
    pub fn differing(&self) -> usize {
        self.logs.iter().filter(|(_, outcome)| outcome.differ > 0).count()
    }

    /// For people: a line for each log, and what there is to say of it below.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, outcome) in &self.logs {
            add_lines(&mut text, name, outcome);
        }
        text
    }

    /// For programs: `{"logs": [...]}`, with the end of the last line.
    pub fn to_json(&self) -> String {
        let logs: Vec<Value> =
            self.logs.iter().map(|(name, outcome)| json(name, outcome)).collect();
        format!("{:#}\n", json!({ "logs": logs }))
    }
}

/// The log's name without folder and endings.
fn name(log: &Path) -> String {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let ending = [".csv", ".trace", ".rec"].into_iter().find_map(|end| name.strip_suffix(end));
    ending.unwrap_or(name).to_owned()
}

/// What there is to say of a log. Writing to a string cannot fail.
fn add_lines(text: &mut String, name: &str, outcome: &ReplayOutcome) {
    let _ = writeln!(text, "{name}: {} decisions, {} differ", outcome.decisions, outcome.differ);
    if let Some(first) = outcome.first.first() {
        let _ = writeln!(text, "    {}", told(first));
    }
    if !outcome.rounded.is_empty() {
        let lines: Vec<String> = outcome.rounded.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "    by the rounding of times: lines {}", lines.join(", "));
    }
    if let Some(note) = &outcome.note {
        let _ = writeln!(text, "    {note}");
    }
}

fn told(difference: &Difference) -> String {
    let Difference { at, expected, decided } = difference;
    let said =
        |text: &str| if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
    format!("{at}: expected {}, decided {}", said(expected), said(decided))
}

fn json(name: &str, outcome: &ReplayOutcome) -> Value {
    let difference = |difference: &Difference| {
        let (key, place) = match difference.at {
            LogPosition::Line(line) => ("line", line),
            LogPosition::Byte(byte) => ("byte", byte),
        };
        json!({
            key: place,
            "expected": difference.expected,
            "decided": difference.decided,
        })
    };
    json!({
        "name": name,
        "decisions": outcome.decisions,
        "differ": outcome.differ,
        "first": outcome.first.first().map(difference),
        "rounded": outcome.rounded,
        "note": outcome.note,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_of_a_log_is_told() {
        let at = LogPosition::Line(7);
        let difference =
            Difference { at, expected: "dispatch 1".to_owned(), decided: String::new() };
        let differs = ReplayOutcome {
            decisions: 5,
            differ: 2,
            first: vec![difference],
            ..ReplayOutcome::default()
        };
        let agrees = ReplayOutcome { decisions: 3, ..ReplayOutcome::default() };
        let logs = vec![("a".to_owned(), differs), (name(Path::new("x/b.csv.gz")), agrees)];
        let replayed = ReplayedLogs { logs };
        assert_eq!(replayed.differing(), 1);
        let lines = [
            "a: 5 decisions, 2 differ".to_owned(),
            format!("    {at}: expected `dispatch 1`, decided nothing"),
            "b: 3 decisions, 0 differ".to_owned(),
        ];
        assert_eq!(replayed.text().lines().collect::<Vec<_>>(), lines);
        let json: Value = serde_json::from_str(&replayed.to_json()).unwrap();
        assert_eq!(json["logs"][0]["first"]["line"], 7);
        assert_eq!(json["logs"][1]["first"], Value::Null);
    }
}
