// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench`: which of the kernel's schedulers suits this disk and this load.

mod check;
mod fitting;
mod judging;
mod screen;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note::note;
use crate::output::{self, printed};
use crate::restore;
use crate::values::{new_file, whole};
use bench::model::Level;
use bench::run::{
    BenchOptions, Candidates, Ended, Measured, begin, resume, scenario_names, scenarios_of,
    summed_up,
};
use bench::workers;
use clap::ValueEnum;
use host::restore::Purpose;
use lab::duration_ns;
use screen::Screen;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::time::Duration;

/// The options with which no new run is begun, so that nothing is to be said of one.
const NOT_MEASURING: [&str; 4] = ["resume", "restore", "import", "named"];

/// What help says of JSON.
const JSON_HELP: &str = "JSON is the verdict, as docs/schema/verdict.schema.json says.";

/// The command line of `bfq bench`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |form| printed(form, JSON_HELP).hide_short_help(true)))]
#[command(after_long_help = "\
The schedulers of the kernel (none, mq-deadline, kyber, bfq: what it offers for the disk) take turns, \
on scenarios that real processes play: programs that start beside readers and writers, throughput, \
shares, a film, a database. Each round has each scheduler on each scenario once, in random order.\n\
TARGET is a folder (a scratch file without a name is made in it, gone when the command ends, however \
that is), a file, or a block device that is not in use. Files and devices are only read unless \
--allow-write is given, which DESTROYS their data.\n\
As root the scheduler is switched and put back. Without root only the scheduler that is in force is \
measured, without control groups.\n\
Ctrl-C ends it and says what there is so far; --resume goes on, if there is an --output.\n\
\n\
Examples:\n  \
  bfq bench --check /home\n  \
  sudo bfq bench /home\n  \
  sudo bfq bench /srv --level normal --output srv.jsonl --command \"libreoffice --convert-to pdf x.odt\"\n  \
  sudo bfq bench --resume srv.jsonl\n\
\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, target or results file \
wrong.")]
pub struct Arguments {
    /// The folder, file or block device to measure on
    #[arg(value_name = "TARGET", required_unless_present_any = ["resume", "restore", "import",
          "named"],
          conflicts_with_all = NOT_MEASURING)]
    target: Option<PathBuf>,
    /// How thorough to be
    ///
    /// This decides on sizes, times, scenarios and variants.
    #[arg(long, value_enum, default_value_t = LevelChoice::Quick,
          conflicts_with_all = NOT_MEASURING)]
    level: LevelChoice,
    /// The time there is: 90s, 10m, 1h
    ///
    /// Where it is short, cells become shorter and scenarios fewer, so that the rounds suffice for
    /// a verdict [default: by the level, 4m, 15m or 1h, and up to half as much again if that takes
    /// it; at the level quick as long as it takes]
    #[arg(long, value_name = "T", value_parser = time, allow_negative_numbers = true,
          conflicts_with_all = NOT_MEASURING)]
    time: Option<Duration>,
    /// Who is compared, by commas: none,bfq
    ///
    /// As in `none,bfq,bfq:low_latency=0,slice_idle=0` [default: what the kernel offers, and
    /// variants of bfq by the level]
    #[arg(long, value_name = "LIST", conflicts_with_all = NOT_MEASURING)]
    schedulers: Option<String>,
    #[arg(long, hide_short_help = true, value_name = "LIST",
          conflicts_with_all = NOT_MEASURING,
          help = format!("On what, by commas, of {} [default: by the level]", scenario_names()))]
    scenarios: Option<String>,
    /// Also time this command (for the shell), with nothing of it in memory. It must be on the disk
    /// that is measured, and end by itself: "xterm -e true". Needs root
    #[arg(long, hide_short_help = true, value_name = "COMMAND",
          conflicts_with_all = NOT_MEASURING)]
    command: Option<String>,
    /// Size of the scratch file [default: by the level, 1g, 4g or 16g, and at most half of what is
    /// free]; of a file or device, use only the beginning
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = base::size::size_bytes,
          conflicts_with_all = NOT_MEASURING)]
    size: Option<u64>,
    /// Let it write to a file or device: DESTROYS its data
    ///
    /// With --resume it is only needed where the target cannot be known again: its disk has no
    /// serial number.
    #[arg(long, conflicts_with_all = ["restore", "import", "named"])]
    allow_write: bool,
    /// Decides the order inside the rounds, and where random I/O goes
    #[arg(
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 1,
        value_parser = whole::<u64>(0..=u64::MAX),
        allow_negative_numbers = true,
        conflicts_with_all = NOT_MEASURING
    )]
    seed: u64,
    /// Keep the results in this new file
    ///
    /// One line of JSON each, as they come.
    #[arg(long, short, value_name = "FILE", value_parser = new_file(),
          conflicts_with_all = ["resume", "restore"])]
    output: Option<PathBuf>,
    /// Go on with a run that was interrupted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["import", "named"])]
    resume: Option<PathBuf>,
    /// Say what a full run lacks, and measure nothing
    ///
    /// Which disk is behind the target, what it can do, what is missing, and what to do about it.
    #[arg(long, conflicts_with_all = ["resume", "restore", "import", "named", "fit", "json",
          "output_format"])]
    check: bool,
    /// Measure the disk itself instead of schedulers, for about --time [default: 30s; filling the
    /// scratch file before and the computing afterwards come on top], and write a profile with
    /// which the simulator plays it: bfq sim JOB --device FILE.toml
    #[arg(long, hide_short_help = true, value_name = "FILE.toml", value_parser = new_file(),
          conflicts_with_all = ["resume", "restore", "import", "named", "schedulers", "scenarios",
          "command", "output", "json", "output_format"])]
    fit: Option<PathBuf>,
    /// Put back what a run that was killed has changed
    ///
    /// Schedulers, tunables, control groups, files, processes. The next run does that too.
    #[arg(long, conflicts_with_all = ["resume", "import", "named", "json", "output_format"])]
    restore: bool,
    /// Where it is written down what has to be put back [default: /var/lib/bfq]
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    journals: Option<PathBuf>,
    #[command(flatten)]
    judging: judging::Options,
    /// No progress bar, no notes
    #[arg(long)]
    quiet: bool,
}

/// The levels, for clap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelChoice {
    /// Some four minutes, or as long as it takes to tell anything: large differences
    Quick,
    /// A quarter of an hour
    Normal,
    /// An hour: small differences, and rare ones
    Thorough,
}

impl From<LevelChoice> for Level {
    fn from(choice: LevelChoice) -> Level {
        match choice {
            LevelChoice::Quick => Level::Quick,
            LevelChoice::Normal => Level::Normal,
            LevelChoice::Thorough => Level::Thorough,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if the command line, the target or the results file is wrong, with 1 if it
/// fails while running or is interrupted.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.restore {
        return restore::run(Purpose::Bench, arguments.journals.as_deref(), arguments.quiet);
    }
    if arguments.check {
        return check::run(&arguments.options()?);
    }
    if arguments.judging.is_import() {
        return arguments.judging.judge_files(arguments.output.as_deref());
    }
    let interrupt = Interrupt::listen_to_put_back()?;
    if let Some(profile) = &arguments.fit {
        let options = arguments.options()?;
        return fitting::run(&options, profile, arguments.time, &interrupt, arguments.quiet);
    }
    let Measured { opening, measured, ended, not_restored } = arguments.measured(&interrupt)?;
    if let Some(error) = not_restored {
        Failure::of_bench(error).report();
    }
    if !arguments.quiet {
        summed_up(&measured).iter().for_each(|text| note(&format!("note: {text}")));
    }
    let told = match measured.is_empty() {
        true => Ok(()),
        false => arguments.judging.tell(&opening, &measured),
    };
    let ended = match ended {
        Ended::Done => Ok(()),
        Ended::Failed(error) => Err(Failure::of_bench(error)),
        Ended::Interrupted => {
            let kept = arguments.output.as_ref().or(arguments.resume.as_ref());
            let advice = kept.map(|path| format!("; go on: bfq bench --resume {}", path.display()));
            note(&format!("interrupted{}", advice.unwrap_or_default()));
            Err(Failure::Interrupted)
        }
    };
    Failure::of_ended(ended, told)
}

impl Arguments {
    /// The options of the run as the user gave them, if they do not contradict each other.
    fn options(&self) -> Result<BenchOptions, Failure> {
        let scenarios = self.scenarios.as_deref().map(scenarios_of).transpose();
        let target = self.target.clone().ok_or_else(|| {
            Failure::usage("expected a TARGET: a folder, a file or a block device")
        })?;
        let options = BenchOptions {
            target,
            level: self.level.into(),
            scenarios: scenarios.map_err(Failure::usage)?,
            candidates: match &self.schedulers {
                Some(list) => Candidates::Listed(list.clone()),
                None => Candidates::Usual,
            },
            command: self.command.clone(),
            size_bytes: self.size,
            allow_write: self.allow_write,
            seed: self.seed,
            program: this_program()?,
            journals: self.journals.clone(),
            resumed: None,
        };
        options.check().map_err(Failure::usage)?;
        Ok(options)
    }

    /// Measures, in a new run or in one that goes on.
    fn measured(&self, interrupt: &Interrupt) -> Result<Measured, Failure> {
        let screen = Screen::new(self.quiet, interrupt);
        let measured = match &self.resume {
            Some(path) => {
                let (program, journals) = (this_program()?, self.journals.as_deref());
                resume(path, &program, journals, self.allow_write, &screen)
            }
            None => {
                // Else that is found out minutes later.
                output::check(self.output.as_deref())?;
                begin(&self.options()?, self.time, self.output.as_deref(), &screen)
            }
        };
        measured.map_err(Failure::of_bench)
    }
}

/// The workers are this program, too.
fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(Failure::run)
}

/// Is one process of a scenario.
///
/// # Errors
/// With exit code 1 if it cannot do what it is told, which it has said to who started it too.
pub fn worker() -> Result<(), Failure> {
    crate::run::survive_the_file_size_limit()?;
    let worked = workers::work(BufReader::new(io::stdin()), io::stdout().lock());
    // Said already, to who started it.
    worked.map_err(|_| Failure::Interrupted)
}

/// A time on the command line.
fn time(text: &str) -> Result<Duration, String> {
    duration_ns(text).map(Duration::from_nanos)
}
