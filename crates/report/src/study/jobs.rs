// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which jobs results tell of.

use crate::results::Results;
use base::suggest::meant_or_all;

/// No run has a job of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no job `{name}`{}", meant_or_all(name, jobs))]
pub struct NoSuchJob {
    /// The name that was asked for.
    pub name: String,
    /// The names of the jobs that there are, in the order of the results.
    pub jobs: Vec<String>,
}

/// Checks that some run of the results has a job of that name.
///
/// # Errors
/// If none has.
pub fn check_job<'a>(
    results: impl IntoIterator<Item = &'a Results>,
    name: &str,
) -> Result<(), NoSuchJob> {
    let mut jobs: Vec<&str> = Vec::new();
    let runs = results.into_iter().flat_map(|results| &results.runs);
    for summary in runs.flat_map(|run| &run.summary.jobs) {
        if !jobs.contains(&summary.jobname.as_str()) {
            jobs.push(&summary.jobname);
        }
    }
    if jobs.contains(&name) {
        return Ok(());
    }
    let jobs = jobs.into_iter().map(str::to_owned).collect();
    Err(NoSuchJob { name: name.to_owned(), jobs })
}
