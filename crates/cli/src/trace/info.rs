// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq trace info`: what is in traces, as text or JSON.

use super::reading::{Reading, ReadingOptions};
use crate::failure::Failure;
use crate::output::{Format, OutputOptions};
use crate::values;
use ::trace::{InfoError, TraceInfo};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The command line of `bfq trace info`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(required = true, value_name = "FILE", help = "The traces",
          value_parser = values::input())]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    output: OutputOptions,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a trace is wrong, with 1 if the result cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.check(&arguments.files)?;
    let known = |path: &PathBuf| {
        let Reading { mut reader, interrupt } =
            arguments.reading.open(path, arguments.output.quiet)?;
        TraceInfo::read(&mut reader, &mut || interrupt.go_on()).map_err(failure)
    };
    let traces = arguments.files.iter().map(known).collect::<Result<Vec<_>, Failure>>()?;
    let text = match arguments.output.format() {
        Format::Json => {
            let traces: Vec<Value> = traces.iter().map(TraceInfo::json).collect();
            format!("{:#}\n", json!({ "traces": traces }))
        }
        Format::Normal => traces.iter().map(TraceInfo::text).collect::<Vec<_>>().join("\n"),
    };
    arguments.output.write_text(&text)
}

fn failure(error: InfoError) -> Failure {
    match error {
        InfoError::Trace(wrong) => Failure::usage(wrong),
        InfoError::Interrupted => Failure::run(error),
    }
}
