// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be run, and on what.

use crate::order::SimultaneousOrder;
use blk::{DeviceLimits, QueueSettings};
use workload::Job;
use workload::cache::CacheSettings;

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    /// The jobs to run.
    pub jobs: &'a [Job],
    /// Weights (1 to 10,000) of control groups by path, over those of the job files.
    pub group_weights: &'a [(String, u32)],
    /// Settings of the block layer.
    pub settings: QueueSettings,
    /// The page cache of jobs with `direct=0`; none: there may be no such job.
    pub page_cache: Option<CacheSettings>,
    /// What the device is; its capacity is the target in which the jobs' regions are laid out.
    pub limits: DeviceLimits,
    /// Seed of every random choice of the processes.
    pub seed: u64,
    /// Who goes first of processes that could go on at the same instant.
    pub order: SimultaneousOrder,
}
