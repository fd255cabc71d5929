// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the command says of itself fits on a screen.

use std::process::Command;

/// What people use first, for each subcommand: the beginning of its options (or commands).
const COMMANDS: &[(&str, &str)] = &[
    ("", "sim"),
    ("sim", "--device"),
    ("run", "--target"),
    ("bench", "--level"),
    ("top", "--batch"),
    ("what-if", "--device"),
    ("doctor", "--output-format"),
    ("serve", "--config"),
    ("ctl", "status"),
    ("ctl export", "add"),
    ("sweep", "report"),
    ("explain", "--job"),
    ("report", "--job"),
    ("trace", "info"),
    ("trace info", "--format"),
    ("trace convert", "-o, --output"),
    ("list", "schedulers"),
    ("fidelity", "--results"),
];

fn said(arguments: &str, columns: u32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(arguments.split_whitespace()).env("COLUMNS", columns.to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_short_help_fits_a_screen_and_begins_with_what_people_use() {
    for (command, first) in COMMANDS {
        let text = said(&format!("{command} -h"), 80);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= 24, "{command}: {} lines\n{text}", lines.len());
        let widest = lines.iter().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{command}: {widest:?} columns\n{text}");
        let list = lines.iter().position(|&line| line == "Options:" || line == "Commands:");
        let found = lines[list.unwrap() + 1].trim_start();
        assert!(found.starts_with(first), "{command}: {found}");
    }
}

#[test]
fn the_long_help_has_every_option_that_the_short_one_has_and_more() {
    for (command, more) in [
        ("sim", "--timeline"),
        ("run", "--depth"),
        ("bench", "--journals"),
        ("doctor", "--journals"),
        ("top", "--journals"),
        ("serve", "--log-level"),
        ("explain", "--slowest"),
    ] {
        let short = said(&format!("{command} -h"), 100);
        let long = said(&format!("{command} --help"), 100);
        let options = short.split_whitespace().filter(|word| word.starts_with("--"));
        for option in options {
            assert!(long.contains(option), "{command}: {option}");
        }
        assert!(long.contains(more) && !short.contains(more), "{command}: {more}");
        assert!(long.contains("Exit codes:"), "{command}");
    }
}

#[test]
fn lists_fit_a_hundred_columns() {
    for list in [
        "list tunables",
        "list tunables kyber",
        "list devices",
        "list devices ssd-sata",
        "list job-options",
    ] {
        let text = said(list, 0);
        let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(widest.chars().count() <= 100, "{list}: {widest}");
    }
}
