// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a target can take the blocks and offsets that jobs ask of it.

use disk_io::Target;
use std::path::PathBuf;
use workload::{Direction, Extent, Job};

/// A job asks for blocks or offsets that the target cannot take.
#[derive(Debug, thiserror::Error)]
#[error(
    "{file}:{line}: job {job}: {option} of {bytes} bytes; expected a multiple of the block of {}, \
     {block_bytes} bytes",
    target.display()
)]
pub struct AlignmentError {
    /// Path of the job file.
    pub file: String,
    /// The line of the job's section in that file, from 1.
    pub line: u32,
    /// Name of the job.
    pub job: String,
    /// The option whose value does not fit the block.
    pub option: &'static str,
    /// Value of the option.
    pub bytes: u64,
    /// Path of the target.
    pub target: PathBuf,
    /// The smallest block that the target takes.
    pub block_bytes: u64,
}

/// Blocks and offsets that the target cannot take are mistakes of the job file for this target.
pub(super) fn check_alignment(jobs: &[Job], target: &Target) -> Result<(), AlignmentError> {
    let block_bytes = u64::from(target.block_bytes());
    for job in jobs.iter().filter(|job| job.trace.is_none()) {
        let check = |option: &'static str, bytes: u64| match bytes % block_bytes {
            0 => Ok(()),
            _ => Err(AlignmentError {
                file: job.file.to_string(),
                line: job.line,
                job: job.name.clone(),
                option,
                bytes,
                target: target.path().to_owned(),
                block_bytes,
            }),
        };
        for direction in Direction::ALL.into_iter().filter(|way| job.rw.has(*way)) {
            let sizes = &job.block_sizes[direction];
            check("a block size", u64::from(sizes.min_bytes()))?;
            check("a block size", u64::from(sizes.max_bytes()))?;
        }
        if let Extent::Bytes(offset_bytes) = job.offset {
            check("an offset", offset_bytes)?;
        }
    }
    Ok(())
}
