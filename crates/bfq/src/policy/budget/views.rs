// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short ways: from a queue to its leaf and back, and what is asked of both again and again.

use super::state::Scheduler;
use crate::{
    fair::{Entity, EntityId},
    model::ids::QueueId,
    quirks::{Behaviour, Quirk},
    scheduler::Config,
    store::arena::OutOfMemory,
    units::{Class, Time},
    why::{Observer, Silent},
};

impl Scheduler {
    /// Attaches a scheduler to a device, with the defaults of all tunables.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(now: Time, config: Config<'_>) -> Result<Self, OutOfMemory> {
        Scheduler::with_observer(now, config, Silent)
    }
}

impl<O: Observer> Scheduler<O> {
    /// Attaches a scheduler to a device; `observer` is told every decision.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn with_observer(now: Time, config: Config<'_>, observer: O) -> Result<Self, OutOfMemory> {
        Scheduler::attach(now, config, observer)
    }

    /// Whose behaviour it has.
    pub fn behaviour(&self) -> Behaviour {
        self.policy.behaviour
    }

    /// The recorded host's clock goes on while it is in the scheduler, so that the first request of
    /// a queue comes later than the queue (spec 2.9, *First sample*). Without it, and where only
    /// one time is read for both, the behaviours of the kernels have the reference's quirk (spec
    /// 10.2, row 20).
    pub fn let_clock_run(&mut self) {
        self.policy.quirks = self.policy.quirks.without(Quirk::FirstThinkTimeWraps);
    }

    /// The queue that a leaf of the hierarchy stands for.
    pub(crate) fn queue_of(&self, leaf: EntityId) -> QueueId {
        QueueId::from_index(self.policy.fair.entity(leaf).owner() as usize)
    }

    /// The leaf of a queue.
    pub(crate) fn leaf(&self, queue: QueueId) -> &Entity {
        self.policy.fair.entity(self.model.queues[queue].policy.entity)
    }

    /// The class of a queue, as it is counted among the busy ones.
    pub(crate) fn class(&self, queue: QueueId) -> Class {
        self.leaf(queue).class()
    }

    /// Whether a queue's weight is raised.
    pub(crate) fn is_raised(&self, queue: QueueId) -> bool {
        self.model.queues[queue].policy.is_raised()
    }
}
