// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a run cannot begin. All of these are mistakes in the job file or on the command line.

use blk::IdentityError;
use workload::JobErrors;

/// Why a [`Runner`](crate::Runner) was not made.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The jobs don't fit on the target.
    #[error(transparent)]
    Job(#[from] JobErrors),
    /// A job goes through a page cache, and the run has none.
    #[error(
        "{file}:{line}: job \"{job}\" has direct=0, but only simulated runs have a page cache: a \
         real one would decide before our scheduler what reaches the device; expected direct=1"
    )]
    Buffered {
        /// Path of the job file.
        file: String,
        /// The line of the job.
        line: u32,
        /// Name of the job.
        job: String,
    },
    /// Blocks with checksums would lie in two requests.
    #[error(
        "{file}:{line}: job \"{job}\" has blocks with a checksum that lie in two requests, as \
         these have {longest_bytes} bytes at most; expected verify_interval=BYTES, a divisor of \
         that"
    )]
    Interval {
        /// Path of the job file.
        file: String,
        /// The line of the job.
        line: u32,
        /// The job that asks for it.
        job: String,
        /// How long a request can be, in bytes; a longer I/O is split.
        longest_bytes: u64,
    },
    /// A job trims, and the device cannot.
    #[error(
        "{file}:{line}: job \"{job}\" has rw={rw}, but the device takes no trims (as hard disks); \
         expected a device that does, or another rw"
    )]
    Trims {
        /// Path of the job file.
        file: String,
        /// The line of the job.
        line: u32,
        /// The job that asks for it.
        job: String,
        /// The value of its option `rw`.
        rw: &'static str,
    },
    /// Two jobs give the same group different weights.
    #[error(
        "{file}:{line}: cgroup_weight={weight} for group `{group}`, which has weight {other} \
         by the job at {other_job}; expected one weight for a group"
    )]
    ConflictingWeights {
        /// Path of the job file.
        file: String,
        /// The line of the second job.
        line: u32,
        /// Path of the group.
        group: String,
        /// The weight that the second job gives the group.
        weight: u32,
        /// File and line of the first job.
        other_job: String,
        /// The weight that the first job gives the group.
        other: u32,
    },
    /// A weight is set for a group that no job is in.
    #[error("no group `{path}` to set the weight of; {}", known_groups(.known))]
    UnknownGroup {
        /// The path of the group as the caller wrote it.
        path: String,
        /// The groups that there are.
        known: Vec<String>,
    },
    /// A weight is out of range.
    #[error("group `{path}`: weight {weight}; expected a number from 1 to 10000")]
    Weight {
        /// Path of the group.
        path: String,
        /// The weight as the caller gave it.
        weight: u32,
    },
    /// The layer does not take a group or process.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

fn known_groups(known: &[String]) -> String {
    if known.is_empty() {
        "no job has `cgroup=`".to_owned()
    } else {
        format!("the job files have {}", known.join(", "))
    }
}
