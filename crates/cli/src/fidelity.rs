// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq fidelity`: what a real kernel did, beside ours: its recorded decisions, and
//! results of scenarios.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Format, OutputOptions};
use crate::progress::Progress;
use ::fidelity::decisions::ReplayedLogs;
use ::fidelity::results::{
    Case, ResultsError, behaviours_markdown, cases, compare_behaviours, markdown, read_recordings,
    repeat,
};
use std::path::{Path, PathBuf};
use workload::Job;

/// The command line of `bfq fidelity`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Recorded decisions of the kernel's bfq, or of ours: compare every decision
    ///
    /// Logs of the kernel's are NAME.csv or NAME.csv.gz, with NAME.toml beside each; bfq explain
    /// --kernel DEVICE --save FILE keeps recordings of ours. Their events are fed to the core.
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
    arguments.output.check(arguments.logs.iter().chain(&arguments.results))?;
    match (&arguments.results, &arguments.scenarios) {
        (Some(results), Some(scenarios)) => compare_results(arguments, results, scenarios),
        _ => compare_decisions(&arguments.logs, &arguments.output),
    }
}

/// Replays each log and reports.
fn compare_decisions(logs: &[PathBuf], output: &OutputOptions) -> Result<(), Failure> {
    let replayed = ReplayedLogs::of(logs).map_err(Failure::usage)?;
    let text = match output.output_format {
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
    if arguments.output.output_format == Format::Json {
        return Err(Failure::usage("bfq fidelity --results writes Markdown only"));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let recordings = read_recordings(&text).map_err(Failure::usage)?;
    let wanted = |list: &[String], name: &String| list.is_empty() || list.contains(name);
    let cases: Vec<_> = cases(&recordings)
        .into_iter()
        .filter(|case| {
            case.is_comparable()
                && (case.is_of_bfq() || !arguments.behaviours)
                && wanted(&arguments.scheduler, &case.scheduler)
                && wanted(&arguments.scenario, &case.scenario)
        })
        .collect();
    if cases.is_empty() {
        let path = path.display();
        return Err(Failure::usage(format!(
            "{path}: no recorded line is of these scenarios and schedulers; expected names that \
             are in it"
        )));
    }
    let text = if arguments.behaviours {
        let comparisons = for_each(arguments, &cases, scenarios, |case, jobs| {
            Ok(vec![compare_behaviours(case, jobs)?])
        })?;
        behaviours_markdown(&comparisons)
    } else {
        let lines =
            for_each(arguments, &cases, scenarios, |case, jobs| repeat(&recordings, case, jobs))?;
        markdown(&lines)
    };
    arguments.output.write_text(&text)
}

/// What `work` makes of each case and the jobs of its scenario.
fn for_each<T>(
    arguments: &Arguments,
    cases: &[Case],
    scenarios: &Path,
    work: impl Fn(&Case, &[Job]) -> Result<Vec<T>, ResultsError>,
) -> Result<Vec<T>, Failure> {
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new("scenarios".into(), arguments.output.quiet);
    let mut results = Vec::new();
    for (done, case) in cases.iter().enumerate() {
        progress.piece(done, cases.len());
        if interrupt.requested() {
            return Err(Failure::run("interrupted; nothing was written"));
        }
        let jobs = workload::load(&job_file(scenarios, &case.scenario)).map_err(Failure::usage)?;
        results.extend(work(case, &jobs).map_err(failure)?);
    }
    progress.clear();
    Ok(results)
}

fn job_file(folder: &Path, scenario: &str) -> PathBuf {
    folder.join(format!("{scenario}.fio"))
}

fn failure(error: ResultsError) -> Failure {
    match error {
        ResultsError::Simulation(ref simulation) if !simulation.is_usage() => Failure::run(error),
        _ => Failure::usage(error),
    }
}
