// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq run`: job files on a real file or block device, in real time, under our schedulers.

use crate::failure::Failure;
use crate::input::{self, TimelineOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::note;
use crate::output::{JSON_HELP, OutputOptions, TableOptions};
use crate::progress::Progress;
use crate::scenario::this_command;
use crate::schedulers;
use crate::screen::Screen;
use crate::values::{completed, whole, yes_or_no};
use crate::watched_file::files;
use base::size::size_bytes;
use clap::ValueEnum;
use disk_io::EngineKind;
use lab::{RealRuns, RealRunsOptions, SeriesEnd, TargetOptions};
use signal_hook::consts::SIGXFSZ;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The command line of `bfq run`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |format| format.long_help(JSON_HELP)))]
#[command(after_long_help = "\
A target that does not exist is created with --size and filled with data, so that reads reach the \
disk; it has no name while it is in use, and is gone after the run however that ends, unless \
--keep is given. Ctrl-C lets what is in flight end and prints the results so far; a second one \
ends the command at once.\n\
I/O is done by io_uring and O_DIRECT. Where io_uring is refused, preadv and pwritev in a pool of \
threads take its place; where O_DIRECT is, the same through the page cache. The command says so.\n\
A scheduler decides only where requests queue up. If the target is faster than the jobs, hold it \
to a rate with --limit-bytes-per-s to see weights at work.\n\
Exit codes: 0 done; 1 failed while running (or interrupted); 2 command line, job file or target \
wrong.")]
pub struct Arguments {
    /// The file or block device that all jobs work on
    #[arg(long, value_name = "FILE|DEVICE")]
    target: PathBuf,
    /// Create the target with this size: 64m, 10g
    ///
    /// 4096, 64m, 10g; powers of 1024. Of a target that exists, use only the beginning.
    #[arg(long, value_name = "SIZE", value_parser = size_bytes)]
    size: Option<u64>,
    /// Let the jobs write to a target that exists
    ///
    /// They overwrite its data.
    #[arg(long)]
    allow_write: bool,
    #[arg(long, value_name = "LIST", default_value = "bfq", help = schedulers::SHORT_HELP,
          long_help = schedulers::help(), value_parser = schedulers::list(),
          hide_possible_values = true)]
    scheduler: String,
    /// Judge how fairly the target's time is shared
    ///
    /// Each job first runs alone on the target, under `none`, for as long as it takes; then R
    /// is the rate of each process of that at its fair share of the target's time, and U the
    /// useful time: docs/fairness.md.
    #[arg(long, hide_short_help = true)]
    fair: bool,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    tables: TableOptions,
    /// Leave a target that was created where it is
    #[arg(long, hide_short_help = true)]
    keep: bool,
    /// How many requests the target gets at a time; the others wait in the scheduler, which has
    /// room for as many again unless --queue nr_requests says otherwise
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 32,
          value_parser = whole::<u32>(1..=1024), allow_negative_numbers = true)]
    depth: u32,
    /// Serve requests no faster than a disk that moves this many bytes per second, one request
    /// after the other (200m; powers of 1024)
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = rate_bytes_per_s)]
    limit_bytes_per_s: Option<NonZeroU64>,
    /// Whether the target rotates, for schedulers that care [default: what the kernel says]
    #[arg(long, hide_short_help = true, value_name = "YES|NO", hide_possible_values = true,
          value_parser = completed(yes_or_no, ["yes", "no"]))]
    rotational: Option<bool>,
    /// How I/O is done
    #[arg(long, hide_short_help = true, value_enum, value_name = "ENGINE",
          default_value_t = EngineChoice::Auto)]
    engine: EngineChoice,
    /// Go through the page cache instead of using O_DIRECT
    #[arg(long, hide_short_help = true)]
    buffered: bool,
    #[command(flatten)]
    timeline: TimelineOptions,
}

/// How I/O is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineChoice {
    /// io_uring, or threads where that or O_DIRECT is refused
    Auto,
    /// io_uring; an error where it is refused
    #[value(name = "io_uring")]
    IoUring,
    /// preadv and pwritev in a pool of threads
    Threads,
}

impl EngineChoice {
    fn kind(self) -> Option<EngineKind> {
        match self {
            EngineChoice::Auto => None,
            EngineChoice::IoUring => Some(EngineKind::IoUring),
            EngineChoice::Threads => Some(EngineKind::Threads),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if anything of the input is wrong, with 1 if a run fails or is interrupted.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plan = plan(arguments)?;
    let interrupt = Interrupt::listen()?;
    survive_the_file_size_limit()?;
    let mut stage = filled(&arguments.target, arguments.output.quiet, &interrupt, |fill| {
        plan.stage(fill).map_err(Failure::of)
    })?;
    for note in plan.notes(&stage).iter().filter(|_| !arguments.output.quiet) {
        note::note(&format!("note: {note}"));
    }
    let mut screen = Screen::new(&interrupt, arguments.output.quiet, ControlFlow::Break(()));
    let finished = plan.run_all(&mut stage, &mut screen);
    let told = match finished.results.runs.is_empty() {
        true => Ok(()),
        false => arguments.output.write(&finished.results, &arguments.tables),
    };
    let ended = match finished.ended {
        SeriesEnd::Done => Ok(()),
        SeriesEnd::Stopped => Err(Failure::Interrupted),
        SeriesEnd::Failed(error) => Err(Failure::of(error)),
    };
    // Logs that could not be written are why it was stopped.
    Failure::of_ended(screen.logs_written.and(ended), told)
}

fn plan(arguments: &Arguments) -> Result<RealRuns, Failure> {
    arguments.output.check(arguments.work.job_files())?;
    let target = TargetOptions {
        path: arguments.target.clone(),
        size_bytes: arguments.size,
        allow_write: arguments.allow_write,
        depth: arguments.depth,
        limit_bytes_per_s: arguments.limit_bytes_per_s,
        rotational: arguments.rotational,
        engine: arguments.engine.kind(),
        buffered: arguments.buffered,
        keep: arguments.keep,
    };
    let options = RealRunsOptions {
        target,
        schedulers: arguments.scheduler.clone(),
        timeline: arguments.timeline.entries(&arguments.output),
        fair: arguments.fair,
        command: this_command(),
    };
    let files = files(arguments.output.quiet);
    let plan = RealRuns::plan(&arguments.work.work(), options, &files).map_err(Failure::of)?;
    input::check_logs(plan.jobs())?;
    // The cache of a real target is the kernel's, which has its own settings.
    input::print_notes(plan.jobs(), &arguments.work, None, arguments.output.quiet);
    Ok(plan)
}

/// A write past the limit on file sizes (`ulimit -f`) sends a signal that would kill us; with a
/// handler, any handler, it fails with an error like any other.
pub fn survive_the_file_size_limit() -> Result<(), Failure> {
    let nobody_asks = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGXFSZ, nobody_asks).map(drop).map_err(Failure::run)
}

/// What `open` makes of a target; a bar shows how that is filled.
pub fn filled<T>(
    path: &Path,
    quiet: bool,
    interrupt: &Interrupt,
    open: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let progress = Progress::new(format!("filling {} (MiB)", path.display()), quiet);
    let opened = open(&mut |done_bytes: u64, total_bytes: u64| {
        progress.piece((done_bytes >> 20) as usize, (total_bytes >> 20) as usize);
        interrupt.go_on()
    });
    progress.clear();
    opened
}

/// Reads a rate: a size that is not 0.
pub fn rate_bytes_per_s(text: &str) -> Result<NonZeroU64, String> {
    NonZeroU64::new(size_bytes(text)?).ok_or_else(|| "expected more than 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_0_is_refused() {
        assert!(rate_bytes_per_s("0").is_err());
    }
}
