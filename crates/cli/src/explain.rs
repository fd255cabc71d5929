// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq explain`: where the time of a job's I/O went under bfq or tfq, and the decisions that
//! delayed it: in a simulation, on a real file or device, or in the kernel of this machine.

mod real;
mod recorded;

use crate::failure::Failure;
use crate::input::{self, CacheOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::output::{Format, OutputOptions};
use crate::progress::Progress;
use crate::values::{completed, devices, whole};
use crate::watched_file::files;
use ::explain::Explanation;
use base::suggest::meant_or_all;
use lab::{ExplainOptions, ExplainPlan, PolicyName};
use std::ffi::OsString;

/// The command line of `bfq explain`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("job_files", |files| {
    files.required(false).required_unless_present_any(["kernel", "recording"])
}))]
#[command(after_long_help = "\
The job files run under the scheduler on a modelled device, or on a real one (--target), while \
every decision of the scheduler is looked at. Or nothing is run, and the scheduler of a disk of \
this machine is looked at while it is at work (--kernel), or a recording of one (--recording): \
without --job they say who did I/O. Each nanosecond of each I/O of the job is accounted to one \
cause, so the parts add up to the latencies that were measured. I/Os of a job's ramp time count, \
too.\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, job file or profile \
wrong.")]
pub struct Arguments {
    /// The job to explain [default: the only one]
    ///
    /// A section of a job file. With --kernel or --recording, the name of a program; without it
    /// they say who did I/O.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// The scheduler: bfq or tfq
    #[arg(long, value_name = "NAME", default_value = PolicyName::Budget.name(),
          value_parser = completed(scheduler, PolicyName::ALL.iter().map(|policy| policy.name())),
          hide_possible_values = true)]
    scheduler: PolicyName,
    /// The simulated device
    ///
    /// A built-in profile or a TOML file, perhaps with values to override, as in
    /// `hdd-desktop:depth=1,rotational=0`.
    #[arg(long, value_name = "PROFILE", default_value = "hdd-desktop", value_parser = devices(),
          hide_possible_values = true)]
    device: OsString,
    #[command(flatten)]
    real: real::Options,
    #[command(flatten)]
    recorded: recorded::Source,
    /// How many of the slowest I/Os are told step by step
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 5,
          value_parser = whole::<usize>(0..=u32::MAX.into()), allow_negative_numbers = true)]
    slowest: usize,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    cache: CacheOptions,
}

/// Reads the name of a scheduler whose decisions can be looked at.
fn scheduler(text: &str) -> Result<PolicyName, String> {
    let names = || PolicyName::ALL.iter().map(|policy| policy.name()).collect::<Vec<_>>();
    PolicyName::from_name(text).ok_or_else(|| {
        let unknown = format!("no such scheduler{}", meant_or_all(text, &names()));
        match text.split_once(':') {
            Some((name, tunables)) if PolicyName::from_name(name).is_some() => {
                format!("tunables are set by --set, as in --set {tunables}")
            }
            _ if text.contains(',') => "expected one scheduler".to_owned(),
            _ if elevators::names().any(|name| name == text) => {
                format!("decisions are told of {} only", names().join(" and "))
            }
            _ => unknown,
        }
    })
}

impl Arguments {
    /// For people: the explanation, and what its terms mean unless they want it short.
    fn text_of(&self, explanation: &Explanation) -> String {
        let look = self.output.look();
        let glossary = if self.output.quiet { String::new() } else { explanation.glossary(look) };
        explanation.text(look) + &glossary
    }
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if anything of the input is wrong, with 1 if the run fails.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.recorded.are_given() {
        let Arguments { recorded, job, slowest, output, .. } = arguments;
        return recorded::run(recorded, job.as_deref(), *slowest, output);
    }
    let plan = plan(arguments)?;
    let interrupt = Interrupt::listen()?;
    let (explanation, stopped) = match arguments.real.target() {
        None => simulated(arguments, &plan, &interrupt)?,
        Some(target) => real::explain(&plan, &target, &interrupt, arguments.output.quiet)?,
    };
    let text = match arguments.output.format() {
        Format::Json => explanation.to_json(),
        _ => arguments.text_of(&explanation),
    };
    arguments.output.write_text(&text)?;
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

fn plan(arguments: &Arguments) -> Result<ExplainPlan, Failure> {
    arguments.output.check(arguments.work.job_files())?;
    if arguments.real.target().is_some() && arguments.cache.are_given() {
        let text = "--vm: a real target has no simulated page cache; expected no --target";
        return Err(Failure::usage(text.to_owned()));
    }
    let options = ExplainOptions {
        scheduler: arguments.scheduler,
        job: arguments.job.clone(),
        device: arguments.device.clone(),
        vm: arguments.cache.vm.clone(),
        slowest: arguments.slowest,
    };
    let files = files(arguments.output.quiet);
    let plan = ExplainPlan::plan(&arguments.work.work(), &options, &files).map_err(Failure::of)?;
    let vm = arguments.real.target().is_none().then_some(&arguments.cache.vm[..]);
    input::print_notes(plan.jobs(), &arguments.work, vm, arguments.output.quiet);
    Ok(plan)
}

/// Simulates, and gives what was found out and whether the user stopped it.
fn simulated(
    arguments: &Arguments,
    plan: &ExplainPlan,
    interrupt: &Interrupt,
) -> Result<(Explanation, bool), Failure> {
    let what = format!("{} on {}", plan.scheduler().name(), plan.profile().name());
    let progress = Progress::new(what, arguments.output.quiet);
    let explained = plan.simulated(&mut |now_ns, planned_ns| {
        progress.at(now_ns, planned_ns);
        interrupt.go_on()
    });
    progress.clear();
    explained.map_err(Failure::of)
}
