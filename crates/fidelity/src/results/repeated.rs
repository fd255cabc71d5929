// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded scenarios, simulated again, and their figures side by side: once, or in many orders.

use super::case::{Case, ORDERS};
use super::comparison::{Agreement, Comparison};
use super::error::ResultsError;
use super::figures::Figures;
use super::recording::Recording;
use super::simulation::run_case;
use super::spread::SpreadComparison;
use report::Run;
use workload::Job;

/// A job as recorded and as simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum JobComparison {
    /// Compared with one simulation, in one order of simultaneous events.
    Once(Comparison),
    /// In [`ORDERS`] orders of simultaneous events.
    Orders(SpreadComparison),
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
