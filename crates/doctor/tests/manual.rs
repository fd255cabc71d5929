// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/generated/doctor.md has every rule, with what it says on the made-up machine that shows it,
//! and what becomes of weights. With `BFQ_WRITE_DOCS=1` in the environment the test writes that
//! page.

#[allow(dead_code, reason = "not every test uses all of it")]
mod fixture;

use doctor::weight::{bfq_weight_by_systemd, blkio_weight_by_systemd, io_weight_by_runtimes};
use doctor::{Machine, RULES, Report, Rule};
use fixture::cases::CASES;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const HEAD: &str = "\
# What bfq doctor finds

What becomes of weights, and each finding with an example; [doctor.md](../doctor.md) says how to use
`bfq doctor`. Made from the rules by `BFQ_WRITE_DOCS=1 cargo test -p bfq-doctor --test manual`.

## What becomes of a weight
";

fn example(rule: &Rule) -> String {
    let case = CASES.iter().find(|case| case.rule == rule.name).unwrap();
    let machine = (case.machine)();
    let report = Report::of(&Machine::read(&machine.host(), &[]).unwrap());
    report.findings.iter().find(|finding| finding.rule == rule.name).unwrap().to_string()
}

/// A text in lines of at most 100 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().unwrap();
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 100 {
            lines.push(word.to_owned());
        } else {
            let blank = if line.is_empty() { "" } else { " " };
            let _ = write!(line, "{blank}{word}");
        }
    }
    lines.join("\n")
}

fn written() -> String {
    let mut text = HEAD.to_owned();
    text += "\n| Written | `io.bfq.weight` | `blkio.bfq.weight` | `io.weight` |\n";
    text += "|---|---|---|---|\n";
    for weight in [1, 10, 50, 100, 200, 500, 1000, 10_000] {
        let (bfq, blkio) = (bfq_weight_by_systemd(weight), blkio_weight_by_systemd(weight));
        let _ = writeln!(text, "| `IOWeight={weight}` | {bfq} | {blkio} | {weight} |");
    }
    for weight in [10, 100, 500, 1000] {
        let io = io_weight_by_runtimes(weight);
        let _ = writeln!(text, "| `--blkio-weight {weight}` | {weight} | {weight} | {io} |");
    }
    for rule in RULES {
        let about = wrapped(rule.about);
        let _ = write!(
            text,
            "\n## {}\n\n`{}`\n\n{about}\n\n```\n{}```\n",
            rule.title,
            rule.name,
            example(&rule)
        );
    }
    text
}

#[test]
fn the_manual_has_each_rule_with_an_example() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/doctor.md");
    let expected = written();
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        fs::write(&path, expected).unwrap();
        return;
    }
    let there = fs::read_to_string(&path).unwrap();
    assert!(there == expected, "BFQ_WRITE_DOCS=1 cargo test -p bfq-doctor --test manual");
}
