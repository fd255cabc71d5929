// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `bfq` command: one module a subcommand, and what they share.
//!
//! Exit codes: [`failure::EXIT_CODES`].
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod ctl;
mod doctor;
mod explain;
mod failure;
mod fidelity;
mod generate;
mod groups;
mod input;
mod interrupt;
mod layout;
mod list;
mod note;
mod output;
mod progress;
mod report;
mod restore;
mod run;
mod scenario;
mod schedulers;
mod screen;
mod serve;
mod sim;
mod streams;
mod sweep;
mod top;
mod trace;
mod values;
mod version;
mod watched_file;
mod what_if;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;
use version::VERSION;

/// Budget Fair Queueing, and what to compare it with.
#[derive(Debug, Parser)]
#[command(name = "bfq", version = VERSION, propagate_version = true, max_term_width = 100)]
#[command(color = streams::colors_of_clap())]
#[command(after_long_help = "\
Commands with results take --output-format json, or --json in short; lists are for people.\n\
Exit codes: 0 done; 1 failed; 2 command line or input wrong. More: bfq help exit-codes.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate fio job files on modelled devices, schedulers side by side
    Sim(sim::Arguments),
    /// Run fio job files on a real file or device, under our schedulers
    Run(run::Arguments),
    /// Measure which of the kernel's schedulers suits a disk and a load
    Bench(bench::Arguments),
    /// Show who has the disks of this machine, who waits, and for what
    Top(top::Arguments),
    /// Say what other schedulers would have done for a trace
    WhatIf(what_if::Arguments),
    /// Say where weights of control groups get lost, and what mends it
    Doctor(doctor::Arguments),
    /// One process of a scenario of `bench`, which starts it
    #[command(name = ::bench::workers::COMMAND, hide = true)]
    BenchWorker,
    /// Serve files, devices or emulated disks by NBD, shared by weight
    Serve(serve::Arguments),
    /// Ask a running `bfq serve`, and change it
    Ctl(ctl::Arguments),
    /// Simulate a study of many cells, here or on a cluster, into one table
    Sweep(sweep::Arguments),
    /// Say why the I/O of a job took as long as it did
    Explain(explain::Arguments),
    /// Put results of earlier runs side by side
    Report(report::Arguments),
    /// Say what is in a trace of block I/O, or convert it
    Trace(trace::Arguments),
    /// List schedulers, devices, tunables, job options or scenarios
    List(list::Arguments),
    /// Compare decisions and results with recordings of a real kernel
    Fidelity(fidelity::Arguments),
    /// Make manual pages and completions for shells
    #[command(hide = true)]
    Generate(generate::Arguments),
    /// Say what the exit codes mean
    #[command(hide = true, override_help = failure::exit_codes())]
    ExitCodes,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            return match streams::print_of_clap(&error) {
                Ok(()) => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
                Err(failure) => failure.report(),
            };
        }
    };
    let result = match arguments.command {
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::WhatIf(arguments) => what_if::run(&arguments),
        Command::BenchWorker => bench::worker(),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Ctl(arguments) => ctl::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Fidelity(arguments) => fidelity::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments, Arguments::command()),
        Command::ExitCodes => streams::print(&failure::exit_codes()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
