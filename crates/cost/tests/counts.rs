// SPDX-License-Identifier: MIT OR Apache-2.0
//! No case costs over 2 % more instructions a request than `reference.toml` says.
//!
//! Without valgrind the test says so and passes, unless BFQ_VALGRIND=required.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether valgrind runs here.
fn valgrind() -> bool {
    let version = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    let runs = version.is_ok_and(|status| status.success());
    let required = std::env::var_os("BFQ_VALGRIND").is_some_and(|value| value == "required");
    assert!(runs || !required, "valgrind does not run here, and BFQ_VALGRIND=required");
    runs
}

#[test]
#[cfg_attr(debug_assertions, ignore = "the figures are of optimised code: make cost-check")]
fn no_case_costs_more_instructions_than_its_figure_allows() {
    if !valgrind() {
        eprintln!("skipped: no valgrind");
        return;
    }
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference.toml");
    let cost = env!("CARGO_BIN_EXE_cost");
    let output = Command::new(cost).arg("check").arg(reference).output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
