// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded decision logs against the core: a line for each log.

use crate::failure::Failure;
use crate::output::{Format, OutputOptions};
use ::fidelity::decisions::{Difference, LogPosition, Outcome, ReplayError, compare};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Replays each log and reports.
///
/// # Errors
/// With exit code 2 if a log or its settings are malformed, with 1 if a decision differs.
pub fn run(logs: &[PathBuf], output: &OutputOptions) -> Result<(), Failure> {
    let mut outcomes = Vec::new();
    for log in logs {
        let outcome = compare(log).map_err(|error: ReplayError| Failure::usage(error))?;
        outcomes.push((name(log), outcome));
    }
    let text = match output.output_format {
        Format::Normal => lines(&outcomes),
        Format::Json => format!("{:#}\n", json(&outcomes)),
    };
    output.write_text(&text)?;
    let differing = outcomes.iter().filter(|(_, outcome)| outcome.differ > 0).count();
    if differing > 0 {
        return Err(Failure::run(format!("{differing} of {} logs differ", outcomes.len())));
    }
    Ok(())
}

/// The log's name without folder and endings.
fn name(log: &Path) -> String {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let ending = [".csv", ".trace", ".rec"].into_iter().find_map(|end| name.strip_suffix(end));
    ending.unwrap_or(name).to_owned()
}

fn lines(outcomes: &[(String, Outcome)]) -> String {
    let mut text = String::new();
    for (name, outcome) in outcomes {
        let _ =
            writeln!(text, "{name}: {} decisions, {} differ", outcome.decisions, outcome.differ);
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
    text
}

fn told(difference: &Difference) -> String {
    let Difference { at, expected, decided } = difference;
    let said =
        |text: &str| if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
    format!("{at}: expected {}, decided {}", said(expected), said(decided))
}

fn json(outcomes: &[(String, Outcome)]) -> Value {
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
    let log = |(name, outcome): &(String, Outcome)| {
        json!({
            "name": name,
            "decisions": outcome.decisions,
            "differ": outcome.differ,
            "first": outcome.first.first().map(difference),
            "rounded": outcome.rounded,
            "note": outcome.note,
        })
    };
    json!({ "logs": outcomes.iter().map(log).collect::<Vec<_>>() })
}
