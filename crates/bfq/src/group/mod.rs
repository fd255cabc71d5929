//! Groups: inner nodes of the hierarchy, one for each cgroup (spec 6).

mod accounting;
mod membership;
pub mod statistics;
pub mod weight;

#[cfg(test)]
mod lab;
#[cfg(test)]
mod offline_tests;
#[cfg(test)]
mod share_tests;
#[cfg(test)]
mod statistics_tests;
#[cfg(test)]
mod weight_tests;

use crate::{
    arena::{Arena, OutOfMemory, filled, host_key},
    fair::{EntityId, LevelId},
    merge::positions::Positions,
    queue::QueueId,
    units::{Class, IOPRIO_LEVELS, Ioprio},
};
use alloc::vec::Vec;
use statistics::{GroupClocks, GroupStatistics};

host_key!(
    /// Names a group.
    GroupId
);

/// Async queues of a group for one actuator: RT and BE by level, and one for the idle class.
const ASYNC_QUEUES: usize = 2 * IOPRIO_LEVELS as usize + 1;

/// A group.
#[derive(Debug)]
pub(crate) struct Group {
    pub parent: Option<GroupId>,
    /// Schedules its members.
    pub level: LevelId,
    /// Stands for it in its parent's level; none for the root.
    pub entity: Option<EntityId>,
    pub online: bool,
    /// Processes, queues and child groups that name it.
    pub references: u32,
    asynchronous: Vec<Option<QueueId>>,
    pub positions: Positions,
    /// The sync queue created last in it.
    pub last_created: Option<QueueId>,
    /// Requests allocated to its queues and to those of the groups below it (spec 3.22).
    pub allocated: u32,
    /// Its own queues that are busy or have requests in flight.
    pub pending_queues: u32,
    pub statistics: GroupStatistics,
    pub clocks: GroupClocks,
}

impl Group {
    /// A group without queues.
    pub fn new(
        parent: Option<GroupId>,
        level: LevelId,
        entity: Option<EntityId>,
        actuators: usize,
    ) -> Result<Self, OutOfMemory> {
        let asynchronous = filled(ASYNC_QUEUES * actuators, None)?;
        Ok(Group {
            parent,
            level,
            entity,
            online: true,
            references: 0,
            asynchronous,
            positions: Positions::new(),
            last_created: None,
            allocated: 0,
            pending_queues: 0,
            statistics: GroupStatistics::default(),
            clocks: GroupClocks::default(),
        })
    }

    /// The slot of the async queue for a priority and an actuator.
    pub fn async_queue(&mut self, ioprio: Ioprio, actuator: u8) -> &mut Option<QueueId> {
        let levels = usize::from(IOPRIO_LEVELS);
        let at = match ioprio.class() {
            Class::RealTime => usize::from(ioprio.level()),
            Class::BestEffort => levels + usize::from(ioprio.level()),
            Class::Idle => 2 * levels,
        };
        &mut self.asynchronous[usize::from(actuator) * ASYNC_QUEUES + at]
    }

    /// All async queues, by position.
    pub fn async_queues(&self) -> &[Option<QueueId>] {
        &self.asynchronous
    }

    /// Takes one async queue out of its slot.
    pub fn take_async_queue(&mut self) -> Option<QueueId> {
        self.asynchronous.iter_mut().find_map(Option::take)
    }
}

/// All groups of a device.
pub(crate) type Groups = Arena<GroupId, Group>;
