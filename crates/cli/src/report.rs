// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq report`: results of earlier runs together, as a table, a page, Markdown or CSV.

use crate::failure::Failure;
use crate::output::{self, Endings, FormOption, form};
use crate::streams::stdout_has_color;
use crate::values;
use ::bench::model::ResultsFile;
use ::bench::verdict::{Verdict, Weights, judge_file};
use clap::ValueEnum;
use report::study::{NamedResults, Study, check_job};
use report::{Results, Style, csv, fairness_table, glance, markdown, page};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

/// The command line of `bfq report`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", output::of_report))]
#[command(after_long_help = "\
Results of one scenario (job file) on one device stand side by side, from however many files they \
come.\n\
Exit codes: 0 done; 1 the report cannot be written; 2 a result cannot be read.")]
pub struct Arguments {
    /// Results of bfq sim or bfq run (--output-format json), or of bfq bench (--output)
    #[arg(required = true, value_name = "RESULT.json", value_parser = values::input())]
    results: Vec<PathBuf>,
    /// In the tables at a glance, show the latencies of this job [default: of whom the scenario is
    /// about, if anybody waits in it]
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// In the tables at a glance, lines as long as they get (else 100)
    #[arg(long)]
    wide: bool,
    #[command(flatten)]
    form: FormOption<Format>,
    /// Write the report to FILE instead of stdout
    ///
    /// It appears whole or not at all. The ending of its name says the form: .html, .md, .csv,
    /// .json; others get text. `-` is stdout.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table at a glance for each scenario
    #[value(alias = "normal")]
    Text,
    /// A page with drawings: one file that needs no network
    Html,
    /// Verdicts and tables in Markdown
    #[value(name = "md", alias = "markdown")]
    Markdown,
    /// A line for each job and kind of I/O of each run
    Csv,
    /// Worst R and useful time of runs with --fair, with means, in Markdown
    Fairness,
    /// All results as one
    Json,
}

/// The endings of names by which the forms are known.
const FORMS: &Endings<Format> = &[
    (&["txt", "text"], Format::Text),
    (&["html", "htm"], Format::Html),
    (&["md", "markdown"], Format::Markdown),
    (&["csv"], Format::Csv),
    (&["json"], Format::Json),
];

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a result cannot be read, or has no job of that name.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = output::file(arguments.output.as_deref());
    let format = form(arguments.form.asked(Format::Json), output, FORMS)?.unwrap_or(Format::Text);
    output::check(output)?;
    output.map_or(Ok(()), |path| output::check_is_no_input(path, &arguments.results))?;
    let (benches, results): (Vec<&PathBuf>, Vec<&PathBuf>) =
        arguments.results.iter().partition(|path| ResultsFile::is_at(path));
    let mut sources = Vec::new();
    for path in results {
        sources.push(NamedResults { name: path.display().to_string(), results: read(path)? });
    }
    let goals = Weights::of_all_goals();
    let verdicts = benches.into_iter().map(|path| judge_file(path, &goals));
    let verdicts: Vec<Verdict> = verdicts.collect::<Result<_, _>>().map_err(Failure::usage)?;
    if let Some(job) = &arguments.job {
        check_job(sources.iter().map(|source| &source.results), job).map_err(Failure::usage)?;
    }
    let study =
        |sources| Study::of(sources).with(verdicts.iter().map(Verdict::comparison).collect());
    let text = match format {
        Format::Html => page(&study(&sources)),
        Format::Markdown => markdown(&study(&sources)),
        Format::Csv | Format::Json | Format::Fairness if !verdicts.is_empty() => {
            let expected =
                "expected --output-format text, html or md; their own file has all figures";
            return Err(Failure::usage(format!("results of bfq bench: {expected}")));
        }
        Format::Csv => csv(&study(&sources)),
        Format::Fairness => match fairness_table(&study(&sources)) {
            table if table.is_empty() => {
                let expected = "expected a result of bfq sim --fair";
                return Err(Failure::usage(format!("none of the runs was judged; {expected}")));
            }
            table => table,
        },
        Format::Json => {
            let all = sources.into_iter().map(|NamedResults { name, results }| (name, results));
            Results::joined(all).map_or(String::new(), |joined| joined.to_json())
        }
        Format::Text => {
            let color = output.is_none() && stdout_has_color();
            let style = Style { color, wide: arguments.wide };
            let any = !sources.is_empty();
            let glance = any.then(|| glance(&study(&sources), arguments.job.as_deref(), style));
            let verdicts = verdicts.iter().map(Verdict::to_string);
            glance.into_iter().chain(verdicts).collect::<Vec<_>>().join("\n")
        }
    };
    output::write(output, &text)
}

fn read(path: &Path) -> Result<Results, Failure> {
    let wrong = |error: &dyn Display| {
        let path = path.display();
        let expected = "a result that bfq sim or bfq run wrote with --output-format json";
        Failure::usage(format!("{path}: {error}; expected {expected}"))
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    // A list would be read as the fields of a result in their order; any other text that is no
    // result is refused by the reader, which says in which line.
    if text.trim_start().starts_with('[') {
        return Err(wrong(&"it is a list"));
    }
    match Results::from_json(&text) {
        Ok(results) if results.runs.is_empty() => Err(wrong(&"it has no runs")),
        read => read.map_err(|error| wrong(&error)),
    }
}
