//! `bfq report`: results of earlier runs together, as a table, a page, Markdown or CSV.

use crate::failure::Failure;
use crate::output::{self, stdout_has_color};
use clap::ValueEnum;
use report::study::{Source, Study};
use report::{Mode, Results, Style, csv, glance, markdown, page};
use std::path::{Path, PathBuf};

/// The command line of `bfq report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Results of one scenario (job file) on one device stand side by side, from however many files they \
come.\n\
Exit codes: 0 done; 1 the report cannot be written; 2 a result cannot be read.")]
pub struct Arguments {
    /// Results that `bfq sim` or `bfq run` wrote with --output-format json
    #[arg(required = true, value_name = "RESULT.json")]
    results: Vec<PathBuf>,
    /// In the table at a glance, show the latency of this job too
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// What to make of them [default: what the ending of --output says, else a table]
    #[arg(long, alias = "output-format", value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write the report to FILE instead of stdout; it appears whole or not at all
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One table at a glance, of results of the same job files
    #[value(alias = "normal")]
    Text,
    /// A page with drawings: one file that needs no network
    Html,
    /// Verdicts and tables in Markdown
    #[value(name = "md", alias = "markdown")]
    Markdown,
    /// A line for each job and kind of I/O of each run
    Csv,
    /// All results as one
    Json,
}

impl Format {
    /// What the ending of a file's name says.
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "html" | "htm" => Some(Format::Html),
            "md" => Some(Format::Markdown),
            "csv" => Some(Format::Csv),
            "json" => Some(Format::Json),
            _ => None,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a result cannot be read, or has no job of that name.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = arguments.output.as_deref();
    output::check(output)?;
    let mut sources = Vec::new();
    for path in &arguments.results {
        sources.push(Source { name: path.display().to_string(), results: read(path)? });
    }
    if let Some(job) = &arguments.job {
        check_job(&sources, job)?;
    }
    let format = arguments.format.or_else(|| Format::of(output?)).unwrap_or(Format::Text);
    let text = match format {
        Format::Html => page(&Study::of(&sources)),
        Format::Markdown => markdown(&Study::of(&sources)),
        Format::Csv => csv(&Study::of(&sources)),
        Format::Json => join(sources).to_json(),
        Format::Text => {
            let color = output.is_none() && stdout_has_color();
            glance(&join(sources), arguments.job.as_deref(), Style { color })
        }
    };
    output::write(output, &text)
}

fn read(path: &Path) -> Result<Results, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Results::from_json(&text).map_err(|error| {
        let path = path.display();
        let expected = "a result that bfq sim or bfq run wrote with --output-format json";
        Failure::usage(format!("{path}: {error}; expected {expected}"))
    })
}

/// All runs in one result.
fn join(sources: Vec<Source>) -> Results {
    let mut all = sources.into_iter().map(|source| source.results);
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

fn check_job(sources: &[Source], job: &str) -> Result<(), Failure> {
    let mut names: Vec<&str> = Vec::new();
    let runs = sources.iter().flat_map(|source| &source.results.runs);
    for summary in runs.flat_map(|run| &run.summary.jobs) {
        if !names.contains(&summary.jobname.as_str()) {
            names.push(&summary.jobname);
        }
    }
    if names.contains(&job) {
        return Ok(());
    }
    Err(Failure::usage(format!("no job `{job}`; there are: {}", names.join(", "))))
}
