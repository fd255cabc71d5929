// SPDX-License-Identifier: MIT OR Apache-2.0
//! What real runs are made on: the target, opened or created, and how it can be used.

use super::alignment::check_alignment;
use crate::error::LabError;
use base::SECTOR_BYTES;
use blk::{DeviceLimits, QueueSettings};
use disk_io::{
    Engine, EngineKind, EngineSettings, LARGEST_DISCARD_SECTORS, Target, TargetSettings,
};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;
use workload::Job;

/// A file or block device, and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetOptions {
    /// The file or block device.
    pub path: PathBuf,
    /// It is created with this size; of one that exists, only the beginning is used.
    pub size_bytes: Option<u64>,
    /// The jobs may write to a target that exists.
    pub allow_write: bool,
    /// How many requests it gets at a time.
    pub depth: u32,
    /// It serves no more than this.
    pub limit_bytes_per_s: Option<NonZeroU64>,
    /// Whether it rotates; `None`: what the kernel says.
    pub rotational: Option<bool>,
    /// How I/O is done; `None`: by what there is.
    pub engine: Option<EngineKind>,
    /// I/O goes through the page cache.
    pub buffered: bool,
    /// A target that was created stays.
    pub keep: bool,
}

/// What runs are made on.
pub struct RealStage {
    /// Path of the target.
    pub target: Target,
    /// What the block layer has to know of it.
    pub limits: DeviceLimits,
    /// Who does I/O on it.
    pub engine: Engine,
}

impl RealStage {
    /// Opens or creates the target for these jobs. `fill` is told how much of it (bytes, of how
    /// many) has been filled, and may stop that.
    ///
    /// # Errors
    /// If it cannot be had, or the jobs don't fit it.
    pub(crate) fn open(
        options: &TargetOptions,
        jobs: &[Job],
        settings: &QueueSettings,
        fill: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<RealStage, LabError> {
        let target = TargetSettings {
            path: options.path.clone(),
            size_bytes: options.size_bytes,
            writes: jobs.iter().any(writes),
            allow_write: options.allow_write,
            direct: !options.buffered,
            keep: options.keep,
        };
        // A file that no run begins on is not kept.
        Target::open_with(&target, &mut |done, all| fill(done, all), |target| {
            check_alignment(jobs, &target)?;
            let limits = limits(&target, settings, options.depth, options.rotational);
            let engine = EngineSettings {
                depth: limits.depth,
                longest_bytes: limits.max_sectors * SECTOR_BYTES as u32,
                kind: options.engine,
            };
            let engine = target.engine(engine)?;
            Ok(RealStage { target, limits, engine })
        })
    }

    /// What people should know of how the target is used; `asked` is the engine asked for.
    pub(super) fn notes(&self, asked: Option<EngineKind>) -> Vec<String> {
        const INSTEAD: &str = "preadv and pwritev in a pool of threads take its place";
        let mut notes = self.target.notes().to_vec();
        if let Some(error) = self.engine.io_uring_refused() {
            notes.push(format!("io_uring is refused here ({error}): {INSTEAD}"));
        } else if asked.is_none() && !self.target.direct() {
            notes.push(format!("io_uring is of no use without O_DIRECT: {INSTEAD}"));
        }
        notes
    }
}

/// Whether a job changes its target.
fn writes(job: &Job) -> bool {
    match &job.trace {
        Some(trace) => trace.writes,
        None => job.rw.writes() || job.rw.trims(),
    }
}

/// What the block layer has to know of the target.
fn limits(
    target: &Target,
    settings: &QueueSettings,
    depth: u32,
    rotational: Option<bool>,
) -> DeviceLimits {
    /// Each place of the queue has a buffer for the largest request.
    const LARGEST_BYTES: u64 = 4 << 20;
    let largest_bytes = LARGEST_BYTES.min(u64::from(settings.max_sectors_kb) << 10);
    // Larger I/O is split there, so it must be between two blocks.
    let block_bytes = u64::from(target.block_bytes());
    let whole_blocks = (largest_bytes - largest_bytes % block_bytes).max(block_bytes);
    DeviceLimits {
        max_sectors: (whole_blocks / SECTOR_BYTES) as u32,
        max_discard_sectors: LARGEST_DISCARD_SECTORS,
        capacity_sectors: target.capacity_bytes() / SECTOR_BYTES,
        ..DeviceLimits::new(depth, rotational.or(target.rotational()).unwrap_or(false))
    }
}
