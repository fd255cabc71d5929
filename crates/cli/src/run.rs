// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq run`: job files on a real file or block device, in real time, under our schedulers.

mod date;

use crate::failure::Failure;
use crate::input::{self, TimelineOptions, WorkOptions};
use crate::interrupt::Interrupt;
use crate::output::{OutputOptions, write_logs};
use crate::progress::Progress;
use crate::schedulers::{self, Choice};
use crate::streams;
use crate::watched::Watched;
use blk::{DeviceLimits, QueueSettings, SECTOR_BYTES};
use clap::ValueEnum;
use explain::TimelineRecorder;
use report::{DeviceInfo, LogFiles, Mode, OrderedMap, Results, Run, Scenario};
use runner::{Config, Mismatch, Mismatches, Runner, SimultaneousOrder};
use signal_hook::consts::SIGXFSZ;
use std::fmt;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use uring::{Driven, Engine, EngineKind, EngineSettings, Target, TargetSettings, drive};
use workload::{Direction, Extent, Job};

/// The command line of `bfq run`.
#[derive(Debug, clap::Args)]
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
          long_help = schedulers::help())]
    scheduler: String,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    output: OutputOptions,
    /// Leave a target that was created where it is
    #[arg(long, hide_short_help = true)]
    keep: bool,
    /// How many requests the target gets at a time; the others wait in the scheduler, which has
    /// room for as many again unless --queue nr_requests says otherwise
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 32,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    depth: u32,
    /// Serve requests no faster than a disk that moves this many bytes per second, one request
    /// after the other (200m; powers of 1024)
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = rate_bytes_per_s)]
    limit_bytes_per_s: Option<NonZeroU64>,
    /// Whether the target rotates, for schedulers that care [default: what the kernel says]
    #[arg(long, hide_short_help = true, value_name = "YES|NO", hide_possible_values = true,
          value_parser = clap::builder::BoolishValueParser::new())]
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

/// Everything that the runs have in common.
struct Plan {
    jobs: Vec<Job>,
    choices: Vec<Choice>,
    settings: QueueSettings,
    group_weights: Vec<(String, u32)>,
    scenario: Scenario,
}

/// What the runs are made on.
struct Stage {
    target: Target,
    limits: DeviceLimits,
    engine: Engine,
}

/// A run that is over.
struct Finished {
    run: Run,
    logs: LogFiles,
    driven: Driven,
    mismatches: Mismatches,
}

/// Requests that failed: each kind of failure in a part of a line.
#[derive(Debug)]
struct RequestsFailed {
    target: PathBuf,
    failures: Vec<uring::Failure>,
}

impl fmt::Display for RequestsFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.target.display())?;
        for (place, failure) in self.failures.iter().enumerate() {
            write!(f, "{} {failure}", if place == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for RequestsFailed {}

/// Blocks that were not as `verify` expects them.
#[derive(Debug)]
struct VerifyFailed {
    target: PathBuf,
    mismatches: Mismatches,
}

impl fmt::Display for VerifyFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatches { first, count } = &self.mismatches;
        let (target, plural) = (self.target.display(), if *count == 1 { "" } else { "s" });
        write!(f, "{target}: verify found {count} bad block{plural}:")?;
        for Mismatch { job, offset_bytes, length_bytes, fault } in first {
            write!(f, "\n  job {job}: at byte {offset_bytes}, {length_bytes} bytes: {fault}")?;
        }
        match *count - first.len() as u64 {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

impl std::error::Error for VerifyFailed {}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if anything of the input is wrong, with 1 if a run fails or is interrupted.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plan = plan(arguments)?;
    let interrupt = Interrupt::listen()?;
    survive_the_file_size_limit()?;
    let mut stage = stage(arguments, &plan, &interrupt)?;
    let mut notes = notes(arguments, &stage);
    for note in notes.iter().filter(|_| !arguments.output.quiet) {
        streams::note(&format!("note: {note}"));
    }
    let mut runs = Vec::new();
    let ended = run_all(arguments, &plan, &mut stage, &interrupt, &mut runs);
    if matches!(ended, Err(Failure::Interrupted)) {
        notes.push(format!(
            "interrupted in run {} of {}, which is incomplete",
            runs.len(),
            plan.choices.len()
        ));
    }
    if !runs.is_empty() {
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        arguments.output.write(&Results {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: Mode::Run,
            seed: arguments.work.seed,
            note,
            runs,
        })?;
    }
    ended
}

/// What the user should know of how the target is used.
fn notes(arguments: &Arguments, stage: &Stage) -> Vec<String> {
    const INSTEAD: &str = "preadv and pwritev in a pool of threads take its place";
    let mut notes = stage.target.notes().to_vec();
    if let Some(error) = stage.engine.io_uring_refused() {
        notes.push(format!("io_uring is refused here ({error}): {INSTEAD}"));
    } else if arguments.engine == EngineChoice::Auto && !stage.target.direct() {
        notes.push(format!("io_uring is of no use without O_DIRECT: {INSTEAD}"));
    }
    notes
}

/// Reads all of the input, so that what is wrong is said before anything is created.
fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    arguments.output.check()?;
    let jobs = arguments.work.jobs(arguments.output.quiet)?;
    let choices =
        schedulers::parse(&arguments.scheduler, &arguments.work.set).map_err(Failure::usage)?;
    let settings = arguments.work.queue_settings()?;
    let group_weights = arguments.work.group_weights()?;
    let scenario = arguments.work.scenario(&jobs)?;
    let plan = Plan { jobs, choices, settings, group_weights, scenario };
    if let Some(size_bytes) = arguments.size {
        Target::check_size(size_bytes)
            .map_err(|error| Failure::usage(format!("--size {size_bytes}: {error}")))?;
        // Better to hear now that the jobs do not fit than after the target has been filled.
        let limits = DeviceLimits {
            capacity_sectors: size_bytes / SECTOR_BYTES,
            ..DeviceLimits::new(arguments.depth, false)
        };
        runner(arguments, &plan, &plan.choices[0], limits, None)?;
    }
    input::print_notes(&plan.jobs, arguments.output.quiet);
    Ok(plan)
}

/// A write past the limit on file sizes (`ulimit -f`) sends a signal that would kill us; with a
/// handler, any handler, it fails with an error like any other.
pub fn survive_the_file_size_limit() -> Result<(), Failure> {
    let nobody_asks = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGXFSZ, nobody_asks).map(drop).map_err(Failure::run)
}

/// Opens or creates the target, and finds out how it can be used.
fn stage(arguments: &Arguments, plan: &Plan, interrupt: &Interrupt) -> Result<Stage, Failure> {
    let target = open_target(arguments, plan, interrupt)?;
    check_alignment(&plan.jobs, &target)?;
    let limits = limits(&target, &plan.settings, arguments.depth, arguments.rotational);
    let settings = EngineSettings {
        depth: limits.depth,
        longest_bytes: limits.max_sectors * SECTOR_BYTES as u32,
        kind: arguments.engine.kind(),
    };
    let engine = target.engine(settings).map_err(Failure::run)?;
    Ok(Stage { target, limits, engine })
}

fn open_target(
    arguments: &Arguments,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Target, Failure> {
    let settings = TargetSettings {
        path: arguments.target.clone(),
        size_bytes: arguments.size,
        writes: plan.jobs.iter().any(writes),
        allow_write: arguments.allow_write,
        direct: !arguments.buffered,
        keep: arguments.keep,
    };
    open(&settings, arguments.output.quiet, interrupt)
}

/// Opens or creates a target; a bar shows how it is filled.
pub fn open(
    settings: &TargetSettings,
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<Target, Failure> {
    let progress = Progress::new(format!("filling {} (MiB)", settings.path.display()), quiet);
    let mut fill = |done_bytes: u64, total_bytes: u64| {
        progress.piece((done_bytes >> 20) as usize, (total_bytes >> 20) as usize);
        go_on_unless(interrupt.requested())
    };
    let target = Target::open(settings, &mut fill);
    progress.clear();
    target.map_err(|error| match error.is_usage() {
        true => Failure::usage(error),
        false => Failure::run(error),
    })
}

/// Whether a job changes its target.
pub fn writes(job: &Job) -> bool {
    match &job.trace {
        Some(trace) => trace.writes,
        None => job.rw.writes() || job.rw.trims(),
    }
}

pub fn go_on_unless(stop: bool) -> ControlFlow<()> {
    if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Blocks and offsets that the target cannot take are mistakes of the job file for this target.
pub fn check_alignment(jobs: &[Job], target: &Target) -> Result<(), Failure> {
    let block_bytes = u64::from(target.block_bytes());
    for job in jobs.iter().filter(|job| job.trace.is_none()) {
        let check = |option: &str, bytes: u64| match bytes % block_bytes {
            0 => Ok(()),
            _ => Err(Failure::usage(format!(
                "{}:{}: job {}: {option} of {bytes} bytes; expected a multiple of the block of \
                 {}, {block_bytes} bytes",
                job.file,
                job.line,
                job.name,
                target.path().display()
            ))),
        };
        for direction in Direction::ALL.into_iter().filter(|way| job.rw.has(*way)) {
            let sizes = &job.block_sizes[direction];
            check("a block size", u64::from(sizes.min_bytes()))?;
            check("a block size", u64::from(sizes.max_bytes()))?;
        }
        if let Extent::Bytes(offset_bytes) = job.offset {
            check("an offset", offset_bytes)?;
        }
    }
    Ok(())
}

/// Runs under one scheduler after the other, until one run fails or is interrupted; its results
/// are kept too.
fn run_all(
    arguments: &Arguments,
    plan: &Plan,
    stage: &mut Stage,
    interrupt: &Interrupt,
    runs: &mut Vec<Run>,
) -> Result<(), Failure> {
    for (place, choice) in plan.choices.iter().enumerate() {
        let infix = match plan.choices.len() {
            1 => String::new(),
            _ => format!("-{}.{}", choice.name(), place + 1),
        };
        let finished = one_run(arguments, plan, stage, choice, &infix, interrupt)?;
        runs.push(finished.run);
        write_logs(&finished.logs)?;
        if !finished.driven.failures.is_empty() {
            let target = arguments.target.clone();
            let failures = finished.driven.failures;
            return Err(Failure::run(RequestsFailed { target, failures }));
        }
        if finished.mismatches.count > 0 {
            let (target, mismatches) = (arguments.target.clone(), finished.mismatches);
            return Err(Failure::run(VerifyFailed { target, mismatches }));
        }
        if finished.driven.interrupted {
            return Err(Failure::Interrupted);
        }
    }
    Ok(())
}

fn one_run(
    arguments: &Arguments,
    plan: &Plan,
    stage: &mut Stage,
    choice: &Choice,
    infix: &str,
    interrupt: &Interrupt,
) -> Result<Finished, Failure> {
    // Before and after: what is written under one scheduler shall not burden the next.
    let Stage { target, limits, engine } = stage;
    target.settle().map_err(Failure::run)?;
    let recorder = arguments.timeline.recorder(&plan.jobs, &arguments.output);
    let runner = runner(arguments, plan, choice, *limits, recorder.clone())?;
    let planned_ns = runner.planned_ns();
    let mut watched = Watched { runner, witness: recorder };
    let what = format!("{} on {}", choice.name(), target.path().display());
    let progress = Progress::new(what, arguments.output.quiet);
    let mut watch = |now_ns| {
        progress.at(now_ns, planned_ns);
        go_on_unless(interrupt.requested())
    };
    let driven = drive(&mut watched, engine, arguments.limit_bytes_per_s, &mut watch);
    progress.clear();
    let driven = driven.map_err(Failure::run)?;
    let Watched { mut runner, witness } = watched;
    let mismatches = runner.take_mismatches();
    let outcome = runner.into_outcome(driven.elapsed_ns);
    let logs = outcome.log_files(infix);
    let device = DeviceInfo {
        path: Some(target.path().display().to_string()),
        depth: limits.depth,
        rotational: limits.rotational,
        capacity_bytes: target.capacity_bytes(),
        ..DeviceInfo::default()
    };
    let mut run = outcome.into_run(device, device_stats(arguments, target, engine, &driven));
    run.variant = choice.variant().map(str::to_owned);
    run.scenario = Some(plan.scenario.clone());
    run.set_timeline(witness.and_then(|recorder| recorder.timeline(driven.elapsed_ns)));
    date::put(&mut run.fio);
    target.settle().map_err(Failure::run)?;
    Ok(Finished { run, logs, driven, mismatches })
}

fn runner(
    arguments: &Arguments,
    plan: &Plan,
    choice: &Choice,
    limits: DeviceLimits,
    recorder: Option<TimelineRecorder>,
) -> Result<Runner, Failure> {
    let config = Config {
        jobs: &plan.jobs,
        group_weights: &plan.group_weights,
        settings: plan.settings,
        page_cache: None,
        limits,
        seed: arguments.work.seed,
        order: SimultaneousOrder::AsCreated,
    };
    let elevator = match recorder {
        Some(recorder) => choice.build_observed(&limits, recorder),
        None => choice.build(&limits),
    };
    let runner = Runner::new(&config, elevator.map_err(Failure::usage)?).map_err(Failure::usage)?;
    runner.check_intervals(&plan.jobs).map_err(Failure::usage)?;
    Ok(runner)
}

/// What the block layer has to know of the target.
pub fn limits(
    target: &Target,
    settings: &QueueSettings,
    depth: u32,
    rotational: Option<bool>,
) -> DeviceLimits {
    /// Each place of the queue has a buffer for the largest request.
    const LARGEST_BYTES: u64 = 4 << 20;
    let largest_bytes = LARGEST_BYTES.min(u64::from(settings.max_sectors_kb) << 10);
    // Larger I/O is split there, so it must be between two blocks.
    let block_bytes = u64::from(target.block_bytes());
    let whole_blocks = (largest_bytes - largest_bytes % block_bytes).max(block_bytes);
    DeviceLimits {
        max_sectors: (whole_blocks / SECTOR_BYTES) as u32,
        max_discard_sectors: 1 << 22,
        capacity_sectors: target.capacity_bytes() / SECTOR_BYTES,
        ..DeviceLimits::new(depth, rotational.or(target.rotational()).unwrap_or(false))
    }
}

/// What the target did, and how it was used.
fn device_stats(
    arguments: &Arguments,
    target: &Target,
    engine: &Engine,
    driven: &Driven,
) -> OrderedMap<u64> {
    let traffic = driven.traffic;
    [
        ("reads", traffic.reads),
        ("read_bytes", traffic.read_bytes),
        ("writes", traffic.writes),
        ("written_bytes", traffic.written_bytes),
        ("discards", traffic.discards),
        ("flushes", traffic.flushes),
        ("failures", driven.failures.iter().map(|failure| failure.count).sum()),
        ("in_flight_max", traffic.in_flight_max),
        ("block_bytes", u64::from(target.block_bytes())),
        ("direct", u64::from(target.direct())),
        ("io_uring", u64::from(engine.kind() == EngineKind::IoUring)),
        ("limit_bytes_per_s", arguments.limit_bytes_per_s.map_or(0, NonZeroU64::get)),
    ]
    .into_iter()
    .collect()
}

/// Reads a size: a number of bytes, or one with `k`, `m`, `g` or `t`, powers of 1024. For clap.
pub fn size_bytes(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected a size such as 4096, 64m or 10g";
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| EXPECTED.to_owned())
}

/// Reads a rate: a size that is not 0. For clap.
pub fn rate_bytes_per_s(text: &str) -> Result<NonZeroU64, String> {
    NonZeroU64::new(size_bytes(text)?).ok_or_else(|| "expected more than 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("4096", 4096),
            ("0", 0),
            ("1k", 1 << 10),
            ("64M", 64 << 20),
            ("10GiB", 10 << 30),
            ("2tb", 2 << 40),
            ("5b", 5),
        ] {
            assert_eq!(size_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "-1", "1.5g", "1 g", "1x", "99999999999t"] {
            assert!(size_bytes(text).is_err(), "{text}");
        }
        assert!(rate_bytes_per_s("0").is_err());
    }
}
