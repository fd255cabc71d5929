// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq fidelity`: what a real kernel did, beside ours: its recorded decisions, and
//! results of scenarios.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Format, OutputOptions};
use crate::progress::Progress;
use ::fidelity::decisions::ReplayedLogs;
use ::fidelity::results::{ResultsError, SelectedCases, Selection, behaviours_markdown, markdown};
use std::path::{Path, PathBuf};

/// The command line of `bfq fidelity`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Recorded decisions of the kernel's bfq, or of ours: compare every decision
    ///
    /// Logs of the kernel's are NAME.csv, or NAME.trace as tracefs gives it, with NAME.toml beside
    /// each; both may be compressed (.gz). bfq explain --kernel DEVICE --save FILE keeps recordings
    /// of ours. Their events are fed to the core.
    #[arg(value_name = "LOG", required_unless_present = "results", conflicts_with = "results")]
    logs: Vec<PathBuf>,
    /// Compare recorded results of scenarios instead
    ///
    /// The scenarios are simulated, and the figures laid side by side.
    #[arg(long, value_name = "CSV", requires = "scenarios")]
    results: Option<PathBuf>,
    /// The folder with the scenarios' job files
    #[arg(long, value_name = "FOLDER", conflicts_with = "logs")]
    scenarios: Option<PathBuf>,
    /// Show bfq's own behaviour beside the kernel's instead of the recorded figures
    ///
    /// Is anybody worse off with it?
    #[arg(long, requires = "results")]
    behaviours: bool,
    /// Only these schedulers, as the recordings call them
    ///
    /// Separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "logs")]
    scheduler: Vec<String>,
    /// Only these scenarios, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "logs")]
    scenario: Vec<String>,
    #[command(flatten)]
    output: OutputOptions,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if the recordings or job files are wrong, with 1 if a simulation fails or a
/// decision differs.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let inputs = arguments.logs.iter().chain(&arguments.results);
    match arguments.results {
        Some(_) => arguments.output.check_as(&[(&["md", "markdown"], Format::Normal)], inputs)?,
        None => arguments.output.check(inputs)?,
    }
    match (&arguments.results, &arguments.scenarios) {
        (Some(results), Some(scenarios)) => compare_results(arguments, results, scenarios),
        _ => compare_decisions(&arguments.logs, &arguments.output),
    }
}

/// Replays each log and reports.
fn compare_decisions(logs: &[PathBuf], output: &OutputOptions) -> Result<(), Failure> {
    let replayed = ReplayedLogs::of(logs).map_err(Failure::usage)?;
    let text = match output.format() {
        Format::Normal => replayed.text(),
        Format::Json => replayed.to_json(),
    };
    output.write_text(&text)?;
    match replayed.differing() {
        0 => Ok(()),
        differing => Err(Failure::run(format!("{differing} of {} logs differ", logs.len()))),
    }
}

fn compare_results(arguments: &Arguments, path: &Path, scenarios: &Path) -> Result<(), Failure> {
    if arguments.output.format() == Format::Json {
        return Err(Failure::usage("bfq fidelity --results writes Markdown only"));
    }
    let selection = Selection {
        schedulers: arguments.scheduler.clone(),
        scenarios: arguments.scenario.clone(),
        only_bfq: arguments.behaviours,
    };
    let cases = SelectedCases::read(path, &selection).map_err(failure)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new("scenarios".into(), arguments.output.quiet);
    let mut observe = |done, all| {
        progress.piece(done, all);
        interrupt.go_on()
    };
    let text = match arguments.behaviours {
        true => cases
            .compare_behaviours(scenarios, &mut observe)
            .map(|comparisons| behaviours_markdown(&comparisons)),
        false => cases.repeat_all(scenarios, &mut observe).map(|lines| markdown(&lines)),
    };
    progress.clear();
    arguments.output.write_text(&text.map_err(failure)?)
}

fn failure(error: ResultsError) -> Failure {
    match error {
        ResultsError::Interrupted => Failure::run("interrupted; nothing was written"),
        wrong if wrong.is_usage() => Failure::usage(wrong),
        failed => Failure::run(failed),
    }
}
