// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which jobs can be judged by how fairly they share.

use workload::Job;

/// Why a run of a job cannot be judged.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: job {job}: --fair is not defined for it: {why}")]
pub struct FairError {
    /// Path of the job file.
    pub file: String,
    /// The line of the job's section in that file, from 1.
    pub line: u32,
    /// Name of the job.
    pub job: String,
    /// Why the fair share is not defined for the job.
    pub why: &'static str,
}

/// Refuses jobs of which it makes no sense to ask what they do alone.
///
/// # Errors
/// For the first such job.
pub fn check(jobs: &[Job]) -> Result<(), FairError> {
    for job in jobs {
        let why = if job.trace.is_some() {
            "a recording has the times of the disk and the company in which it was made; what the \
             processes would ask of this disk alone is not known"
        } else if job.flow.is_some() {
            "with flow= it goes on at the pace of other jobs; alone it would be another load"
        } else if job.latency_target.is_some() {
            "with latency_target= its depth follows its latency; alone it would be another load"
        } else if job.buffered && (job.rw.writes() || job.rw.trims()) {
            "it writes through the page cache, which writes to the disk for all; expected direct=1"
        } else {
            continue;
        };
        let (file, job_name) = (job.file.to_string(), job.name.clone());
        return Err(FairError { file, line: job.line, job: job_name, why });
    }
    Ok(())
}
