// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq list`: what there is to choose from.

mod job_options;

use crate::failure::Failure;
use crate::layout::{aligned, explained};
use crate::streams::print;
use device::{Profile, Tolerance};
use scenarios::File;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use workload::{Header, Listed, job_files_in};

/// The command line of `bfq list`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    #[command(about = "The schedulers")]
    Schedulers,
    /// The built-in device profiles; with a name or file, all values of that profile: what they
    /// mean, their ranges and sources
    Devices {
        /// A built-in profile or a TOML file, as for `bfq sim --device`
        profile: Option<OsString>,
    },
    /// The tunables of all schedulers, or of one
    Tunables {
        #[arg(help = "The scheduler")]
        scheduler: Option<String>,
    },
    /// The options of job files: what they do, their units and defaults, and which of fio's
    /// are not supported
    JobOptions,
    /// The scenarios that are built in, those of a folder, or the text of one
    Scenarios {
        /// A folder of job files, @FOLDER of those that are built in, or @NAME of a scenario, whose
        /// job file is printed
        place: Option<PathBuf>,
    },
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a profile, scheduler or folder does not exist or is wrong.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match &arguments.what {
        What::Schedulers => schedulers(),
        What::Devices { profile: None } => built_in_devices(),
        What::Devices { profile: Some(name) } => device_values(name)?,
        What::Tunables { scheduler } => tunables(scheduler.as_deref())?,
        What::JobOptions => job_options::text(),
        What::Scenarios { place: None } => built_in(),
        What::Scenarios { place: Some(name) } if scenarios::is_name(name) => built_in_at(name)?,
        What::Scenarios { place: Some(folder) } => in_folder(folder)?,
    };
    print(&text)
}

fn schedulers() -> String {
    let row = |row: &elevators::Scheduler| vec![row.name.to_owned(), row.doc.to_owned()];
    aligned(&elevators::schedulers().iter().map(row).collect::<Vec<_>>())
}

fn tunables(only: Option<&str>) -> Result<String, Failure> {
    let names: Vec<&str> = match only {
        Some(name) => vec![name],
        None => elevators::names().collect(),
    };
    let head = ["scheduler", "tunable", "default", "values", "unit", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for name in names {
        for tunable in elevators::tunables(name).map_err(Failure::usage)? {
            rows.push(vec![
                name.to_owned(),
                tunable.name.to_owned(),
                tunable.default,
                tunable.values.to_string(),
                tunable.unit.to_owned(),
                tunable.doc.to_owned(),
            ]);
        }
    }
    Ok(if rows.len() > 1 { explained(&rows) } else { "no tunables\n".to_owned() })
}

fn built_in_devices() -> String {
    let head = ["device", "model", "depth", "kind", "capacity", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for profile in Profile::builtin_names().filter_map(Profile::builtin) {
        rows.push(vec![
            profile.name().to_owned(),
            profile.model().name().to_owned(),
            profile.depth().to_string(),
            if profile.rotational() { "rotational" } else { "solid state" }.to_owned(),
            base::text::decimal_size(profile.capacity_sectors() * base::SECTOR_BYTES),
            profile.description().to_owned(),
        ]);
    }
    explained(&rows)
}

fn device_values(argument: &OsStr) -> Result<String, Failure> {
    let profile = lab::devices::one(argument).map_err(Failure::usage)?;
    let mut text = format!("{}: {}\n\n", profile.name(), profile.description());
    for (title, range, figures) in
        [("value", "may be", profile.values()), ("expected of it", "", profile.expectations())]
    {
        if figures.is_empty() {
            continue;
        }
        let mut rows = vec![[title, "", "tolerance", range, ""].map(str::to_owned).to_vec()];
        for figure in figures {
            rows.push(vec![
                figure.row.name.to_owned(),
                format!("{} {}", figure.text, figure.unit).trim_end().to_owned(),
                match figure.tolerance {
                    Tolerance::Exact => "exact".to_owned(),
                    Tolerance::Percent(percent) => format!("±{percent} %"),
                },
                if range.is_empty() { String::new() } else { figure.row.range() },
                format!("{}. Source: {}", figure.row.doc().trim_end_matches('.'), figure.source),
            ]);
        }
        text.push_str(&explained(&rows));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(text)
}

/// Everything that is built in.
fn built_in() -> String {
    let recording = |file: &&File| !file.is_job_file();
    let mut rows = titles(scenarios::files().filter(|file| file.is_job_file()));
    rows.extend(scenarios::files().filter(recording).map(|file| {
        vec![file.name(), "A recording to replay; bfq trace info says what is in it.".to_owned()]
    }));
    aligned(&rows)
}

/// The scenarios of a folder that is built in, or the text of one scenario.
fn built_in_at(name: &Path) -> Result<String, Failure> {
    let folder = scenarios::in_folder(name);
    if !folder.is_empty() {
        return Ok(aligned(&titles(folder.into_iter())));
    }
    match scenarios::find(name).map_err(Failure::usage)? {
        file if file.is_job_file() => Ok(file.text().to_owned()),
        file => {
            let name = file.name();
            let hint = format!("{name} is a recording; bfq trace info {name} says what is in it");
            Err(Failure::usage(hint))
        }
    }
}

fn titles<'a>(files: impl Iterator<Item = &'a File>) -> Vec<Vec<String>> {
    let title = |file: &File| Header::parse(file.text()).title().to_owned();
    files.map(|file| vec![file.name(), title(file)]).collect()
}

/// What cannot be read has the reason in place of a title.
fn in_folder(folder: &Path) -> Result<String, Failure> {
    let found = job_files_in(folder)
        .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    let unreadable = |error: io::Error| format!("(cannot be read: {error})");
    let row =
        |Listed { path, title }| vec![path.display().to_string(), title.unwrap_or_else(unreadable)];
    let rows: Vec<_> = found.into_iter().map(row).collect();
    Ok(if rows.is_empty() {
        format!("no job files (*.fio) in {}\n", folder.display())
    } else {
        aligned(&rows)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_file_that_cannot_be_read_is_listed_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.fio"), b"# Caf\xe9\n[a]\n").unwrap();
        std::fs::write(folder.path().join("b.fio"), "# Something\n[a]\n").unwrap();
        let text = in_folder(folder.path()).unwrap();
        let (unreadable, readable) = text.split_once('\n').unwrap();
        assert!(unreadable.contains("(cannot be read: "), "{text}");
        assert!(readable.ends_with("Something\n"), "{text}");
    }
}
