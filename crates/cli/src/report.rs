//! `bfq report`: results of earlier runs, together in one table.

use crate::failure::Failure;
use crate::output::{Format, OutputOptions, stdout_has_color};
use report::{Mode, Results, Style, glance};
use std::path::{Path, PathBuf};

/// The command line of `bfq report`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results that `bfq sim` or `bfq run` wrote with --output-format json, of the same job files
    #[arg(required = true, value_name = "RESULT.json")]
    results: Vec<PathBuf>,
    /// Show the latency of this job too
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a result cannot be read, or has no job of that name.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check()?;
    let mut all = Vec::new();
    for path in &arguments.results {
        all.push(read(path)?);
    }
    let results = join(all);
    if let Some(job) = &arguments.job {
        check_job(&results, job)?;
    }
    match arguments.output.output_format {
        Format::Json => arguments.output.write(&results),
        Format::Normal => {
            let color = arguments.output.output.is_none() && stdout_has_color();
            let text = glance(&results, arguments.job.as_deref(), Style { color });
            arguments.output.write_text(&text)
        }
    }
}

fn read(path: &Path) -> Result<Results, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Results::from_json(&text).map_err(|error| {
        let path = path.display();
        Failure::usage(format!("{path}: {error}; expected a result of bfq sim or bfq run"))
    })
}

/// All runs in one result.
fn join(all: Vec<Results>) -> Results {
    let mut all = all.into_iter();
    let Some(mut joined) = all.next() else { unreachable!("clap requires one") };
    for other in all {
        if other.mode != joined.mode {
            joined.mode = Mode::Mixed;
        }
        joined.note = match (joined.note.take(), other.note) {
            (Some(one), Some(two)) if one != two => Some(format!("{one}; {two}")),
            (one, two) => one.or(two),
        };
        joined.runs.extend(other.runs);
    }
    joined
}

fn check_job(results: &Results, job: &str) -> Result<(), Failure> {
    let mut names: Vec<&str> = Vec::new();
    for summary in results.runs.iter().flat_map(|run| &run.summary.jobs) {
        if !names.contains(&summary.jobname.as_str()) {
            names.push(&summary.jobname);
        }
    }
    if names.contains(&job) {
        return Ok(());
    }
    Err(Failure::usage(format!("no job `{job}`; there are: {}", names.join(", "))))
}
