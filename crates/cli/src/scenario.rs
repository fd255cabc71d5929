//! What a result says of its origin: the job files' own words, and the command that repeats it.

use crate::failure::Failure;
use report::Scenario;
use report::study::Wanted;
use std::path::PathBuf;
use workload::{Header, Job};

/// Options that say where results go, not what they are, and whether a value follows.
const OUTPUT_OPTIONS: [(&str, bool); 4] =
    [("--output", true), ("--output-format", true), ("--timeline", true), ("--quiet", false)];

/// What is run by this process: its job files and its command line.
///
/// # Errors
/// If a job file cannot be read, or says that something is measured that is not there.
pub fn of_this_command(job_files: &[PathBuf], jobs: &[Job]) -> Result<Scenario, Failure> {
    let mut header = Header::default();
    // A trace has no words of its own.
    if let Some(first) = job_files.first().filter(|path| !workload::is_trace(path)) {
        let text = std::fs::read_to_string(first)
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
        command: command(std::env::args().skip(1)),
    })
}

/// A command line that gives the same results, for a shell.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut words = vec!["bfq".to_owned()];
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let (name, joined) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (argument.as_str(), false),
        };
        match OUTPUT_OPTIONS.iter().find(|(option, _)| *option == name) {
            Some((_, has_value)) => {
                if *has_value && !joined {
                    arguments.next();
                }
            }
            None => words.push(quoted(argument)),
        }
    }
    words.join(" ")
}

/// A word as a shell has to see it.
fn quoted(word: String) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_=,.:/+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
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
            (&["sim", "my jobs/a.fio", "it's", ""], r"bfq sim 'my jobs/a.fio' 'it'\''s' ''"),
        ] {
            let arguments = arguments.iter().map(|word| (*word).to_owned());
            assert_eq!(command(arguments), expected);
        }
    }
}
