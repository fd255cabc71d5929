// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is of a scheduler to look at, for hosts and for its policy, which may also change its
//! own part of it (spec 12.2).

use crate::{
    model::{
        group::Group,
        ids::{GroupId, QueueId, RequestId},
        queue::Queue,
    },
    quirks::Behaviour,
    scheduler::{Policy, Scheduler},
    tunables::Tunable,
    units::{Sectors, Time},
    why::Observer,
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// The name of its policy, as users choose it.
    pub fn policy_name(&self) -> &'static str {
        P::NAME
    }

    /// The tunables that its policy heeds.
    pub fn heeded_tunables(&self) -> &'static [Tunable] {
        P::TUNABLES
    }

    /// Whose behaviour was chosen for its policy, if that has several.
    pub fn chosen_behaviour(&self) -> Option<Behaviour> {
        self.policy.behaviour()
    }

    /// The policy of this scheduler.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The policy, to change it: for the policy itself.
    pub fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    /// A queue that exists.
    ///
    /// # Panics
    /// If it does not.
    pub fn queue(&self, queue: QueueId) -> &Queue<P> {
        &self.model.queues[queue]
    }

    /// What the policy keeps of a queue that exists.
    ///
    /// # Panics
    /// If it does not.
    pub fn state_of_queue(&mut self, queue: QueueId) -> &mut P::Queue {
        &mut self.model.queues[queue].policy
    }

    /// A group that exists.
    ///
    /// # Panics
    /// If it does not.
    pub fn group(&self, group: GroupId) -> &Group<P> {
        &self.model.groups[group]
    }

    /// What the policy keeps of a group that exists.
    ///
    /// # Panics
    /// If it does not.
    pub fn state_of_group(&mut self, group: GroupId) -> &mut P::Group {
        &mut self.model.groups[group].policy
    }

    /// All queues, in the order of their names.
    pub fn queues(&self) -> impl Iterator<Item = (QueueId, &Queue<P>)> {
        self.model.queues.iter()
    }

    /// All groups, in the order of their names.
    pub fn groups(&self) -> impl Iterator<Item = (GroupId, &Group<P>)> {
        self.model.groups.iter()
    }

    /// The length of a request that waits or is in the device.
    ///
    /// # Panics
    /// If its number is beyond the pool.
    pub fn sectors_of(&self, id: RequestId) -> Sectors {
        self.model.requests[id].sectors()
    }

    /// The latest time that it was told.
    pub fn now(&self) -> Time {
        self.clock.now
    }
}
