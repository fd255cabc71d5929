//! `bfq report`: results of earlier runs together, as a table, a page, Markdown or CSV.

use crate::bench::judging::{is_results, verdict_of};
use crate::failure::Failure;
use crate::output::{self, stdout_has_color};
use ::bench::verdict::Verdict;
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
    /// Results that `bfq sim` or `bfq run` wrote with --output-format json, or `bfq bench` with
    /// --output
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
    let (benches, results): (Vec<&PathBuf>, Vec<&PathBuf>) =
        arguments.results.iter().partition(|path| is_results(path));
    let mut sources = Vec::new();
    for path in results {
        sources.push(Source { name: path.display().to_string(), results: read(path)? });
    }
    let verdicts: Vec<Verdict> =
        benches.into_iter().map(|path| verdict_of(path)).collect::<Result<_, _>>()?;
    if let Some(job) = &arguments.job {
        check_job(&sources, job)?;
    }
    let format = arguments.format.or_else(|| Format::of(output?)).unwrap_or(Format::Text);
    let study =
        |sources| Study::of(sources).with(verdicts.iter().map(Verdict::comparison).collect());
    let text = match format {
        Format::Html => page(&study(&sources)),
        Format::Markdown => markdown(&study(&sources)),
        Format::Csv | Format::Json if !verdicts.is_empty() => {
            let expected = "expected --format text, html or md; their own file has all figures";
            return Err(Failure::usage(format!("results of bfq bench: {expected}")));
        }
        Format::Csv => csv(&study(&sources)),
        Format::Json => join(sources).map_or(String::new(), |joined| joined.to_json()),
        Format::Text => {
            let color = output.is_none() && stdout_has_color();
            let glance = join(sources)
                .map(|joined| glance(&joined, arguments.job.as_deref(), Style { color }));
            let verdicts = verdicts.iter().map(Verdict::to_string);
            glance.into_iter().chain(verdicts).collect::<Vec<_>>().join("\n")
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

/// All runs in one result, if there are any.
fn join(sources: Vec<Source>) -> Option<Results> {
    let mut all = sources.into_iter().map(|source| source.results);
    let mut joined = all.next()?;
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
    Some(joined)
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
