// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq trace`: what is in a trace, and the same in another format.

mod convert;
mod info;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::watched_file::files;
use ::trace::{Format, ReadOptions, Reader};
use clap::Subcommand;
use lab::check_known;
use std::path::Path;

/// The command line of `bfq trace`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Formats, known by their content: blkparse, blktrace, iolog2, iolog3, \
                        startup, msr, alibaba, tencent, spc; plain, .gz or .zst.\nTo replay a \
                        trace: bfq sim TRACE --replay chain, or read_iolog=TRACE in a job file.")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what is in traces: requests, processes, sizes, order, think times
    Info(info::Arguments),
    /// Convert a trace into another format
    Convert(convert::Arguments),
}

/// How traces are read.
#[derive(Debug, clap::Args)]
struct ReadingOptions {
    /// The format of the traces, if it is not to be known by their content
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Pass over records that are wrong, and say how many
    #[arg(long)]
    skip_bad: bool,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a trace or the command line is wrong, with 1 if reading or writing fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Info(arguments) => info::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
    }
}

/// Reads the name of a format.
fn format(text: &str) -> Result<Format, String> {
    Format::by_name(text).ok_or_else(|| format!("expected one of {}", Format::names()))
}

/// A trace being read, until it is interrupted.
struct Reading<'a> {
    reader: Reader<'a>,
    interrupt: Interrupt,
    records: u64,
}

/// Records between two looks at interrupts.
const OBSERVED_RECORDS: u64 = 1 << 14;

impl ReadingOptions {
    fn open<'a>(&self, path: &Path, quiet: bool) -> Result<Reading<'a>, Failure> {
        let name = path.display().to_string();
        check_known(path).map_err(Failure::of)?;
        let file = files(quiet).open_any(path).map_err(|error| {
            Failure::usage(format!("{name}: {error}; expected a readable trace"))
        })?;
        let options = ReadOptions { format: self.format, skip_bad: self.skip_bad };
        let reader = Reader::new(file, &name, options).map_err(Failure::usage)?;
        Ok(Reading { reader, interrupt: Interrupt::listen()?, records: 0 })
    }
}

impl Reading<'_> {
    /// The next record; none at the end.
    fn next(&mut self) -> Result<Option<::trace::Record>, Failure> {
        self.records += 1;
        if self.records.is_multiple_of(OBSERVED_RECORDS) && self.interrupt.requested() {
            return Err(Failure::run("interrupted"));
        }
        self.reader.next().transpose().map_err(Failure::usage)
    }
}
