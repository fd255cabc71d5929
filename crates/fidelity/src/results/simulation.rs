// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulates a case as it was recorded.

use super::case::{CLOCK_READ_NS, Case, POOL_REQUESTS, RECORDED};
use super::error::ResultsError;
use blk::{QueueSettings, SubmitterRuns, TagSearch};
use report::Run;
use runner::SimultaneousOrder;
use sim::{Setup, SimulatedHost, limits, simulate_on_host};
use std::ops::ControlFlow;
use workload::{Batches, Job, Reap};

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
pub(super) fn simulate_case(
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
    let go_on = &mut |_, _| ControlFlow::Continue(());
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
