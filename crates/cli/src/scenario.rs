// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a result says of its origin: the job files' own words, and the command that repeats it.

use crate::failure::Failure;
use crate::watched_file::Watching;
use report::Scenario;
use report::study::Wanted;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use workload::{Header, Job, Surroundings};

/// Options that say where results go, not what they are, and whether a value follows.
const OUTPUT_OPTIONS: [(&str, bool); 5] = [
    ("--output", true),
    ("-o", true),
    ("--output-format", true),
    ("--timeline", true),
    ("--quiet", false),
];

/// What is run by this process: its job files and its command line.
///
/// # Errors
/// If a job file cannot be read, or says that something is measured that is not there.
pub fn of_this_command(job_files: &[PathBuf], jobs: &[Job]) -> Result<Scenario, Failure> {
    let mut header = Header::default();
    // A trace has no words of its own.
    let surroundings = Watching { quiet: true };
    let is_job_file = |path: &&PathBuf| !workload::is_trace(path, &surroundings);
    if let Some(first) = job_files.first().filter(is_job_file) {
        let text = surroundings
            .read_to_string(first)
            .map_err(|error| Failure::usage(format!("{}: {error}", first.display())))?;
        header = Header::parse(&text);
        if let Some((_, measure)) = header.notes.iter().find(|(name, _)| name == "Measure") {
            let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
            Wanted::parse(measure, &names)
                .map_err(|error| Failure::usage(format!("{}: {error}", first.display())))?;
        }
    }
    Ok(Scenario {
        files: job_files.iter().map(|path| path.display().to_string()).collect(),
        title: header.title().to_owned(),
        notes: header.notes.into_iter().collect(),
        command: command(std::env::args_os().skip(1)),
    })
}

/// A command line that gives the same results, for a shell.
fn command(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut words = vec!["bfq".to_owned()];
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (&*text, false),
        };
        match OUTPUT_OPTIONS.iter().find(|(option, _)| *option == name) {
            Some((_, has_value)) => {
                if *has_value && !joined {
                    arguments.next();
                }
            }
            // `-oFILE`
            None if text.starts_with("-o") => {}
            None => words.push(quoted(&argument)),
        }
    }
    words.join(" ")
}

/// A word as a shell has to see it.
fn quoted(word: &OsStr) -> String {
    let Some(text) = word.to_str() else { return quoted_bytes(word) };
    let plain = |letter: char| letter.is_alphanumeric() || "-_=,.:/+@%".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A word that is not UTF-8 (a file's name may be any bytes): `$'a\xfe.fio'`.
fn quoted_bytes(word: &OsStr) -> String {
    let mut text = String::from("$'");
    for chunk in word.as_bytes().utf8_chunks() {
        for letter in chunk.valid().chars() {
            if matches!(letter, '\'' | '\\') {
                text.push('\\');
            }
            text.push(letter);
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_a_shell() {
        for (arguments, expected) in [
            (&["sim", "a.fio", "--seed", "7"][..], "bfq sim a.fio --seed 7"),
            (&["sim", "--output", "x.json", "a.fio", "--quiet"], "bfq sim a.fio"),
            (&["sim", "--output-format=json", "a.fio", "--output=x"], "bfq sim a.fio"),
            (&["sim", "-o", "x.json", "a.fio", "-oy", "-o=z"], "bfq sim a.fio"),
            (&["sim", "my jobs/a.fio", "it's", ""], r"bfq sim 'my jobs/a.fio' 'it'\''s' ''"),
        ] {
            assert_eq!(command(arguments.iter().map(OsString::from)), expected);
        }
        let bytes = OsStr::from_bytes(b"it's\\a\xfe.fio").to_owned();
        assert_eq!(command([bytes].into_iter()), r"bfq $'it\'s\\a\xfe.fio'");
    }
}
