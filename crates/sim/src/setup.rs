// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be simulated, and on what computer.

use blk::{DeviceLimits, Elevator, QueueSettings};
use device::{ModelKind, Profile};
use runner::SimultaneousOrder;
use workload::Job;
use workload::cache::CacheSettings;

/// What is to be simulated.
pub struct Setup<'a> {
    /// The jobs to simulate.
    pub jobs: &'a [Job],
    /// Weights of control groups by path, over those of the job files.
    pub group_weights: &'a [(String, u32)],
    /// Settings of the block layer.
    pub settings: QueueSettings,
    /// Settings of the page cache, which jobs with `direct=0` use.
    pub page_cache: CacheSettings,
    /// Profile of the device.
    pub profile: &'a Profile,
    /// The scheduler, not used before.
    pub elevator: Box<dyn Elevator>,
    /// Seed of every random choice, of processes and device.
    pub seed: u64,
    /// Who goes first of processes that could go on at the same instant.
    pub order: SimultaneousOrder,
}

/// What a device model tells the block layer of itself.
pub fn limits(profile: &Profile) -> DeviceLimits {
    let limits = DeviceLimits::new(profile.depth(), profile.rotational());
    let takes_trims = profile.model() != ModelKind::HardDisk;
    DeviceLimits {
        capacity_sectors: profile.capacity_sectors(),
        max_discard_sectors: if takes_trims { limits.max_discard_sectors } else { 0 },
        ..limits
    }
}

/// What else a simulated computer is like.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulatedHost {
    /// What its single CPU needs, if that counts; the jobs are simulated in the order
    /// [`SimultaneousOrder::Linux6_1`] then.
    pub cpu: Option<CpuTimes>,
    /// The run ends when its time is up, which begins when the first process has woken; what is
    /// under way then does not count.
    pub stops_on_time: bool,
}

/// What a CPU needs, ns. The device works on meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct CpuTimes {
    /// From the moment when a process can go on and has the CPU until it has submitted.
    pub process_ns: u64,
    /// To begin a run of the dispatch loop if the CPU did nothing before.
    pub run_ns: u64,
    /// To issue a command.
    pub issue_ns: u64,
}
