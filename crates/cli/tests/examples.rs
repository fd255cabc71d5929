// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands that the documents show print what the documents say they print: those of a
//! simulation or of its results. A line `…` stands for any lines.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a document, and what stands below it.
struct Example {
    /// Where it stands: FILE:LINE.
    place: String,
    /// For the shell.
    command: String,
    /// The lines below it, to the end of the block or the next command.
    printed: Vec<String>,
}

/// What `make run` does on simulated disks (scripts/run-main-job): the README shows that part.
const MAIN_JOB: &str = "bfq sim jobs/shared-disk.fio --device hdd-desktop --device ssd-sata \
                        --scheduler bfq,mq-deadline,none --output-format json -o main.json
bfq report main.json --job clicks";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of a document: `$ COMMAND` in a block without a language, which goes on in the next
/// line behind a backslash or a `do`.
fn examples(document: &Path) -> Vec<Example> {
    let text = fs::read_to_string(document).unwrap();
    let name = document.file_name().unwrap().to_str().unwrap();
    let mut found: Vec<Example> = Vec::new();
    // Whether a block is open, and whether it is one without a language.
    let (mut is_open, mut in_block) = (false, false);
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            is_open = !is_open;
            in_block = is_open && language.is_empty();
            if in_block {
                // What stands above the first command of a block belongs to none.
                let place = format!("{name}:{}", at + 1);
                found.push(Example { place, command: String::new(), printed: Vec::new() });
            }
            goes_on = false;
            continue;
        }
        if !in_block {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            let place = format!("{name}:{}", at + 1);
            found.push(Example { place, command: command.to_owned(), printed: Vec::new() });
        } else {
            let example = found.last_mut().expect("pushed when the block began");
            if goes_on {
                example.command += "\n";
                example.command += line;
            } else {
                example.printed.push(line.to_owned());
            }
        }
        let command = &found.last().expect("pushed when the block began").command;
        let is_loop = command.starts_with("for ") && !command.ends_with("\ndone");
        let is_command = line.starts_with("$ ") || goes_on;
        goes_on = is_command && (line.ends_with('\\') || is_loop);
    }
    found.retain(|example| !example.command.is_empty());
    for example in found.iter_mut().filter(|example| example.command == "make run") {
        example.command = MAIN_JOB.to_owned();
    }
    found
}

/// Whether it needs nothing but the repository, and says the same everywhere.
fn is_simulated(command: &str) -> bool {
    let with = ["bfq sim ", "bfq explain jobs/", "bfq report "];
    with.iter().any(|known| command.contains(known)) && !command.contains("sudo")
}

/// Whether lines are those expected; `…` stands for any.
fn is_like(printed: &[&str], expected: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((any, rest)) if any == "…" => {
            (0..=printed.len()).any(|skipped| is_like(&printed[skipped..], rest))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| first == line && is_like(others, rest)),
    }
}

#[test]
fn commands_print_what_the_documents_show() {
    let folder = tempfile::tempdir().unwrap();
    symlink(root().join("jobs"), folder.path().join("jobs")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_bfq")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&path)));
    let path = path.unwrap();
    let mut documents: Vec<_> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .chain([root().join("README.md")])
        .collect();
    documents.sort();
    let mut compared = 0;
    for example in documents.iter().flat_map(|document| examples(document)) {
        if !is_simulated(&example.command) {
            continue;
        }
        let mut shell = Command::new("sh");
        shell.args(["-ec", &example.command]).current_dir(folder.path()).env("PATH", &path);
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", example.place);
        let printed = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<_> = printed.lines().map(str::trim_end).collect();
        let wanted: Vec<_> =
            example.printed.iter().map(|line| line.trim_end().to_owned()).collect();
        assert!(
            is_like(&lines, &wanted),
            "{}: it prints\n{printed}instead of\n{}",
            example.place,
            wanted.join("\n")
        );
        compared += usize::from(!wanted.is_empty());
    }
    assert!(compared >= 7, "{compared} examples were found");
}
