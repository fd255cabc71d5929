// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq trace`: what is in a trace, and the same in another format.

mod convert;
mod info;
mod reading;

use crate::failure::Failure;
use clap::Subcommand;

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
