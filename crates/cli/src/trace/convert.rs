// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq trace convert`: a trace in another format.

use super::reading::{Reading, ReadingOptions};
use crate::failure::Failure;
use crate::note::note;
use crate::output;
use crate::streams::unwritable;
use crate::values::{self, completed};
use ::trace::Format;
use base::suggest::meant_or_all;
use lab::{Conversion, ConversionError, WriteError};
use std::path::PathBuf;

/// The command line of `bfq trace convert`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(value_name = "IN", help = "The trace; - is stdin", value_parser = values::input())]
    input: PathBuf,
    /// The file to write, whole or not at all; compressed if its name ends in .gz; - is stdout
    #[arg(value_name = "OUT", required_unless_present = "output", conflicts_with = "output")]
    positional_output: Option<PathBuf>,
    /// The same as OUT
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format to write: blkparse, iolog2, iolog3, msr, alibaba, tencent or spc
    #[arg(long, value_name = "FORMAT",
          value_parser = completed(written_format, written()), hide_possible_values = true)]
    to: Format,
    #[command(flatten)]
    reading: ReadingOptions,
    /// No progress bar, no notes
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if the trace or the command line is wrong, with 1 if writing fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wanted = arguments.output.as_ref().or(arguments.positional_output.as_ref());
    let path = wanted.ok_or_else(|| Failure::usage("expected a file to write: OUT or -o FILE"))?;
    let path = output::file(Some(path));
    let conversion = Conversion::plan(&arguments.input, path, arguments.to).map_err(failure)?;
    let Reading { mut reader, interrupt } =
        arguments.reading.open(&arguments.input, arguments.quiet)?;
    let converted = conversion.run(&mut reader, &mut || interrupt.go_on()).map_err(failure)?;
    if !arguments.quiet {
        note(&converted.to_string());
    }
    Ok(())
}

fn failure(error: ConversionError) -> Failure {
    match error {
        ConversionError::Write(WriteError { name, source }) => unwritable(&name, source),
        wrong if wrong.is_usage() => Failure::usage(wrong),
        failed => Failure::run(failed),
    }
}

/// The names of the formats that can be written.
fn written() -> impl Iterator<Item = &'static str> {
    Format::ALL.into_iter().filter(|format| format.is_written()).map(Format::name)
}

/// Reads the name of a format that can be written.
fn written_format(text: &str) -> Result<Format, String> {
    match Format::by_name(text) {
        Some(format) if format.is_written() => Ok(format),
        Some(_) => Err(format!("it is only read; expected one of {}", Format::written_names())),
        None => {
            let names: Vec<_> = written().collect();
            Err(format!("no such format{}", meant_or_all(text, &names)))
        }
    }
}
