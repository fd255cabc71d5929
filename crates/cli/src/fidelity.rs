//! `bfq fidelity`: what a real kernel did, beside ours: its recorded decisions, and results of
//! scenarios.

mod decisions;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Format, OutputOptions};
use crate::progress::Progress;
use ::sim::fidelity::{FidelityError, cases, markdown, read_recordings, repeat};
use std::path::{Path, PathBuf};

/// The command line of `bfq fidelity`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Recorded decision logs of the kernel's bfq (NAME.csv or NAME.csv.gz, with NAME.toml beside
    /// each), or recordings of ours (as bfq explain --kernel DEVICE --save FILE keeps them): feed
    /// their events to the core and compare every decision
    #[arg(value_name = "LOG", required_unless_present = "results", conflicts_with = "results")]
    logs: Vec<PathBuf>,
    /// Recorded results of scenarios instead: simulate the scenarios and lay the figures side by
    /// side
    #[arg(long, value_name = "CSV", requires = "scenarios")]
    results: Option<PathBuf>,
    /// The folder with the scenarios' job files
    #[arg(long, value_name = "FOLDER")]
    scenarios: Option<PathBuf>,
    /// Only these schedulers, as the recordings call them, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    scheduler: Vec<String>,
    /// Only these scenarios, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
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
    arguments.output.check()?;
    match (&arguments.results, &arguments.scenarios) {
        (Some(results), Some(scenarios)) => compare_results(arguments, results, scenarios),
        _ => decisions::run(&arguments.logs, &arguments.output),
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
                && wanted(&arguments.scheduler, &case.scheduler)
                && wanted(&arguments.scenario, &case.scenario)
        })
        .collect();
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new("scenarios".into(), arguments.output.quiet);
    let mut lines = Vec::new();
    for (done, case) in cases.iter().enumerate() {
        progress.piece(done, cases.len());
        if interrupt.requested() {
            return Err(Failure::run("interrupted; nothing was written"));
        }
        let file = job_file(scenarios, &case.scenario);
        let jobs = workload::load(&file).map_err(Failure::usage)?;
        lines.extend(repeat(&recordings, case, &jobs).map_err(failure)?);
    }
    progress.clear();
    arguments.output.write_text(&markdown(&lines))
}

fn job_file(folder: &Path, scenario: &str) -> PathBuf {
    folder.join(format!("{scenario}.fio"))
}

fn failure(error: FidelityError) -> Failure {
    match error {
        FidelityError::Simulation(ref simulation) if !simulation.is_usage() => Failure::run(error),
        _ => Failure::usage(error),
    }
}
