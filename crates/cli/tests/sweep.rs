// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq sweep` hands its command line to Python, and says what is missing.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `bfq sweep` with a Python that is this script.
fn sweep(script: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
    // Another process makes the program: if this one did, what another test starts at the same
    // time would hold it open for writing, and it could not be run ("text file busy").
    let python = folder.path().join("python");
    let made = Command::new("install").args(["-m", "755"]).args([&text, &python]).status().unwrap();
    assert!(made.success());
    sweep_by(&python, arguments)
}

fn sweep_by(python: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.arg("sweep").args(arguments).env("BFQ_PYTHON", python).output().unwrap()
}

/// Has the package, and prints the command line that it got.
const WITH_PACKAGE: &str = "case $1 in -c) exit 0;; *) printf '%s\\n' \"$@\"; exit 7;; esac";

#[test]
fn the_module_gets_the_command_line_and_gives_the_exit_code() {
    for (given, handed_over) in [
        ("study.toml", "study.toml"),
        ("s.toml --ray h:1 --out d", "s.toml --out=d --ray=h:1"),
        (
            "s.toml --workers 3 --time-limit 9 --memory-limit 64 --retries 0 --again --quiet",
            "s.toml --workers=3 --time-limit=9 --memory-limit=64 --retries=0 --again --quiet",
        ),
        ("report d -o r.md", "report d --output=r.md"),
    ] {
        let output = sweep(WITH_PACKAGE, &given.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(7), "{given}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap().replace('\n', " ");
        assert_eq!(said, format!("-m bfq.sweeps {handed_over} "), "{given}");
    }
}

#[test]
fn a_python_without_the_package_and_no_python_are_said() {
    let output = sweep("exit 1", &["study.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("-m pip install './bindings/python[sweep]'"), "{said}");

    let output = sweep_by(Path::new("/nowhere/python"), &["study.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("/nowhere/python") && said.contains("BFQ_PYTHON"), "{said}");
}

#[test]
fn a_sweep_without_a_study_is_a_mistake() {
    assert_eq!(sweep(WITH_PACKAGE, &[]).status.code(), Some(2));
    assert_eq!(sweep(WITH_PACKAGE, &["s.toml", "--workers", "0"]).status.code(), Some(2));
}
