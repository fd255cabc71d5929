// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq what-if`: what other schedulers would have done for each process of a trace.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note::note;
use crate::output::{self, Endings, FormOption, form};
use crate::scenario::this_command;
use crate::schedulers;
use crate::screen::Screen;
use crate::streams::stdout_has_color;
use crate::values;
use crate::watched_file::files;
use clap::ValueEnum;
use lab::SimulationOptions;
use lab::what_if::{TraceByProcess, WhatIfError};
use report::study::{NamedResults, Study};
use report::{Results, Style, glance, page, tables};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The command line of `bfq what-if`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", output::of_report))]
#[command(after_long_help = "\
The trace is replayed under each scheduler on each modelled device: a process issues its next I/O \
when that completes which it waited for, after the recorded gap, so a slower scheduler delays \
what follows; its first one comes behind what any process had completed. docs/traces.md says what \
is inferred, and what a trace does not tell: priorities, control groups, the page cache.\n\
\n\
Example:\n  \
  sudo bfq top --record x.trace --for 60s && bfq what-if x.trace\n\
\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, trace or profile \
wrong.")]
pub struct Arguments {
    /// A trace: of bfq top --record, or of any format of bfq trace
    #[arg(value_name = "TRACE", value_parser = values::input())]
    trace: PathBuf,
    /// Devices, by commas [default: the nearest to the recorded one]
    ///
    /// The built-in models of real disks are played the requests of the trace, and the one on which
    /// they take nearest to their recorded time is chosen.
    #[arg(long, value_name = "LIST", value_parser = values::devices(),
          hide_possible_values = true)]
    device: Vec<OsString>,
    #[arg(long, value_name = "LIST", default_value = "all", help = schedulers::SHORT_HELP,
          long_help = schedulers::help(), value_parser = schedulers::list(),
          hide_possible_values = true)]
    scheduler: String,
    #[command(flatten)]
    form: FormOption<Form>,
    /// Write the report to FILE instead of stdout (`-`): .txt, .html or .json
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Schedulers side by side, then all figures of each process
    #[value(alias = "normal")]
    Text,
    /// A page with drawings
    Html,
    /// As bfq sim writes it
    Json,
}

/// The endings of names by which the forms are known.
const FORMS: &Endings<Form> =
    &[(&["txt"], Form::Text), (&["html", "htm"], Form::Html), (&["json"], Form::Json)];

/// Runs the command.
///
/// # Errors
/// With exit code 2 if anything of the input is wrong, with 1 if a run fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = output::file(arguments.output.as_deref());
    let form = form(arguments.form.asked(Form::Json), output, FORMS)?.unwrap_or(Form::Text);
    output::check(output)?;
    output.map_or(Ok(()), |path| output::check_is_no_input(path, [&arguments.trace]))?;
    let files = files(arguments.quiet);
    let say = |text: &str| {
        if !arguments.quiet {
            note(text);
        }
    };
    let trace = TraceByProcess::read(&arguments.trace, &files).map_err(failure)?;
    trace.notes().iter().for_each(|text| say(text));
    let mut devices = arguments.device.clone();
    if devices.is_empty() {
        let nearest = trace.nearest().map_err(failure)?;
        devices.push(nearest.device.into());
        say(&nearest.reason);
    }
    let options = SimulationOptions {
        devices,
        schedulers: arguments.scheduler.clone(),
        command: this_command(),
        ..SimulationOptions::default()
    };
    let plan = trace.plan(options, &files).map_err(failure)?;
    let interrupt = Interrupt::listen()?;
    let mut screen = Screen::new(&interrupt, arguments.quiet, ControlFlow::Continue(()));
    let finished = plan.run_all(&mut screen).map_err(Failure::of)?;
    let told = match finished.results.runs.is_empty() {
        true => Ok(()),
        false => {
            output::write(output, &report(arguments, form, output.is_none(), finished.results))
        }
    };
    let ended = if finished.stopped { Err(Failure::Interrupted) } else { screen.logs_written };
    Failure::of_ended(Failure::of_runs(finished.failed).and(ended), told)
}

fn failure(error: WhatIfError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::run(error) }
}

fn report(arguments: &Arguments, form: Form, is_printed: bool, results: Results) -> String {
    if form == Form::Json {
        return results.to_json();
    }
    let style = Style { color: is_printed && stdout_has_color(), wide: false };
    let figures = if form == Form::Text { tables(&results, style) } else { String::new() };
    let sources = [NamedResults { name: arguments.trace.display().to_string(), results }];
    let study = Study::of(&sources);
    match form {
        Form::Html => page(&study),
        _ => format!("{}\n{figures}", glance(&study, None, style)),
    }
}
