// SPDX-License-Identifier: MIT OR Apache-2.0
//! How near simulations come to what a real kernel did: recorded scenarios, simulated again.
//!
//! A recording is a table with a line for each job of each scenario × disk × depth × scheduler. A
//! [`Case`] is one such combination; [`repeat`] simulates it and lays the figures side by side:
//! once, or, where the order of simultaneous events decides, in many orders.

mod behaviours;
mod comparison;
mod figures;
mod spread;
mod table;

use blk::{QueueSettings, SubmitterRuns, TagSearch};
use device::{Profile, ProfileError};
use elevators::BuildError;
use report::Run;
use runner::SimultaneousOrder;
use serde::Deserialize;
use sim::{Control, CpuTimes, Setup, SimError, SimulatedHost, limits, simulate_on_host};
use workload::{Batches, Job, Reap};

pub use behaviours::{
    BehaviourComparison, SERVICE_FIGURES, Service, ServiceFigure, Standing, behaviours_markdown,
    compare_behaviours,
};
pub use comparison::{Agreement, Comparison};
pub use figures::{FIGURES, Figure, Figures};
pub use spread::{Proximity, SpreadComparison};
pub use table::markdown;

/// A line of the recordings: one job.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Recording {
    /// The scenario, which is the name of its job file.
    pub scenario: String,
    /// The disk: a built-in profile without `reference-`.
    pub disk: String,
    /// Depth of the disk's queue.
    pub depth: u32,
    /// The scheduler, perhaps with a suffix for its tunables.
    pub scheduler: String,
    /// The job: a section of the job file, or several called `JOB.0`, `JOB.1`, …
    pub job: String,
    /// Number of its processes.
    pub processes: u32,
    /// I/Os completed, before the warm-up too.
    pub ios: u64,
    /// Throughput in MB/s.
    pub mb_per_s: f64,
    /// Part of all bytes.
    pub share: f64,
    /// Throughput of the process that got least.
    pub process_min_mb_per_s: f64,
    /// Throughput of the process that got most.
    pub process_max_mb_per_s: f64,
    /// Mean latency, µs.
    pub latency_mean_us: f64,
    /// Median latency, µs.
    pub latency_p50_us: f64,
    /// 99th percentile of the latency, µs.
    pub latency_p99_us: f64,
    /// From the first submission to the last completion, ms.
    pub elapsed_ms: f64,
}

/// What is simulated in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the disk.
    pub disk: String,
    /// Depth of its queue.
    pub depth: u32,
    /// The scheduler as the recordings call it.
    pub scheduler: String,
}

/// A job as recorded and as simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum JobComparison {
    /// The first simulation.
    Once(Comparison),
    /// In [`ORDERS`] orders of simultaneous events.
    Orders(SpreadComparison),
}

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The recordings cannot be read.
    #[error("the recordings: {0}")]
    Recordings(#[from] csv::Error),
    /// There is no such disk.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// There is no such scheduler.
    #[error(transparent)]
    Scheduler(#[from] BuildError),
    /// The simulation failed.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The job file lacks a job of the recordings.
    #[error("scenario {scenario}: its job file has no job {job}")]
    MissingJob {
        /// Name of the scenario.
        scenario: String,
        /// Name of the job.
        job: String,
    },
}

/// Scenarios of many readers that all look alike to bfq with its defaults: who is merged or raised
/// hangs on the order of simultaneous events, and so do their totals.
const CHAOTIC: [&str; 4] = ["onoff1", "onoff8", "softrt", "start10"];
/// In how many orders a chaotic scenario is simulated.
pub const ORDERS: u64 = 20;

/// The behaviour of the recorded kernel.
const RECORDED: &str = "linux-6.1";
/// Requests in the recording host's pool.
const POOL_REQUESTS: u32 = 256;
/// By how much each reading of the recording host's clock advanced it, ns.
const CLOCK_READ_NS: u64 = 256;
/// Reads recordings: comma-separated, with a line of column names.
///
/// # Errors
/// If a column is missing or a value is no number.
pub fn read_recordings(text: &str) -> Result<Vec<Recording>, ResultsError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

impl Recording {
    /// The combination that the line belongs to.
    pub fn case(&self) -> Case {
        Case {
            scenario: self.scenario.clone(),
            disk: self.disk.clone(),
            depth: self.depth,
            scheduler: self.scheduler.clone(),
        }
    }

    /// Whether the job did a fixed number of I/Os and ended; what counts is then how long it took.
    pub fn is_start_up(&self) -> bool {
        self.job == "cmd"
    }
}

/// The combinations in the recordings, each once, in order.
pub fn cases(recordings: &[Recording]) -> Vec<Case> {
    let mut cases: Vec<Case> = recordings.iter().map(Recording::case).collect();
    cases.dedup();
    cases
}

impl Case {
    /// The scheduler and its tunables, as `elevators::build` reads them, our bfq
    /// with that behaviour.
    pub fn elevator(&self, behaviour: &str) -> String {
        let Some(suffix) = self.scheduler.strip_prefix("bfq") else {
            return match self.scheduler.as_str() {
                "mq-deadline" => format!("mq-deadline:async_depth={}", self.write_tags()),
                _ => self.scheduler.clone(),
            };
        };
        let tunables = match suffix {
            "-ll0" => ",low_latency=0",
            "-ll0-si0" => ",low_latency=0,slice_idle=0",
            "-ll0-strict" => ",low_latency=0,strict_guarantees=1",
            _ => "",
        };
        format!("bfq:behaviour={behaviour}{tunables}")
    }

    /// How many requests of the pool were open to writes under mq-deadline. Linux 6.1 lets them
    /// have three quarters of each of the pool's four words, but of the pool as it was when the
    /// scheduler was attached: twice the depth of the disk. It was enlarged to 256 later.
    fn write_tags(&self) -> u32 {
        let first_pool = 2 * self.depth.min(128);
        let of_word = (first_pool * 3 / 4).max(1);
        (4 * of_word).min(POOL_REQUESTS)
    }

    fn profile(&self) -> Result<Profile, ProfileError> {
        Profile::parse_argument(&format!("reference-{}:depth={}", self.disk, self.depth))
    }

    /// The recording host. Under bfq it read its clock six times for an I/O, under the others five
    /// times (by the elapsed times of `seq1`), the last time to issue it; twice to issue one before
    /// its process goes on (decision log `t1`). What was under way at the end of a scenario was not
    /// counted. From the first drawn history to the last a process needs from one reading less to
    /// one more: events no farther from each other than that count as simultaneous, too.
    fn host(&self, seed: u64) -> SimulatedHost {
        let reads = if self.is_of_bfq() { 5 } else { 4 };
        let process_ns = match seed {
            0 => reads * CLOCK_READ_NS,
            _ => (reads - 1) * CLOCK_READ_NS + 2 * CLOCK_READ_NS * seed / ORDERS,
        };
        let times = CpuTimes { process_ns, run_ns: CLOCK_READ_NS, issue_ns: CLOCK_READ_NS };
        SimulatedHost { cpu: Some(times), stops_on_time: true }
    }

    /// What one slot of service may move, MB: the budget timeout of 125 ms at the disk's full rate.
    /// Schedulers without slots: one I/O.
    fn slot_mb(&self) -> f64 {
        match (self.is_of_bfq(), self.disk.as_str()) {
            (true, "ssd") => 62.5,
            (true, _) => 12.5,
            (false, _) => comparison::LARGEST_IO_MB,
        }
    }

    /// Whether a comparison makes sense: this program has the scheduler, and the recording is
    /// no lottery, as `none` is on a device that takes one request (the first process to ask
    /// gets the tag).
    pub fn is_comparable(&self) -> bool {
        if self.scheduler == "none" && self.depth == 1 {
            return false;
        }
        let elevator = self.elevator(RECORDED);
        let name = elevator.split(':').next().unwrap_or(&elevator);
        elevators::names().any(|known| known == name)
    }

    /// Whether it is one of our scheduler.
    pub fn is_of_bfq(&self) -> bool {
        self.scheduler.starts_with("bfq")
    }

    /// Whether the totals hang on the order of simultaneous events.
    pub fn is_chaotic(&self) -> bool {
        self.scheduler == "bfq" && CHAOTIC.contains(&self.scenario.as_str())
    }
}

/// Simulates `case` with the jobs of its scenario and lays each of its lines in `recordings` beside
/// that: once, or, if that differs or the scenario is known to be chaotic, in [`ORDERS`] orders of
/// simultaneous events.
///
/// # Errors
/// An unknown disk or scheduler, jobs that don't fit, or a missing job.
pub fn repeat(
    recordings: &[Recording],
    case: &Case,
    jobs: &[Job],
) -> Result<Vec<JobComparison>, ResultsError> {
    let mut once = Vec::new();
    if !case.is_chaotic() {
        let simulated = run_case(case, jobs, 0)?;
        once = compare(recordings, case, &simulated)?;
        if once.iter().all(|comparison| comparison.agreement() != Agreement::Differs) {
            return Ok(once.into_iter().map(JobComparison::Once).collect());
        }
    }
    let orders = (1..=ORDERS).map(|seed| {
        let simulated = run_case(case, jobs, seed)?;
        compare(recordings, case, &simulated)
    });
    let orders: Vec<Vec<Comparison>> = orders.collect::<Result<_, _>>()?;
    let spreads = SpreadComparison::of_orders(&orders).into_iter();
    let agreed = once.into_iter().map(|one| (one.agreement() != Agreement::Differs).then_some(one));
    let agreed = agreed.chain(std::iter::repeat(None));
    Ok(spreads
        .zip(agreed)
        .map(|(spread, agreed)| agreed.map_or(JobComparison::Orders(spread), JobComparison::Once))
        .collect())
}

/// Simulates `case` with the jobs of its scenario as it was recorded; with a seed other than 0
/// after another history of the processes.
///
/// # Errors
/// An unknown disk or scheduler, or jobs that don't fit.
pub fn run_case(case: &Case, jobs: &[Job], seed: u64) -> Result<Run, ResultsError> {
    simulate_case(case, &case.elevator(RECORDED), jobs, seed, case.host(seed))
}

/// Simulates `case` under that scheduler on a host like the recording one: a pool of 256 requests
/// of at most 1 MiB, tags found and runs made as in Linux 6.1, a single CPU that needs some time,
/// and sleeps that last as long as they do there.
fn simulate_case(
    case: &Case,
    elevator: &str,
    jobs: &[Job],
    seed: u64,
    host: SimulatedHost,
) -> Result<Run, ResultsError> {
    let profile = case.profile()?;
    let elevator = elevators::build(elevator, 0, &limits(&profile))?;
    let settings = QueueSettings {
        nr_requests: Some(POOL_REQUESTS),
        max_sectors_kb: 1024,
        tag_search: TagSearch::Linux6_1,
        submitter_runs: SubmitterRuns::Linux6_1,
        ..QueueSettings::default()
    };
    let mut jobs = jobs.to_vec();
    let submitting_ns = host.cpu.map_or(0, |times| times.process_ns - CLOCK_READ_NS);
    for job in &mut jobs {
        // The processes sleep before they begin, also those that begin at once.
        job.start_delay_ns.0 = job.start_delay_ns.0.max(1);
        job.start_delay_ns.1 = job.start_delay_ns.1.max(1);
        if job.think_time.pause_ns > 0 {
            // A process goes to sleep one reading of the clock after the end of its I/O.
            job.think_time.pause_ns -= submitting_ns;
        }
        job.batches = batches(job);
    }
    let setup = Setup {
        jobs: &jobs,
        group_weights: &[],
        settings,
        page_cache: Default::default(),
        profile: &profile,
        elevator,
        seed: 1,
        order: SimultaneousOrder::Linux6_1 { seed },
    };
    let go_on = &mut |_, _| Control::Continue;
    let simulated = simulate_on_host(setup, host, go_on, &mut ())?;
    Ok(simulated.outcome.into_run(simulated.device, simulated.device_stats))
}

/// How the recorded processes with several I/Os under way made their calls: each I/O was
/// submitted by itself (by the order of allocations and insertions in the decision log `mix2`),
/// and what had ended was seen when nothing more could be submitted: not by a process that sleeps
/// in a submission.
fn batches(job: &Job) -> Batches {
    let depth = job.queue_depth();
    if depth == 1 {
        return job.batches;
    }
    Batches { submit: Some(1), reap: Some(Reap { least: 1, most: depth, low: depth - 1 }) }
}

/// Lays each line of `recordings` that belongs to `case` beside what `run` gave.
///
/// # Errors
/// If a job is missing.
pub fn compare(
    recordings: &[Recording],
    case: &Case,
    run: &Run,
) -> Result<Vec<Comparison>, ResultsError> {
    let lines = recordings.iter().filter(|line| line.case() == *case);
    lines
        .map(|line| {
            let simulated = Figures::of_job(&line.job, run).ok_or_else(|| {
                ResultsError::MissingJob { scenario: case.scenario.clone(), job: line.job.clone() }
            })?;
            Ok(Comparison { recorded: line.clone(), simulated })
        })
        .collect()
}

#[cfg(test)]
mod tests;
