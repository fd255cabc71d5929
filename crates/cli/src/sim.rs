// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq sim`: job files on modelled devices, in virtual time.

use crate::failure::Failure;
use crate::input::{self, CacheOptions, TimelineOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::output::{JSON_HELP, OutputOptions, TableOptions};
use crate::scenario::this_command;
use crate::schedulers;
use crate::screen::Screen;
use crate::values::devices;
use crate::watched_file::files;
use lab::{SimulationOptions, Simulations};
use std::ffi::OsString;
use std::ops::ControlFlow;

/// The command line of `bfq sim`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |format| format.long_help(JSON_HELP)))]
#[command(after_long_help = "\
Devices and schedulers: bfq list devices, bfq list schedulers, bfq list tunables.\n\
Logs that jobs ask for (write_lat_log, write_bw_log) go to the current folder under fio's names; with \
several runs, the device and the scheduler, each with its place, follow the prefix.\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, job file or profile \
wrong.")]
pub struct Arguments {
    /// Devices, by commas: ssd-sata,hdd-desktop:depth=1
    ///
    /// A built-in profile (bfq list devices) or a TOML file (docs/generated/devices.md),
    /// perhaps with values to override, as in `hdd-desktop:depth=1,rotational=0`; several are
    /// separated by commas, as schedulers are: each is run. May be repeated.
    #[arg(long, value_name = "LIST", default_value = "hdd-desktop", value_parser = devices(),
          hide_possible_values = true)]
    device: Vec<OsString>,
    #[arg(long, value_name = "LIST", default_value = "all", help = schedulers::SHORT_HELP,
          long_help = schedulers::help(), value_parser = schedulers::list(),
          hide_possible_values = true)]
    scheduler: String,
    /// Judge how fairly the device's time is shared
    ///
    /// Each job is first simulated alone on the device, under `none`; then R is the
    /// rate of each process of that at its fair share of the device's time, and U the
    /// useful time: docs/fairness.md.
    #[arg(long)]
    fair: bool,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    timeline: TimelineOptions,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if anything of the input is wrong, with 1 if a run fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plan = plan(arguments)?;
    let interrupt = Interrupt::listen()?;
    // The result is worth more than its logs: it is whole, and written, in any case.
    let mut screen = Screen::new(&interrupt, arguments.output.quiet, ControlFlow::Continue(()));
    let finished = plan.run_all(&mut screen).map_err(Failure::of)?;
    let told = match finished.results.runs.is_empty() {
        true => Ok(()),
        false => arguments.output.write(&finished.results, &arguments.tables),
    };
    let ended = if finished.stopped { Err(Failure::Interrupted) } else { screen.logs_written };
    Failure::of_ended(Failure::of_runs(finished.failed).and(ended), told)
}

fn plan(arguments: &Arguments) -> Result<Simulations, Failure> {
    arguments.output.check(arguments.work.job_files())?;
    let options = SimulationOptions {
        devices: arguments.device.clone(),
        schedulers: arguments.scheduler.clone(),
        vm: arguments.cache.vm.clone(),
        timeline: arguments.timeline.entries(&arguments.output),
        fair: arguments.fair,
        command: this_command(),
    };
    let files = files(arguments.output.quiet);
    let plan = Simulations::plan(&arguments.work.work(), options, &files).map_err(Failure::of)?;
    input::check_logs(plan.jobs())?;
    let (vm, quiet) = (&arguments.cache.vm, arguments.output.quiet);
    input::print_notes(plan.jobs(), &arguments.work, Some(vm), quiet);
    Ok(plan)
}
