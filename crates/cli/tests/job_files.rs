// SPDX-License-Identifier: MIT OR Apache-2.0
//! Job files as users write them: all that is wrong is told at once, and what is ignored is named.

use std::process::{Command, Output, Stdio};

/// Runs `bfq sim` on a job file in a folder of its own.
fn sim(job_file: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("j.fio"), job_file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(["sim", "j.fio", "--device", "ssd-sata", "--scheduler", "none"]);
    command.args(more).current_dir(folder.path()).stdin(Stdio::null());
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn all_mistakes_of_a_job_file_are_told_at_once() {
    let output = sim("[a]\niodpeth=4\nrw=red\nsize=1m\nwait_for=b\n", &[]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "bfq: 3 mistakes:");
    assert_eq!(lines[1], "  j.fio:2: unknown option \"iodpeth\"; did you mean `iodepth`?");
    assert!(lines[2].starts_with("  j.fio:3: bad value \"red\" for option \"rw\""), "{told}");
    assert!(lines[3].starts_with("  j.fio:5: fio's option \"wait_for\" is not supported"));
    assert_eq!(lines.len(), 4);
}

#[test]
fn what_is_ignored_is_named() {
    let job_file = "[a]\ndirect=1\nsize=1m\nwait_for=b\n";
    assert_eq!(sim(job_file, &[]).status.code(), Some(2));
    let output = sim(job_file, &["--ignore-unsupported"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = "bfq: j.fio:4: option \"wait_for\" is not supported, and is ignored\n";
    assert_eq!(stderr(&output), told);
}
