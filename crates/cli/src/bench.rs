// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench`: which of the kernel's schedulers suits this disk and this load.

mod check;
mod choice;
mod fitting;
pub mod judging;
mod measuring;
mod remarks;
mod restore;
mod stage;

use crate::failure::Failure;
use crate::input::duration_ns;
use crate::interrupt::Interrupt;
use crate::streams::note;
use bench::model::{Level, Measurement, Opening, ResultsFile};
use bench::workers;
use clap::ValueEnum;
use measuring::Ended;
use stage::Stage;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The command line of `bfq bench`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
The schedulers of the kernel (none, mq-deadline, kyber, bfq: what it offers for the disk) take turns, \
on scenarios that real processes play: programs that start beside readers and writers, throughput, \
shares, a film, a database. Each round has each scheduler on each scenario once, in random order.\n\
TARGET is a folder (a scratch file without a name is made in it, gone when the command ends, however \
that is), a file, or a block device that nobody uses. Files and devices are only read unless \
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
          conflicts_with_all = ["resume", "restore", "import", "named"])]
    target: Option<PathBuf>,
    /// How thorough to be
    ///
    /// This decides on sizes, times, scenarios and variants.
    #[arg(long, value_enum, default_value_t = LevelChoice::Quick, conflicts_with = "resume")]
    level: LevelChoice,
    /// The time there is: 90s, 10m, 1h
    ///
    /// Where it is short, cells become shorter and scenarios fewer, so that the rounds suffice for
    /// a verdict [default: by the level, 4m, 15m or 1h, and up to half as much again if that takes
    /// it; at the level quick as long as it takes]
    #[arg(long, value_name = "T", value_parser = time, conflicts_with = "resume")]
    time: Option<Duration>,
    /// Who is compared, by commas: none,bfq
    ///
    /// As in `none,bfq,bfq:low_latency=0,slice_idle=0` [default: what the kernel
    /// offers, and variants of bfq by the level]
    #[arg(long, value_name = "LIST", conflicts_with = "resume")]
    schedulers: Option<String>,
    #[arg(long, hide_short_help = true, value_name = "LIST", conflicts_with = "resume",
          help = format!("On what, by commas, of {} [default: by the level]", choice::names()))]
    scenarios: Option<String>,
    /// Also time this command (for the shell), with nothing of it in memory. It must be on the disk
    /// that is measured, and end by itself: "xterm -e true". Needs root
    #[arg(long, hide_short_help = true, value_name = "COMMAND", conflicts_with = "resume")]
    command: Option<String>,
    /// Size of the scratch file [default: by the level, 1g, 4g or 16g, and at most half of what is
    /// free]; of a file or device, use only the beginning
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = crate::run::size_bytes,
          conflicts_with = "resume")]
    size: Option<u64>,
    /// Let it write to a file or device: DESTROYS its data
    #[arg(long, conflicts_with = "resume")]
    allow_write: bool,
    /// Decides the order inside the rounds, and where random I/O goes
    #[arg(
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 1,
        conflicts_with = "resume"
    )]
    seed: u64,
    /// Keep the results in this new file
    ///
    /// One line of JSON each, as they come.
    #[arg(long, short, value_name = "FILE", conflicts_with = "resume")]
    output: Option<PathBuf>,
    /// Go on with a run that was interrupted
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Say what a full run lacks, and measure nothing
    ///
    /// Which disk is behind the target, what it can do, what is missing, and what to do about it.
    #[arg(long, conflicts_with_all = ["resume", "restore"])]
    check: bool,
    /// Measure the disk itself instead of schedulers, for about --time [default: 30s], and write a
    /// profile with which the simulator plays it: bfq sim JOB --device FILE.toml
    #[arg(long, hide_short_help = true, value_name = "FILE.toml", conflicts_with_all = ["resume",
          "restore", "check",
          "schedulers", "scenarios", "command", "output"])]
    fit: Option<PathBuf>,
    /// Put back what a run that was killed has changed
    ///
    /// Schedulers, tunables, control groups, files, processes. The next run does that too.
    #[arg(long, conflicts_with = "resume")]
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
        return restore::run(&arguments.journals, arguments.quiet);
    }
    if arguments.check {
        return check::run(&choice::Wishes::of(arguments)?);
    }
    if arguments.judging.is_import() {
        return arguments.judging.judge_files(arguments.output.as_deref());
    }
    let interrupt = Interrupt::listen_to_put_back()?;
    if let Some(profile) = &arguments.fit {
        let wishes = choice::Wishes::of(arguments)?;
        return fitting::run(&wishes, profile, arguments.time, &interrupt, arguments.quiet);
    }
    let (opening, measured, ended) = match &arguments.resume {
        Some(path) => resume(arguments, path, &interrupt)?,
        None => begin(arguments, &interrupt)?,
    };
    if !arguments.quiet {
        remarks::summed_up(&measured).iter().for_each(|text| note(&format!("note: {text}")));
    }
    if !measured.is_empty() {
        arguments.judging.tell(&opening, &measured)?;
    }
    match ended {
        Ended::Done => Ok(()),
        Ended::Failed(failure) => Err(failure),
        Ended::Interrupted => {
            let kept = arguments.output.as_ref().or(arguments.resume.as_ref());
            let advice = kept.map(|path| format!("; go on: bfq bench --resume {}", path.display()));
            note(&format!("interrupted{}", advice.unwrap_or_default()));
            Err(Failure::Interrupted)
        }
    }
}

type Outcome = (Opening, Vec<Measurement>, Ended);

/// A new run.
fn begin(arguments: &Arguments, interrupt: &Interrupt) -> Result<Outcome, Failure> {
    if let Some(path) = arguments.output.as_ref().filter(|path| path.exists()) {
        let path = path.display();
        return Err(Failure::usage(format!(
            "{path} exists; expected a new file, or --resume {path}"
        )));
    }
    let wishes = choice::Wishes::of(arguments)?;
    let mut stage = Stage::set(&wishes, interrupt, arguments.quiet)?;
    let rehearsed = measuring::rehearse(&mut stage, interrupt, arguments.quiet)?;
    let (plan, sentences) = stage.plan(arguments.time, &rehearsed)?;
    if !arguments.quiet {
        sentences.iter().for_each(|text| note(text));
    }
    let opening = Opening { rounds: plan.rounds, ..stage.opening() };
    let mut file = match &arguments.output {
        Some(path) => Some(ResultsFile::create(path, &opening).map_err(Failure::run)?),
        None => None,
    };
    measure(stage, opening, Vec::new(), file.as_mut(), (interrupt, arguments.quiet))
}

/// A run that was interrupted goes on.
fn resume(arguments: &Arguments, path: &Path, interrupt: &Interrupt) -> Result<Outcome, Failure> {
    let (mut file, opening, measured) = ResultsFile::resume(path).map_err(Failure::usage)?;
    let wishes = choice::Wishes {
        journals: arguments.journals.clone(),
        ..choice::Wishes::of_opening(&opening)
    };
    let stage = Stage::set(&wishes, interrupt, arguments.quiet)?;
    stage.check_same(&opening).map_err(Failure::usage)?;
    if !arguments.quiet {
        let cells = opening.rounds as usize * opening.candidates.len() * opening.scenarios.len();
        note(&format!("{} of {cells} measurements are there; going on", measured.len()));
    }
    measure(stage, opening, measured, Some(&mut file), (interrupt, arguments.quiet))
}

/// Measures what is still to be measured, and puts the machine back.
fn measure(
    mut stage: Stage,
    opening: Opening,
    mut measured: Vec<Measurement>,
    file: Option<&mut ResultsFile>,
    (interrupt, quiet): (&Interrupt, bool),
) -> Result<Outcome, Failure> {
    let ended = measuring::measure(&mut stage, &opening, &mut measured, file, interrupt, quiet);
    let ended = match (stage.restore(), ended) {
        (Err(failure), Ended::Done | Ended::Interrupted) => Ended::Failed(failure),
        (Err(failure), ended @ Ended::Failed(_)) => {
            failure.report();
            ended
        }
        (Ok(()), ended) => ended,
    };
    Ok((opening, measured, ended))
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
