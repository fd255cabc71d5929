// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq explain`: where the time of a job's I/O went under bfq, and the decisions that delayed it:
//! in a simulation, on a real file or device, or in the kernel of this machine.

mod real;
mod recorded;

use crate::devices;
use crate::failure::Failure;
use crate::input::{self, CacheOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::output::{Format, OutputOptions};
use crate::progress::Progress;
use crate::schedulers::name_and_value;
use crate::streams::stdout_has_color;
use ::explain::{About, Cast, Explainer, Explanation};
use ::sim::{Control, Setup, limits, simulate_before};
use blk::QueueSettings;
use device::Profile;
use runner::SimultaneousOrder;
use std::ffi::OsString;
use workload::Job;
use workload::cache::CacheSettings;

/// The command line of `bfq explain`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("job_files", |files| {
    files.required(false).required_unless_present_any(["kernel", "recording"])
}))]
#[command(after_long_help = "\
The job files run under bfq on a modelled device, or on a real one (--target), while every \
decision of the scheduler is looked at. Or nothing is run, and the scheduler of a disk of this \
machine is looked at while it is at work (--kernel), or a recording of one (--recording): without \
--job they say who did I/O. Each nanosecond of each I/O of the job is accounted to one cause, so the parts add up to the \
latencies that were measured. I/Os of a job's ramp time count, too.\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, job file or profile \
wrong.")]
pub struct Arguments {
    /// The job to explain: a section of a job file
    ///
    /// With --kernel or --recording, the name of a program.
    #[arg(long, value_name = "NAME", required_unless_present_any = ["kernel", "recording"])]
    job: Option<String>,
    /// The simulated device
    ///
    /// A built-in profile or a TOML file, perhaps with values to override, as in
    /// `hdd-desktop:depth=1,rotational=0`.
    #[arg(long, value_name = "PROFILE", default_value = "hdd-desktop")]
    device: OsString,
    #[command(flatten)]
    real: real::Options,
    #[command(flatten)]
    recorded: recorded::Source,
    /// How many of the slowest I/Os are told step by step
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 5)]
    slowest: usize,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    cache: CacheOptions,
}

impl Arguments {
    /// For people: the explanation, and what its terms mean unless they want it short.
    fn text_of(&self, explanation: &Explanation) -> String {
        let color = self.output.output.is_none() && stdout_has_color();
        let glossary = if self.output.quiet { String::new() } else { explanation.glossary(color) };
        explanation.text(color) + &glossary
    }
}

/// All of the input, read and checked.
struct Plan {
    jobs: Vec<Job>,
    cast: Cast,
    profile: Profile,
    tunables: Vec<(String, String)>,
    settings: QueueSettings,
    page_cache: CacheSettings,
    group_weights: Vec<(String, u32)>,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if anything of the input is wrong, with 1 if the run fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.recorded.are_given() {
        return recorded::run(arguments);
    }
    let plan = plan(arguments)?;
    let interrupt = Interrupt::listen()?;
    let (explanation, stopped) = match &arguments.real.target {
        None => simulated(arguments, &plan, &interrupt)?,
        Some(path) => real::explain(arguments, &plan, path, &interrupt)?,
    };
    let text = match arguments.output.output_format {
        Format::Json => explanation.to_json(),
        _ => arguments.text_of(&explanation),
    };
    arguments.output.write_text(&text)?;
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    arguments.output.check()?;
    if arguments.real.target.is_some() && arguments.cache.are_given() {
        let text = "--vm: a real target has no simulated page cache; expected no --target";
        return Err(Failure::usage(text.to_owned()));
    }
    let jobs = arguments.work.jobs(arguments.output.quiet)?;
    let job = arguments.job.as_deref().unwrap_or_default();
    let cast = Cast::new(&jobs, job).map_err(Failure::usage)?;
    let setting = |text: &String| match name_and_value(text) {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("--set {text}: expected NAME=VALUE"))),
    };
    let plan = Plan {
        jobs,
        cast,
        profile: one_device(&arguments.device)?,
        tunables: arguments.work.set.iter().map(setting).collect::<Result<_, _>>()?,
        settings: arguments.work.queue_settings()?,
        page_cache: arguments.cache.settings()?,
        group_weights: arguments.work.group_weights()?,
    };
    input::print_notes(&plan.jobs, arguments.output.quiet);
    Ok(plan)
}

/// What happened to a job is told of one device.
fn one_device(argument: &OsString) -> Result<Profile, Failure> {
    let mut profiles = devices::parse(std::slice::from_ref(argument))?;
    match profiles.pop() {
        Some(profile) if profiles.is_empty() => Ok(profile),
        _ => Err(Failure::usage(format!("--device {}: expected one device", argument.display()))),
    }
}

/// Simulates, and gives what was found out and whether the user stopped it.
fn simulated(
    arguments: &Arguments,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<(Explanation, bool), Failure> {
    let mut explainer = Explainer::new(plan.cast.clone(), arguments.slowest);
    let elevator = explainer.elevator(&limits(&plan.profile), &plan.tunables);
    let setup = Setup {
        jobs: &plan.jobs,
        group_weights: &plan.group_weights,
        settings: plan.settings,
        page_cache: plan.page_cache,
        profile: &plan.profile,
        elevator: elevator.map_err(|error| Failure::usage(format!("--set: {error}")))?,
        seed: arguments.work.seed,
        order: SimultaneousOrder::AsCreated,
    };
    let progress = Progress::new(format!("bfq on {}", plan.profile.name()), arguments.output.quiet);
    let mut observe = |now_ns, planned_ns| {
        progress.at(now_ns, planned_ns);
        if interrupt.requested() { Control::Stop } else { Control::Continue }
    };
    let simulated = simulate_before(setup, &mut observe, &mut explainer);
    progress.clear();
    let simulated = simulated.map_err(|error| match error.is_usage() {
        true => Failure::usage(error),
        false => Failure::run(error),
    })?;
    let note = simulated.stopped.then(|| "interrupted; this is about the time so far".to_owned());
    let about = About {
        bfq_version: env!("CARGO_PKG_VERSION").into(),
        mode: "sim".into(),
        seed: Some(arguments.work.seed),
        device: plan.profile.name().to_owned(),
        elapsed_ns: simulated.outcome.elapsed_ns,
        note,
    };
    Ok((explainer.explanation(about), simulated.stopped))
}
