// SPDX-License-Identifier: MIT OR Apache-2.0
//! What went wrong on a target while jobs ran on it.

use runner::{Mismatch, Mismatches};
use std::fmt;
use std::path::PathBuf;

/// Requests that failed: each kind of failure in a part of a line.
#[derive(Debug)]
pub struct RequestsFailed {
    /// What they were for.
    pub target: PathBuf,
    /// The kinds of targets.
    pub failures: Vec<disk_io::Failure>,
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

/// Requests of a job that ran alone failed.
#[derive(Debug, thiserror::Error)]
#[error("job {job}, alone (--fair): {source}")]
pub struct AloneFailed {
    /// Name of the job.
    pub job: String,
    /// The requests, by the kinds of their failures.
    pub source: RequestsFailed,
}

/// Blocks that were not as `verify` expects them.
#[derive(Debug)]
pub struct VerifyFailed {
    /// Path of the target that was verified.
    pub target: PathBuf,
    /// The blocks of the target.
    pub mismatches: Mismatches,
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
