//! `bfq fidelity`: simulations beside what a real kernel did.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Format, OutputOptions};
use crate::progress::Progress;
use ::sim::fidelity::{FidelityError, cases, compare, markdown, read_recordings, run_case};
use runner::SimultaneousOrder;
use std::path::{Path, PathBuf};

/// The command line of `bfq fidelity`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Recorded results of scenarios, comma-separated
    #[arg(long, value_name = "CSV")]
    results: PathBuf,
    /// The folder with the scenarios' job files
    #[arg(long, value_name = "FOLDER")]
    scenarios: PathBuf,
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
/// With exit code 2 if the recordings or job files are wrong, with 1 if a simulation fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    if arguments.output.output_format == Format::Json {
        return Err(Failure::usage("bfq fidelity --results writes Markdown only"));
    }
    let path = &arguments.results;
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
    let mut comparisons = Vec::new();
    for (done, case) in cases.iter().enumerate() {
        progress.piece(done, cases.len());
        if interrupt.requested() {
            return Err(Failure::run("interrupted; nothing was written"));
        }
        let file = job_file(&arguments.scenarios, &case.scenario);
        let jobs = workload::load(&file).map_err(Failure::usage)?;
        let simulated = run_case(case, &jobs, SimultaneousOrder::AsCreated).map_err(failure)?;
        comparisons.extend(compare(&recordings, case, &simulated).map_err(failure)?);
    }
    progress.clear();
    arguments.output.write_text(&markdown(&comparisons))
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
