// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes: where they live, what priority they asked for, and which queues they use (spec 2.1,
//! 2.2).

use super::{
    attached::Attached,
    group::Epoch,
    ids::{GroupId, ProcessId, QueueId},
};
use crate::{
    store::{
        arena::{Arena, OutOfMemory, append},
        list::List,
    },
    units::{CpuPolicy, Ioprio},
};
use alloc::vec::Vec;

/// What the host knows of a process's priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ProcessAttributes {
    /// The I/O priority it asked for, if it did.
    pub ioprio: Option<Ioprio>,
    /// Its nice value, -20 to 19; looked at when a queue is created, if `ioprio` is none.
    pub nice: i8,
    /// Its CPU scheduling policy; likewise.
    pub policy: CpuPolicy,
}

impl ProcessAttributes {
    /// A process that asked for `ioprio`.
    pub const fn with_ioprio(ioprio: Ioprio) -> Self {
        ProcessAttributes { ioprio: Some(ioprio), nice: 0, policy: CpuPolicy::Normal }
    }

    /// The priority of its queues.
    pub const fn effective(&self) -> Ioprio {
        match self.ioprio {
            Some(ioprio) => ioprio,
            None => Ioprio::from_cpu(self.nice, self.policy),
        }
    }
}

/// The list of queues with the same owner.
pub(crate) const OWNED: usize = 2;

/// A process that does I/O.
#[derive(Debug)]
pub(crate) struct Process<A: Attached> {
    pub attributes: ProcessAttributes,
    /// The group it lives in (perhaps an offline one: then its I/O goes to the nearest ancestor).
    pub group: GroupId,
    /// The explicit priority in force for its queues.
    pub seen_ioprio: Option<Ioprio>,
    /// The group in force for its queues: the nearest ancestor-or-self of its own that was online
    /// at its last request. None if it has done none there.
    pub served_in: Option<GroupId>,
    /// When its queues were brought in line; none if something of the above changed since.
    pub settled: Option<Epoch>,
    /// Requests of its that are in the scheduler or the device.
    pub requests: u32,
    /// It has ended; it goes when its last request does.
    pub exited: bool,
    /// The queues whose owner it is: those that it uses, and some that it left.
    pub owned: List<QueueId, OWNED>,
    /// For the first actuator, which most devices have only.
    first: ActuatorState<A>,
    /// For the actuators from the second on; empty on a device with one.
    others: Vec<ActuatorState<A>>,
}

impl<A: Attached> Process<A> {
    /// It has ended and nothing of it is left.
    pub fn is_gone(&self) -> bool {
        self.exited && self.requests == 0
    }

    /// What it has for an actuator.
    #[inline]
    pub fn at(&self, actuator: u8) -> &ActuatorState<A> {
        match usize::from(actuator).checked_sub(1) {
            None => &self.first,
            Some(other) => &self.others[other],
        }
    }
}

/// What a process has for one actuator.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ActuatorState<A: Attached> {
    pub asynchronous: Option<QueueId>,
    pub sync: Option<QueueId>,
    /// What the policy keeps of it.
    pub policy: A::Process,
}

impl<A: Attached> Default for ActuatorState<A> {
    fn default() -> Self {
        ActuatorState { asynchronous: None, sync: None, policy: A::Process::default() }
    }
}

impl<A: Attached> ActuatorState<A> {
    /// The link for sync or async requests.
    pub fn link(&self, sync: bool) -> Option<QueueId> {
        if sync { self.sync } else { self.asynchronous }
    }
}

/// All processes, each with a state for every actuator.
#[derive(Debug)]
pub(crate) struct Processes<A: Attached> {
    pub table: Arena<ProcessId, Process<A>>,
    actuators: usize,
}

impl<A: Attached> Processes<A> {
    pub const fn new(actuators: usize) -> Self {
        Processes { table: Arena::new(), actuators }
    }

    /// Adds a process that has done no I/O yet.
    pub fn insert(
        &mut self,
        group: GroupId,
        attributes: ProcessAttributes,
    ) -> Result<ProcessId, OutOfMemory> {
        debug_assert!(self.actuators > 0, "a device without an actuator");
        let count = self.actuators - 1;
        let mut others = Vec::new();
        others.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
        (0..count).for_each(|_| append(&mut others, ActuatorState::default()));
        let process = Process {
            attributes,
            group,
            seen_ioprio: None,
            served_in: None,
            settled: None,
            requests: 0,
            exited: false,
            owned: List::new(),
            first: ActuatorState::default(),
            others,
        };
        self.table.insert(process)
    }

    pub fn remove(&mut self, id: ProcessId) {
        self.table.remove(id);
    }

    pub fn contains(&self, id: ProcessId) -> bool {
        self.table.contains(id)
    }

    /// The process, if it exists and has not ended.
    pub fn living(&self, id: ProcessId) -> Option<&Process<A>> {
        // Only ended processes are removed, and they stay so in the table.
        self.table.at_position(id).filter(|process| !process.exited)
    }

    /// The same, to change it.
    #[inline]
    pub fn living_mut(&mut self, id: ProcessId) -> Option<&mut Process<A>> {
        self.table.at_position_mut(id).filter(|process| !process.exited)
    }

    /// What a process has for an actuator.
    pub fn at(&self, id: ProcessId, actuator: u8) -> &ActuatorState<A> {
        self.table[id].at(actuator)
    }

    /// The same, to change it.
    pub fn at_mut(&mut self, id: ProcessId, actuator: u8) -> &mut ActuatorState<A> {
        let process = &mut self.table[id];
        match usize::from(actuator).checked_sub(1) {
            None => &mut process.first,
            Some(other) => &mut process.others[other],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (ProcessId, &Process<A>)> {
        self.table.iter()
    }
}

impl<A: Attached> core::ops::Index<ProcessId> for Processes<A> {
    type Output = Process<A>;
    fn index(&self, id: ProcessId) -> &Process<A> {
        &self.table[id]
    }
}

impl<A: Attached> core::ops::IndexMut<ProcessId> for Processes<A> {
    fn index_mut(&mut self, id: ProcessId) -> &mut Process<A> {
        &mut self.table[id]
    }
}
