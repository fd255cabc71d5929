// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens inside a worker: from the assignment to the report.

use super::assignment::{Assignment, Message, ProcessRegion, ProcessReport, WorkerReport};
use super::board::Board;
use super::ioprio;
use super::process::ReadyProcess;
use crate::scenarios::start_ups::StartUps;
use disk_io::{Engine, EngineError, EngineKind, EngineSettings, Target, TargetSettings};
use rustix::thread::set_current_timer_slack;
use rustix::time::{ClockId, clock_gettime};
use std::fmt::Display;
use std::io::{BufRead, Write};
use std::num::NonZeroU64;
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use workload::{Issuer, Job};

/// I/Os in flight at most where a trace does not say it.
const DEEPEST: u32 = 128;

/// Sleeps may end this much late, so that the kernel can bundle them.
const TIMER_SLACK_NS: NonZeroU64 = NonZeroU64::new(1_000).unwrap();

/// A worker cannot do what it is told.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorkerError(String);

impl WorkerError {
    fn new(what: &str, error: impl Display) -> Self {
        WorkerError(format!("{what}: {error}"))
    }
}

/// Is a worker: reads from `input`, answers on `output` (see the [module](super)).
///
/// # Errors
/// What went wrong, after it has been answered too.
pub fn work(
    mut input: impl BufRead + Send + 'static,
    mut output: impl Write,
) -> Result<(), WorkerError> {
    let mut say = |message: &Message| {
        let text = serde_json::to_string(message).expect("texts and numbers only");
        let said = writeln!(output, "{text}").and_then(|()| output.flush());
        said.map_err(|error| WorkerError::new("answering", error))
    };
    let result = read_line(&mut input).and_then(|line| {
        let assignment = serde_json::from_str(&line)
            .map_err(|error| WorkerError::new("the assignment is malformed", error))?;
        carry_out(&assignment, input, &mut || say(&Message::Ready))
    });
    match result {
        Ok(report) => say(&Message::Report(report)),
        Err(error) => say(&Message::Failed(error.to_string())).and(Err(error)),
    }
}

fn read_line(input: &mut impl BufRead) -> Result<String, WorkerError> {
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) => Err(WorkerError("expected an assignment, found the end of the input".to_owned())),
        Ok(_) => Ok(line),
        Err(error) => Err(WorkerError::new("reading", error)),
    }
}

/// What all threads of a worker share.
struct Shared {
    job: Job,
    target: Target,
    longest_bytes: u32,
    seed: u64,
    board: Arc<Board>,
    /// All threads and the one that leads them meet here: when they are ready, and to begin.
    meeting: Barrier,
    start: OnceLock<Instant>,
}

fn carry_out(
    assignment: &Assignment,
    mut input: impl BufRead + Send + 'static,
    ready: &mut dyn FnMut() -> Result<(), WorkerError>,
) -> Result<WorkerReport, WorkerError> {
    let shared = prepare(assignment)?;
    let mut notes = shared.target.notes().to_vec();
    thread::scope(|scope| {
        let threads: Vec<_> = assignment
            .processes
            .iter()
            .map(|place| scope.spawn(|| one_process(&shared, *place)))
            .collect();
        shared.meeting.wait();
        let start = ready().and_then(|()| read_line(&mut input)).and_then(|line| start_of(&line));
        let began_ns = cpu_ns();
        let failed = start.as_ref().err().map(ToString::to_string);
        // Without a start the threads still have to be released, to do nothing.
        if start.is_err() {
            shared.board.say_enough();
        }
        let _ = shared.start.set(start.unwrap_or_else(|_| Instant::now()));
        shared.meeting.wait();
        let board = Arc::clone(&shared.board);
        thread::spawn(move || {
            // Whatever comes: a line, the end, an error: it is enough.
            let _ = input.read_line(&mut String::new());
            board.say_enough();
        });
        let mut processes = Vec::new();
        for thread in threads {
            let (process, mut remarks) = thread.join().expect("its errors are results")?;
            processes.push(process);
            notes.append(&mut remarks);
        }
        notes.dedup();
        match failed {
            Some(failed) => Err(WorkerError(failed)),
            None => Ok(WorkerReport { processes, cpu_ns: cpu_ns() - began_ns, notes }),
        }
    })
}

fn prepare(assignment: &Assignment) -> Result<Shared, WorkerError> {
    let start_ups = StartUps::fitted_to(assignment.start_up_bytes);
    let mut jobs = workload::parse_with(&assignment.job, "scenario", &start_ups)
        .map_err(|error| WorkerError::new("the job file is wrong", error))?;
    let job = jobs.pop().expect("a job file has a job");
    let writes = job.trace.is_none() && job.rw.writes();
    let settings = TargetSettings {
        path: assignment.target.clone(),
        size_bytes: Some(assignment.used_bytes),
        writes,
        allow_write: true,
        direct: !job.buffered,
        keep: false,
    };
    // Without I/O: the first that a scheduler sees of a process is what the job is about.
    let target = Target::open_known(&settings, assignment.direct_block_bytes)
        .map_err(|error| WorkerError::new("opening the target", error))?;
    let longest_bytes = match &job.trace {
        Some(_) => StartUps::LONGEST_BYTES,
        None => job.max_block_bytes(),
    };
    let processes = assignment.processes.iter().map(|place| place.clone + 1).max().unwrap_or(0);
    Ok(Shared {
        job,
        target,
        longest_bytes,
        seed: assignment.seed,
        board: Arc::new(Board::new(processes)),
        meeting: Barrier::new(assignment.processes.len() + 1),
        start: OnceLock::new(),
    })
}

/// A thread of its own: one process of the job. What it remarks comes with what it did.
fn one_process(
    shared: &Shared,
    place: ProcessRegion,
) -> Result<(ProcessReport, Vec<String>), WorkerError> {
    let result = prepare_and_run(shared, place);
    if result.is_err() {
        // Others may follow this one.
        shared.board.say_enough();
    }
    result
}

fn prepare_and_run(
    shared: &Shared,
    place: ProcessRegion,
) -> Result<(ProcessReport, Vec<String>), WorkerError> {
    // Best effort: without it, sleeps end some 50 µs late.
    let _ = set_current_timer_slack(Some(TIMER_SLACK_NS));
    let mut notes = Vec::new();
    // Before the engine, whose threads inherit it.
    if let Some(ioprio) = shared.job.ioprio
        && let Err(error) = ioprio::set(ioprio)
    {
        notes.push(format!("the I/O priority of {} cannot be set: {error}", shared.job.name));
    }
    let depth = shared.job.queue_depth().min(DEEPEST);
    let engine = engine(shared, depth, &mut notes);
    // What takes time is done before the start, and is not counted.
    let issuer = Issuer::new(&shared.job, place.clone, place.region(), shared.seed);
    shared.meeting.wait();
    shared.meeting.wait();
    let engine = engine.map_err(|error| WorkerError::new("preparing I/O", error))?;
    let process = ReadyProcess::new(place.clone, issuer, engine, depth, &shared.board);
    let process = match shared.job.buffered {
        true => process.reading_afresh(&shared.target, place.region()),
        false => process,
    };
    let start = *shared.start.get().expect("it is set before the second meeting");
    thread::sleep(start.saturating_duration_since(Instant::now()));
    let report = process.run(start).map_err(|error| WorkerError::new("doing I/O", error))?;
    Ok((report, notes))
}

/// By io_uring, whose I/O is that of the thread itself; by threads where that is refused. What goes
/// through the page cache is done by threads, which wait for it as programs do.
fn engine(shared: &Shared, depth: u32, notes: &mut Vec<String>) -> Result<Engine, EngineError> {
    let settings =
        |kind| EngineSettings { depth, longest_bytes: shared.longest_bytes, kind: Some(kind) };
    if shared.job.buffered {
        return shared.target.engine(settings(EngineKind::Threads));
    }
    match shared.target.engine(settings(EngineKind::IoUring)) {
        Err(EngineError::IoUring(error)) => {
            notes.push(format!(
                "io_uring is refused ({error}): threads do the I/O, each a process to the scheduler"
            ));
            shared.target.engine(settings(EngineKind::Threads))
        }
        result => result,
    }
}

/// The time of start: nanoseconds of the monotonic clock.
fn start_of(line: &str) -> Result<Instant, WorkerError> {
    let start_ns: u64 = line
        .trim()
        .parse()
        .map_err(|_| WorkerError(format!("expected a time of start, found `{}`", line.trim())))?;
    let now_ns = time_ns(ClockId::Monotonic);
    Ok(Instant::now() + Duration::from_nanos(start_ns.saturating_sub(now_ns)))
}

/// The time that all processes of the machine agree on, ns.
pub(super) fn monotonic_ns() -> u64 {
    time_ns(ClockId::Monotonic)
}

/// Processor time of this process, ns.
fn cpu_ns() -> u64 {
    time_ns(ClockId::ProcessCPUTime)
}

fn time_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
