// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups: one for each cgroup (spec 6).

use super::{
    attached::Attached,
    ids::{GroupId, QueueId},
};
use crate::{
    cgroup::statistics::{GroupClocks, GroupStatistics},
    store::{
        arena::{Arena, OutOfMemory, filled},
        list::{Hook, Hooked, List},
    },
    units::{Class, IOPRIO_LEVELS, Ioprio},
};
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// The time from one removal of a group to the next. What was found out about groups in this one
/// needs no second look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(NonZeroU32);

impl Epoch {
    /// Before any group was removed.
    pub const FIRST: Epoch = Epoch(NonZeroU32::MIN);

    /// The one that a removal begins. After 2^32 removals they are numbered anew.
    pub fn next(self) -> Self {
        Epoch(self.0.checked_add(1).unwrap_or(NonZeroU32::MIN))
    }

    /// Whether it is this one in which something was `settled`.
    #[inline]
    pub fn is(self, settled: Option<Epoch>) -> bool {
        // None is 0, which no epoch is: one comparison of numbers.
        settled.map_or(0, |epoch| epoch.0.get()) == self.0.get()
    }
}

/// The list of online groups with the same parent.
pub(crate) const SIBLINGS: usize = 3;

/// Async queues of a group for one actuator: RT and BE by level, and one for the idle class.
const ASYNC_QUEUES: usize = 2 * IOPRIO_LEVELS as usize + 1;

/// A group of processes.
#[derive(Debug)]
pub struct Group<A: Attached> {
    /// What the policy keeps of it.
    pub policy: A::Group,
    pub(crate) parent: Option<GroupId>,
    pub(crate) online: bool,
    /// Processes, queues and child groups that name it.
    pub(crate) references: u32,
    /// The online groups below it, in the order of their creation.
    pub(crate) children: List<GroupId, SIBLINGS>,
    sibling_hook: Hook<GroupId>,
    asynchronous: Vec<Option<QueueId>>,
    /// Requests allocated to its queues and to those of the groups below it (spec 3.22).
    pub(crate) allocated: u32,
    pub(crate) statistics: GroupStatistics,
    pub(crate) clocks: GroupClocks,
}

impl<A: Attached> Group<A> {
    /// A group without queues.
    pub(crate) fn new(parent: Option<GroupId>, policy: A::Group, places: AsyncPlaces) -> Self {
        Group {
            policy,
            parent,
            online: true,
            references: 0,
            children: List::new(),
            sibling_hook: Hook::new(),
            asynchronous: places.0,
            allocated: 0,
            statistics: GroupStatistics::default(),
            clocks: GroupClocks::default(),
        }
    }

    /// The group above it; none for the root.
    pub fn parent(&self) -> Option<GroupId> {
        self.parent
    }

    /// The place of the async queue for a priority and an actuator.
    pub(crate) fn async_queue(&mut self, ioprio: Ioprio, actuator: u8) -> &mut Option<QueueId> {
        let levels = usize::from(IOPRIO_LEVELS);
        let at = match ioprio.class() {
            Class::RealTime => usize::from(ioprio.level()),
            Class::BestEffort => levels + usize::from(ioprio.level()),
            Class::Idle => 2 * levels,
        };
        &mut self.asynchronous[usize::from(actuator) * ASYNC_QUEUES + at]
    }

    /// All async queues, by position.
    pub(crate) fn async_queues(&self) -> &[Option<QueueId>] {
        &self.asynchronous
    }

    /// Takes one async queue out of its place.
    pub(crate) fn take_async_queue(&mut self) -> Option<QueueId> {
        self.asynchronous.iter_mut().find_map(Option::take)
    }
}

impl<A: Attached> Hooked<GroupId, SIBLINGS> for Group<A> {
    fn hook(&self) -> &Hook<GroupId> {
        &self.sibling_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<GroupId> {
        &mut self.sibling_hook
    }
}

/// Memory for the places of a group's async queues.
#[derive(Debug)]
pub(crate) struct AsyncPlaces(Vec<Option<QueueId>>);

impl AsyncPlaces {
    /// For a device with this number of actuators.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(actuators: usize) -> Result<Self, OutOfMemory> {
        filled(ASYNC_QUEUES * actuators, None).map(AsyncPlaces)
    }
}

/// All groups of a device.
pub(crate) type Groups<A> = Arena<GroupId, Group<A>>;
