// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq sim`: job files on modelled devices, in virtual time.

use crate::devices;
use crate::failure::Failure;
use crate::input::{self, CacheOptions, TimelineOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::output::{OutputOptions, write_logs};
use crate::progress::Progress;
use crate::schedulers::{self, Choice};
use ::sim::{Control, Setup, limits, simulate_before};
use blk::QueueSettings;
use device::Profile;
use report::{LogFiles, Mode, Results, Run, Scenario};
use runner::{Config, Runner, SimultaneousOrder};
use std::ffi::OsString;
use workload::Job;
use workload::cache::CacheSettings;

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

/// Everything that the runs have in common.
struct Plan {
    jobs: Vec<Job>,
    profiles: Vec<Profile>,
    choices: Vec<Choice>,
    settings: QueueSettings,
    page_cache: CacheSettings,
    group_weights: Vec<(String, u32)>,
    scenario: Scenario,
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
    let single = plan.profiles.len() * plan.choices.len() == 1;
    for (number, profile) in plan.profiles.iter().enumerate() {
        for (place, choice) in plan.choices.iter().enumerate() {
            let infix = match single {
                true => String::new(),
                false => {
                    format!("-{}.{}-{}.{}", profile.name(), number + 1, choice.name(), place + 1)
                }
            };
            let (run, logs, stopped) =
                one_run(arguments, &plan, profile, choice, &infix, &interrupt)?;
            write_logs(&logs)?;
            results.runs.push(run);
            if stopped {
                results.note = Some(interrupted(&results.runs, &plan));
                arguments.output.write(&results)?;
                return Err(Failure::Interrupted);
            }
        }
    }
    arguments.output.write(&results)
}

/// Reads all of the input, so that what is wrong is said before anything runs.
fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    arguments.output.check()?;
    let jobs = arguments.work.jobs(arguments.output.quiet)?;
    let scenario = arguments.work.scenario(&jobs)?;
    let plan = Plan {
        jobs,
        profiles: devices::parse(&arguments.device)?,
        choices: schedulers::parse(&arguments.scheduler, &arguments.work.set)
            .map_err(Failure::usage)?,
        settings: arguments.work.queue_settings()?,
        page_cache: arguments.cache.settings()?,
        group_weights: arguments.work.group_weights()?,
        scenario,
    };
    for profile in &plan.profiles {
        // Better to hear now that the jobs don't fit the last device than after the others ran.
        let config = Config {
            jobs: &plan.jobs,
            group_weights: &plan.group_weights,
            settings: plan.settings,
            page_cache: Some(plan.page_cache),
            limits: limits(profile),
            seed: arguments.work.seed,
            order: SimultaneousOrder::AsCreated,
        };
        let elevator = plan.choices[0].build(&config.limits).map_err(Failure::usage)?;
        Runner::new(&config, elevator).map_err(Failure::usage)?;
    }
    input::print_notes(&plan.jobs, arguments.output.quiet);
    Ok(plan)
}

fn one_run(
    arguments: &Arguments,
    plan: &Plan,
    profile: &Profile,
    choice: &Choice,
    infix: &str,
    interrupt: &Interrupt,
) -> Result<(Run, LogFiles, bool), Failure> {
    let mut recorder = arguments.timeline.recorder(&plan.jobs, &arguments.output);
    let elevator = match &recorder {
        Some(recorder) => choice.build_observed(&limits(profile), recorder.clone()),
        None => choice.build(&limits(profile)),
    };
    let setup = Setup {
        jobs: &plan.jobs,
        group_weights: &plan.group_weights,
        settings: plan.settings,
        page_cache: plan.page_cache,
        profile,
        elevator: elevator.map_err(Failure::usage)?,
        seed: arguments.work.seed,
        order: SimultaneousOrder::AsCreated,
    };
    let progress =
        Progress::new(format!("{} on {}", choice.name(), profile.name()), arguments.output.quiet);
    let mut observe = |now_ns, planned_ns| {
        progress.at(now_ns, planned_ns);
        if interrupt.requested() { Control::Stop } else { Control::Continue }
    };
    let simulated = simulate_before(setup, &mut observe, &mut recorder);
    progress.clear();
    let simulated = simulated.map_err(|error| match error.is_usage() {
        true => Failure::usage(error),
        false => Failure::run(error),
    })?;
    let logs = simulated.outcome.log_files(infix);
    let elapsed_ns = simulated.outcome.elapsed_ns;
    let mut run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
    run.variant = choice.variant().map(str::to_owned);
    run.scenario = Some(plan.scenario.clone());
    run.set_timeline(recorder.and_then(|recorder| recorder.timeline(elapsed_ns)));
    Ok((run, logs, simulated.stopped))
}

fn interrupted(runs: &[Run], plan: &Plan) -> String {
    format!(
        "interrupted; the last of these {} runs (of {}) is incomplete",
        runs.len(),
        plan.profiles.len() * plan.choices.len()
    )
}
