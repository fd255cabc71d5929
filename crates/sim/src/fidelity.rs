//! How near simulations come to what a real kernel did: recorded scenarios, simulated again.
//!
//! A recording is a table with a line for each job of each scenario × disk × depth × scheduler. A
//! [`Case`] is one such combination; [`repeat`] simulates it and lays the figures side by side: once,
//! or, where the order of simultaneous events decides, in many orders.

mod comparison;
mod figures;
mod spread;
mod table;

use crate::simulation::{Host, simulate_on_host};
use crate::{Control, Setup, SimError, limits};
use blk::{QueueSettings, TagSearch};
use device::{Profile, ProfileError};
use elevators::BuildError;
use report::JobSummary;
use runner::SimultaneousOrder;
use serde::Deserialize;
use workload::Job;

pub use comparison::{Comparison, Verdict};
pub use figures::{FIGURES, Figure, Figures};
pub use spread::{Place, Spread, SpreadComparison};
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
    /// Throughput, MB/s.
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
    /// The scenario.
    pub scenario: String,
    /// The disk.
    pub disk: String,
    /// Depth of its queue.
    pub depth: u32,
    /// The scheduler as the recordings call it.
    pub scheduler: String,
}

/// A job as recorded and as simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Once.
    Once(Comparison),
    /// In [`ORDERS`] orders of simultaneous events.
    Orders(SpreadComparison),
}

/// Why a comparison failed.
#[derive(Debug, thiserror::Error)]
pub enum FidelityError {
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
        /// The scenario.
        scenario: String,
        /// The job.
        job: String,
    },
}

/// Scenarios of many readers that all look alike to bfq with its defaults: who is merged or raised
/// hangs on the order of simultaneous events, and so do their totals.
const CHAOTIC: [&str; 4] = ["onoff1", "onoff8", "softrt", "start10"];
/// In how many orders a chaotic scenario is simulated.
pub const ORDERS: u64 = 20;

/// By how much each reading of the recording host's clock advanced it, ns.
const CLOCK_READ_NS: u64 = 256;
/// How late the recorded processes woke from a sleep, ns: the slack of the kernel's timers, and some
/// readings of the clock (by the traces).
const OVERSLEPT_NS: u64 = 198 * CLOCK_READ_NS;

/// Reads recordings: comma-separated, with a line of column names.
///
/// # Errors
/// If a column is missing or a value is no number.
pub fn read_recordings(text: &str) -> Result<Vec<Recording>, FidelityError> {
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
    /// The scheduler and its tunables, as `elevators::build` reads them. Our bfq is told to repeat
    /// what it otherwise does better than Linux 6.1.
    pub fn elevator(&self) -> String {
        let Some(suffix) = self.scheduler.strip_prefix("bfq") else {
            return self.scheduler.clone();
        };
        let tunables = match suffix {
            "-ll0" => ",low_latency=0",
            "-ll0-si0" => ",low_latency=0,slice_idle=0",
            "-ll0-strict" => ",low_latency=0,strict_guarantees=1",
            _ => "",
        };
        format!("bfq:behaviour=linux-6.1{tunables}")
    }

    fn profile(&self) -> Result<Profile, ProfileError> {
        Profile::parse_argument(&format!("reference-{}:depth={}", self.disk, self.depth))
    }

    /// The recording host. Under bfq it read its clock six times for an I/O, under the others five
    /// times (by the elapsed times of `seq1`). What was under way at the end of a scenario was not
    /// counted. From the first shuffled order to the last the CPU needs from one reading less to one
    /// more: events no farther from each other than that count as simultaneous, too.
    fn host(&self, order: SimultaneousOrder) -> Host {
        let reads = if self.scheduler.starts_with("bfq") { 6 } else { 5 };
        let cpu_ns = match order {
            SimultaneousOrder::AsCreated => reads * CLOCK_READ_NS,
            SimultaneousOrder::Shuffled { seed } => {
                (reads - 1) * CLOCK_READ_NS + 2 * CLOCK_READ_NS * seed / ORDERS
            }
        };
        Host { cpu_ns, stops_on_time: true }
    }

    /// What one slot of service may move, MB: the budget timeout of 125 ms at the disk's full rate.
    /// Schedulers without slots: one I/O.
    fn slot_mb(&self) -> f64 {
        match (self.scheduler.starts_with("bfq"), self.disk.as_str()) {
            (true, "ssd") => 62.5,
            (true, _) => 12.5,
            (false, _) => comparison::LARGEST_IO_MB,
        }
    }

    /// Whether a comparison makes sense: this program has the scheduler, and the recording is no
    /// lottery, as `none` is on a device that takes one request (whoever asks first gets the tag).
    pub fn is_comparable(&self) -> bool {
        if self.scheduler == "none" && self.depth == 1 {
            return false;
        }
        let elevator = self.elevator();
        let name = elevator.split(':').next().unwrap_or(&elevator);
        elevators::names().any(|known| known == name)
    }

    /// Whether the totals hang on the order of simultaneous events.
    pub fn is_chaotic(&self) -> bool {
        self.scheduler == "bfq" && CHAOTIC.contains(&self.scenario.as_str())
    }
}

/// Simulates `case` with the jobs of its scenario, in as many orders of simultaneous events as it
/// needs, and lays each of its lines in `recordings` beside that.
///
/// # Errors
/// An unknown disk or scheduler, jobs that don't fit, or a missing job.
pub fn repeat(
    recordings: &[Recording],
    case: &Case,
    jobs: &[Job],
) -> Result<Vec<Line>, FidelityError> {
    if !case.is_chaotic() {
        let simulated = run_case(case, jobs, SimultaneousOrder::AsCreated)?;
        let comparisons = compare(recordings, case, &simulated)?;
        return Ok(comparisons.into_iter().map(Line::Once).collect());
    }
    let orders = (1..=ORDERS).map(|seed| {
        let simulated = run_case(case, jobs, SimultaneousOrder::Shuffled { seed })?;
        compare(recordings, case, &simulated)
    });
    let orders: Vec<Vec<Comparison>> = orders.collect::<Result<_, _>>()?;
    Ok(SpreadComparison::of_orders(&orders).into_iter().map(Line::Orders).collect())
}

/// Simulates `case` with the jobs of its scenario on a host like the recording one: a pool of 256
/// requests of at most 1 MiB, tags found as in Linux 6.1, some time for the CPU, and sleeps that last
/// too long.
///
/// # Errors
/// An unknown disk or scheduler, or jobs that don't fit.
pub fn run_case(
    case: &Case,
    jobs: &[Job],
    order: SimultaneousOrder,
) -> Result<Vec<JobSummary>, FidelityError> {
    let profile = case.profile()?;
    let elevator = elevators::build(&case.elevator(), 0, &limits(&profile))?;
    let settings = QueueSettings {
        nr_requests: Some(256),
        max_sectors_kb: 1024,
        tag_search: TagSearch::Linux6_1,
        ..QueueSettings::default()
    };
    let mut jobs = jobs.to_vec();
    for job in &mut jobs {
        job.start_delay_ns.0 += OVERSLEPT_NS;
        job.start_delay_ns.1 += OVERSLEPT_NS;
        if job.think_time.pause_ns > 0 {
            job.think_time.pause_ns += OVERSLEPT_NS;
        }
    }
    let jobs = &jobs;
    let setup = Setup {
        jobs,
        group_weights: &[],
        settings,
        page_cache: Default::default(),
        profile: &profile,
        elevator,
        seed: 1,
        order,
    };
    let go_on = &mut |_, _| Control::Continue;
    let simulated = simulate_on_host(setup, case.host(order), go_on, &mut ())?;
    let run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
    Ok(run.summary.jobs)
}

/// Lays each line of `recordings` that belongs to `case` beside what `jobs` did.
///
/// # Errors
/// If a job is missing.
pub fn compare(
    recordings: &[Recording],
    case: &Case,
    jobs: &[JobSummary],
) -> Result<Vec<Comparison>, FidelityError> {
    let lines = recordings.iter().filter(|line| line.case() == *case);
    lines
        .map(|line| {
            let simulated = Figures::of_job(&line.job, jobs).ok_or_else(|| {
                FidelityError::MissingJob { scenario: case.scenario.clone(), job: line.job.clone() }
            })?;
            Ok(Comparison { recorded: line.clone(), simulated })
        })
        .collect()
}

#[cfg(test)]
#[path = "fidelity_tests.rs"]
mod tests;
