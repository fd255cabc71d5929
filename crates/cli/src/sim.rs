// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq sim`: job files on modelled devices, in virtual time.

use crate::failure::Failure;
use crate::input::{self, CacheOptions, TimelineOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::output::{OutputOptions, write_logs};
use crate::progress::Progress;
use crate::scenario::this_command;
use crate::schedulers;
use crate::watched_file::files;
use ::sim::Control;
use lab::{Cell, FinishedSimulation, SimulationOptions, Simulations};
use report::{Mode, Results};
use std::ffi::OsString;

/// The command line of `bfq sim`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Devices and schedulers: bfq list devices, bfq list schedulers, bfq list tunables.\n\
Logs that jobs ask for (write_lat_log, write_bw_log) go to the current folder under fio's names; with \
several runs, the device and the scheduler, each with its place, follow the prefix.\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, job file or profile \
wrong.")]
pub struct Arguments {
    /// Devices, by commas: ssd-sata,hdd-desktop:depth=1
    ///
    /// A built-in profile (bfq list devices) or a TOML file, perhaps with values to override, as in
    /// `hdd-desktop:depth=1,rotational=0`; several are separated by commas, as schedulers are: each
    /// is run. May be repeated.
    #[arg(long, value_name = "LIST", default_value = "hdd-desktop")]
    device: Vec<OsString>,
    #[arg(long, value_name = "LIST", default_value = "all", help = schedulers::SHORT_HELP,
          long_help = schedulers::help())]
    scheduler: String,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    output: OutputOptions,
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
    let mut results = Results {
        bfq_version: env!("CARGO_PKG_VERSION").into(),
        mode: Mode::Sim,
        seed: arguments.work.seed,
        note: None,
        runs: Vec::new(),
    };
    for cell in plan.cells() {
        let finished = one_run(arguments, &plan, &cell, &interrupt)?;
        write_logs(&finished.logs)?;
        results.runs.push(finished.run);
        if finished.stopped {
            results.note = Some(format!(
                "interrupted; the last of these {} runs (of {}) is incomplete",
                results.runs.len(),
                plan.len()
            ));
            arguments.output.write(&results)?;
            return Err(Failure::Interrupted);
        }
    }
    arguments.output.write(&results)
}

fn plan(arguments: &Arguments) -> Result<Simulations, Failure> {
    arguments.output.check()?;
    let options = SimulationOptions {
        devices: arguments.device.clone(),
        schedulers: arguments.scheduler.clone(),
        vm: arguments.cache.vm.clone(),
        timeline: arguments.timeline.entries(&arguments.output),
        command: this_command(),
    };
    let files = files(arguments.output.quiet);
    let plan = Simulations::plan(&arguments.work.work(), options, &files).map_err(Failure::of)?;
    input::print_notes(plan.jobs(), arguments.output.quiet);
    Ok(plan)
}

fn one_run(
    arguments: &Arguments,
    plan: &Simulations,
    cell: &Cell,
    interrupt: &Interrupt,
) -> Result<FinishedSimulation, Failure> {
    let what = format!("{} on {}", cell.choice.name(), cell.profile.name());
    let progress = Progress::new(what, arguments.output.quiet);
    let finished = plan.run(cell, &mut |now_ns, planned_ns| {
        progress.at(now_ns, planned_ns);
        if interrupt.requested() { Control::Stop } else { Control::Continue }
    });
    progress.clear();
    finished.map_err(Failure::of)
}
