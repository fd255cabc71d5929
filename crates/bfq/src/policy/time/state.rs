// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Time Fair Queueing keeps: of the device, of each queue and of each group.

use super::{
    alone::{AloneCost, Probe, Probes},
    cache::{Cache, Pace},
    company::Company,
    expected::Returns,
    favour::Favour,
    in_device::InDevice,
    learnt::Learnt,
    loan::{Loan, Pool},
    pattern::Pattern,
    read_ahead::ReadAhead,
    rotation::Rotation,
    shares::{LevelId, NodeId, Shares},
    time_budget::TimeBudget,
    visit_budget::{Visits, budget_of_visits},
};
use crate::{
    model::{attached::Attached, clock::Clock, device::Device, ids::QueueId},
    store::arena::OutOfMemory,
    units::{Sector, Span, Time},
};

/// A scheduler by this policy.
pub(crate) type Scheduler<O> = crate::scheduler::Scheduler<O, TimeFair>;

/// Time Fair Queueing: shares of the device's time.
#[derive(Debug)]
pub struct TimeFair {
    pub(super) shares: Shares,
    /// How many queues have requests that wait; each of them is active in `shares`.
    pub(super) backlogged: u64,
    pub(super) learnt: Learnt,
    pub(super) in_device: InDevice,
    /// A queue is served alone, to see what its requests take.
    pub(super) probe: Option<Probe>,
    pub(super) probes: Probes,
    /// The device is kept free, for a queue that is expected back.
    pub(super) hold: Option<Hold>,
    pub(super) allowances: Allowances,
    /// The end of the last request that was dispatched; before the first, the start of the disk.
    pub(super) last_position: Sector,
    pub(super) rotation: Rotation,
    pub(super) cache: Cache,
    pub(super) counters: Counters,
}

/// What may be done beside the order of the queues, for a part of the time.
#[derive(Debug)]
pub(super) struct Allowances {
    /// With `strict=0`: to keep turns, though the device could do more.
    pub favour: Favour,
    /// To serve visitors.
    pub visits: TimeBudget,
}

/// How often something has happened since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// A queue was served alone, to see what its requests take.
    pub probes: u64,
    /// The device was kept free for a queue.
    pub holds: u64,
}

/// The device is kept free for a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub queue: QueueId,
    /// Since when the device has had nothing to do; none while it still works.
    pub empty_since: Option<Time>,
    /// When the device goes to others; none while the queue has requests in the device,
    /// whose completion decides.
    pub until: Option<Time>,
}

/// What is kept of a queue.
#[derive(Debug)]
pub struct TimeQueue {
    pub(super) node: NodeId,
    /// The process of the queue has not ended.
    pub(super) alive: bool,
    pub(super) returns: Returns,
    pub(super) cost: AloneCost,
    pub(super) pattern: Pattern,
    pub(super) pace: Pace,
    /// On a disk with moving parts: requests in the device that were sent as random ones, and what
    /// was charged in advance for them.
    pub(super) random_in_flight: u32,
    pub(super) advanced: Span,
    /// Since it came back after a pause; on a disk with moving parts, until it has had a slot.
    pub(super) visits: Option<Visits>,
    pub(super) read_ahead: ReadAhead,
    /// With whom it reads a stream, on a disk with moving parts.
    pub(super) company: Company,
    /// It is served first for a moment.
    pub(super) loan: Option<Loan>,
}

/// What is kept of a group.
#[derive(Debug)]
pub struct TimeGroup {
    /// None for the root.
    pub(super) node: Option<NodeId>,
    pub(super) level: LevelId,
    pub(super) pool: Pool,
}

impl Attached for TimeFair {
    type Queue = TimeQueue;
    type Group = TimeGroup;
    type Process = ();
}

impl TimeFair {
    /// For a device to which nothing has come yet.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn of_device(clock: &Clock, device: &Device) -> Result<Self, OutOfMemory> {
        let shares = Shares::new()?;
        Ok(TimeFair {
            shares: if device.rotational { shares.of_moving_parts() } else { shares },
            backlogged: 0,
            learnt: Learnt::new(device.rotational),
            in_device: InDevice::EMPTY,
            probe: None,
            probes: Probes::new(clock.now),
            hold: None,
            allowances: Allowances {
                favour: Favour::new(clock.now),
                visits: budget_of_visits(clock.now),
            },
            last_position: Sector::FIRST,
            rotation: Rotation::new(clock.now),
            cache: Cache::new(clock.now),
            counters: Counters::default(),
        })
    }
}
