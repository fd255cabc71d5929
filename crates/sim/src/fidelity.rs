//! How near simulations come to what a real kernel did: recorded scenarios, simulated again.
//!
//! A recording is a table with a line for each job of each scenario × disk × depth × scheduler. A
//! [`Case`] is one such combination; [`run_case`] simulates it and [`compare`] lays the figures
//! side by side.

mod table;

use crate::simulation::simulate_on_host;
use crate::{Control, Setup, SimError, limits};
use blk::QueueSettings;
use device::{Profile, ProfileError};
use elevators::BuildError;
use report::{JobSummary, LatencySummary};
use runner::SimultaneousOrder;
use serde::Deserialize;
use workload::Job;

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

/// The figures of one job in a simulation, in the recordings' units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Throughput, MB/s.
    pub mb_per_s: f64,
    /// Part of all bytes.
    pub share: f64,
    /// Mean latency, µs.
    pub latency_mean_us: f64,
    /// Median latency, µs.
    pub latency_p50_us: f64,
    /// 99th percentile of the latency, µs.
    pub latency_p99_us: f64,
    /// From the start of the job to its end, ms.
    pub elapsed_ms: f64,
}

/// A job as recorded and as simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What the kernel did.
    pub recorded: Recording,
    /// What the simulation did.
    pub simulated: Figures,
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

/// Shares agree if they differ by no more than this (one percentage point).
pub const SHARE_TOLERANCE: f64 = 0.01;
/// Throughputs agree if they differ by no more than this part (3 %), or by one I/O.
pub const THROUGHPUT_TOLERANCE: f64 = 0.03;
const LARGEST_IO_MB: f64 = 0.262_144;
/// By how much the time of a start-up may differ through the luck of its 200 sizes, each drawn
/// from 4 to 32 KiB: four standard deviations of the difference of two such sums, at 100 MB/s.
const LUCK_MS: f64 = 8.0;

/// How well a simulated job agrees with a recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Share and throughput (of a start-up: its time) are within the tolerances.
    Agrees,
    /// So is the share, and the throughput differs by no more than one slot of service moves:
    /// where the end of the run cuts the last slot hangs on single microseconds.
    WithinSlot,
    /// They don't.
    Differs,
}

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

    /// What an I/O cost the CPU of the recording host: each reading of the clock took 256 ns, and
    /// under bfq there were six of them for an I/O, under the others five (by the elapsed times of
    /// `seq1`).
    fn host_ns(&self) -> u64 {
        const CLOCK_READ_NS: u64 = 256;
        if self.scheduler.starts_with("bfq") { 6 * CLOCK_READ_NS } else { 5 * CLOCK_READ_NS }
    }

    /// What one slot of service may move, MB: the budget timeout of 125 ms at the disk's full rate.
    /// Schedulers without slots: one I/O.
    fn slot_mb(&self) -> f64 {
        match (self.scheduler.starts_with("bfq"), self.disk.as_str()) {
            (true, "ssd") => 62.5,
            (true, _) => 12.5,
            (false, _) => LARGEST_IO_MB,
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
}

/// Simulates `case` with the jobs of its scenario on a host like the recording one: a pool of 256
/// requests of at most 1 MiB, and some time for the CPU.
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
    let settings =
        QueueSettings { nr_requests: Some(256), max_sectors_kb: 1024, ..QueueSettings::default() };
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
    let simulated = simulate_on_host(setup, case.host_ns(), go_on, &mut ())?;
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
            let simulated = figures(&line.job, jobs).ok_or_else(|| FidelityError::MissingJob {
                scenario: case.scenario.clone(),
                job: line.job.clone(),
            })?;
            Ok(Comparison { recorded: line.clone(), simulated })
        })
        .collect()
}

/// The figures of the job called `name`, or of all called `name.0`, `name.1`, … together.
fn figures(name: &str, jobs: &[JobSummary]) -> Option<Figures> {
    let is_part = |job: &&JobSummary| {
        job.jobname == name
            || job.jobname.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
    };
    let parts: Vec<&JobSummary> = jobs.iter().filter(is_part).collect();
    if parts.is_empty() {
        return None;
    }
    let latencies: Vec<&LatencySummary> =
        parts.iter().filter_map(|job| job.read_clat_ns.as_ref()).collect();
    let ios: u64 = latencies.iter().map(|latency| latency.n).sum();
    // Parts of one job behave alike, so a weighted mean of their percentiles is near enough.
    let weighted_us = |pick: fn(&LatencySummary) -> f64| {
        let sum: f64 = latencies.iter().map(|latency| pick(latency) * latency.n as f64).sum();
        sum / ios.max(1) as f64 / 1e3
    };
    Some(Figures {
        mb_per_s: parts.iter().map(|job| job.bw_bytes).sum::<u64>() as f64 / 1e6,
        share: parts.iter().map(|job| job.share).sum(),
        latency_mean_us: weighted_us(|latency| latency.mean),
        latency_p50_us: weighted_us(|latency| latency.p50 as f64),
        latency_p99_us: weighted_us(|latency| latency.p99 as f64),
        elapsed_ms: parts.iter().map(|job| job.runtime).max().unwrap_or(0) as f64,
    })
}

impl Comparison {
    /// Whether the job did a fixed number of I/Os and ended; what counts is then how long it took.
    pub fn is_start_up(&self) -> bool {
        self.recorded.job == "cmd"
    }

    /// By how much the simulation differs from the recording, as a part of the latter: the time
    /// taken of a start-up, else the throughput. 0 if both did nothing.
    pub fn difference(&self) -> f64 {
        let (recorded, simulated) = if self.is_start_up() {
            (self.recorded.elapsed_ms, self.simulated.elapsed_ms)
        } else {
            (self.recorded.mb_per_s, self.simulated.mb_per_s)
        };
        if recorded == 0.0 && simulated == 0.0 { 0.0 } else { simulated / recorded - 1.0 }
    }

    /// How well they agree.
    pub fn verdict(&self) -> Verdict {
        let share = (self.simulated.share - self.recorded.share).abs();
        let seconds = (self.simulated.elapsed_ms / 1e3).max(1.0);
        let difference_mb = (self.simulated.mb_per_s - self.recorded.mb_per_s).abs() * seconds;
        let within = |mb| !self.is_start_up() && difference_mb <= mb;
        let difference_ms = (self.simulated.elapsed_ms - self.recorded.elapsed_ms).abs();
        let by_luck = self.is_start_up() && difference_ms <= LUCK_MS;
        if share > SHARE_TOLERANCE {
            Verdict::Differs
        } else if self.difference().abs() <= THROUGHPUT_TOLERANCE
            || within(LARGEST_IO_MB)
            || by_luck
        {
            Verdict::Agrees
        } else if within(self.recorded.case().slot_mb()) {
            Verdict::WithinSlot
        } else {
            Verdict::Differs
        }
    }
}

#[cfg(test)]
#[path = "fidelity_tests.rs"]
mod tests;
