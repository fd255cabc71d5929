// SPDX-License-Identifier: MIT OR Apache-2.0
//! What measurements say: the verdict for the goals of the user, and the rule that makes it
//! permanent. Measurements are those of a run, or of files that exist.

use crate::failure::Failure;
use crate::note::note;
use crate::output::{FormOption, Format};
use crate::streams::{print, print_aside};
use crate::values::completed;
use bench::emit::{self, Form};
use bench::existing::{ExistingError, ExistingOptions, ExistingResults};
use bench::import::ImportSource;
use bench::model::{Goal, Measurement, Opening};
use bench::verdict::{Weights, judge};
use clap::builder::{OsStringValueParser, TypedValueParser};
use host::Disk;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The options about goals, rules and files that exist.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// What the disk is for: desktop, server, database, ...
    ///
    /// Desktop, server, database, media or throughput; or weights of these and of metrics, as in
    /// `desktop=2,database=1` or `start_up=5,throughput=1`. May be repeated; the fewer, the sharper
    /// the answer [default: each of the five]
    #[arg(long, alias = "for", value_name = "GOAL", hide_possible_values = true,
          value_parser = completed(Weights::from_str, Goal::ALL.map(Goal::name)))]
    goal: Vec<Weights>,
    /// Print the rule to make it permanent: udev, ...
    ///
    /// Of the recommendation for the first goal: udev, systemd, tuned, sysctl-like or io.cost. The
    /// verdict goes to stderr then.
    #[arg(long, value_name = "FORM", hide_possible_values = true,
          conflicts_with_all = ["json", "output_format"],
          value_parser = completed(Form::from_str, Form::ALL.map(Form::name)))]
    emit: Option<Form>,
    /// Judge results that exist, of bfq bench or of fio
    ///
    /// A file of --output, or files that fio wrote with --output-format=json, one for each
    /// scheduler (bfq.json, none.json) or several (bfq-1.json, …). Nothing is measured.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    import: Vec<PathBuf>,
    /// The same with a file of fio whose name does not tell the scheduler
    #[arg(long = "as", hide_short_help = true, value_name = "NAME=FILE",
          value_parser = OsStringValueParser::new().try_map(named))]
    named: Vec<ImportSource>,
    /// Which job of fio a user waits for; what the others did is told apart as its
    /// background [default: the one with think time, a rate or syncs, or with 1 I/O in flight
    /// beside deeper ones]
    #[arg(long, hide_short_help = true, value_name = "JOB")]
    foreground: Option<String>,
    #[command(flatten)]
    form: FormOption<Format>,
}

impl Options {
    /// Whether nothing is to be measured.
    pub fn is_import(&self) -> bool {
        !self.import.is_empty() || !self.named.is_empty()
    }

    /// Judges files that exist; measurements of fio are kept in `output`, if there is one.
    ///
    /// # Errors
    /// With exit code 2 if a file cannot be read, or there is no such rule, with 1 if the
    /// measurements cannot be kept.
    pub fn judge_files(&self, output: Option<&Path>) -> Result<(), Failure> {
        let results = ExistingResults::plan(ExistingOptions {
            files: self.import.clone(),
            named: self.named.clone(),
            foreground: self.foreground.clone(),
            keep: output.map(Path::to_owned),
        });
        let results = results.map_err(failure)?;
        let imported = results.read().map_err(failure)?;
        imported.notes.iter().for_each(|text| note(&format!("note: {text}")));
        results.keep(&imported).map_err(failure)?;
        self.tell(&imported.opening, &imported.measurements)
    }

    /// Prints what measurements say.
    ///
    /// # Errors
    /// With exit code 2 if there is no rule to be had.
    pub fn tell(&self, opening: &Opening, measured: &[Measurement]) -> Result<(), Failure> {
        let goals = if self.goal.is_empty() { Weights::of_all_goals() } else { self.goal.clone() };
        let verdict = judge(opening, measured, &goals);
        let Some(form) = self.emit else {
            let json = self.form.is_json();
            return print(&if json { verdict.to_json() } else { verdict.to_string() });
        };
        print_aside(&verdict.to_string())?;
        let disk = Disk::behind(Path::new(&opening.target)).map_err(Failure::usage)?;
        print(&emit::rule(&verdict, &disk, form).map_err(Failure::usage)?)
    }
}

/// What the command says of results that cannot be judged, with the option that is wrong.
fn failure(error: ExistingError) -> Failure {
    match &error {
        ExistingError::ForegroundOfBench { job, .. } => {
            Failure::usage(format!("--foreground {job}: {error}"))
        }
        ExistingError::KeptAlready => Failure::usage(format!("--output: {error}")),
        _ if error.is_usage() => Failure::usage(error),
        _ => Failure::run(error),
    }
}

/// `NAME=FILE`; the name may have tunables, so the file is what follows the last `=`.
fn named(text: OsString) -> Result<ImportSource, String> {
    let bytes = text.as_bytes();
    let place = bytes.iter().rposition(|&byte| byte == b'=').ok_or("expected NAME=FILE")?;
    let name = std::str::from_utf8(&bytes[..place]).map_err(|_| "expected a scheduler's name")?;
    let candidate = name.parse().map_err(|error| format!("{error}"))?;
    Ok(ImportSource {
        candidate,
        number: None,
        path: OsStr::from_bytes(&bytes[place + 1..]).into(),
    })
}
