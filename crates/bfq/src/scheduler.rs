// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler of one device: a model of what there is, and a policy that decides (spec 12.2).
//!
//! [`Scheduler`] has the calls of a host (`calls`): they keep the model, and ask the policy.
//! [`Policy`] is what a policy answers. Its functions get the whole scheduler: the policy's own
//! state is in it, beside the model to look at.

use core::fmt::Debug;

use crate::{
    model::{
        Model,
        allowance::Allowance,
        attached::Attached,
        clock::Clock,
        device::Device,
        group::Group,
        ids::{GroupId, ProcessId, QueueId, RequestId},
        queue::Queue,
        request::{NewRequest, Operation},
    },
    quirks::Behaviour,
    statistics::StatisticInfo,
    store::arena::OutOfMemory,
    tunables::{Tunable, Tunables},
    units::{Class, Ioprio, Sector, Sectors, Ticks, Time, Weight},
    why::{Decision, Observer},
};

/// The device, and how its host works.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    /// The device has moving parts.
    pub rotational: bool,
    /// Size of the request pool: request numbers are below it.
    pub nr_requests: u32,
    /// Ticks a second of the coarse clock; 1000 unless a kernel of another HZ is to be matched.
    pub hz: u32,
    /// Where each actuator's range of sectors ends (exclusive, ascending). Empty, a single
    /// entry, or more than [`MAX_ACTUATORS`](crate::MAX_ACTUATORS): the device is taken to
    /// have one actuator.
    pub actuator_ends: &'a [u64],
    /// What differs from the kernels: see [`Behaviour`].
    pub behaviour: Behaviour,
}

impl Config<'_> {
    /// A device with one actuator under a host with a 1000 Hz tick.
    pub const fn new(rotational: bool, nr_requests: u32) -> Self {
        let behaviour = Behaviour::Improved;
        Config { rotational, nr_requests, hz: 1000, actuator_ends: &[], behaviour }
    }
}

/// Fair queueing for one device, by a [`Policy`].
///
/// See the [crate documentation](crate) for the order in which a host calls its methods.
#[derive(Debug)]
pub struct Scheduler<O: Observer, P: Policy> {
    pub(crate) observer: O,
    pub(crate) clock: Clock,
    pub(crate) device: Device,
    pub(crate) tunables: Tunables,
    pub(crate) model: Model<P>,
    pub(crate) policy: P,
}

/// What a new queue is for.
#[derive(Clone, Copy, Debug)]
pub struct NewQueue<'a, G> {
    /// What the policy keeps of the queue's group.
    pub group: &'a G,
    /// A process waits for what is in it.
    pub sync: bool,
    /// The actuator of the device that serves it.
    pub actuator: u8,
    /// The class of its process.
    pub class: Class,
    /// The weight that comes with the priority of its process.
    pub weight: Weight,
}

/// Who is served when: what a policy is asked, in the order of a request's way.
///
/// A function that has a default does what a policy without an opinion would do.
#[allow(unused_variables, reason = "the defaults do without")]
pub trait Policy: Attached + Debug + Sized {
    /// Its name, as users choose it.
    const NAME: &'static str;
    /// The tunables that it heeds.
    const TUNABLES: &'static [Tunable] = &[];
    /// Whether it has several behaviours to choose from when it is attached.
    const HAS_BEHAVIOURS: bool = false;

    /// Whose behaviour it has, if it has several.
    fn behaviour(&self) -> Option<Behaviour> {
        None
    }

    /// The policy for a device to which nothing has come yet.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn new(clock: &Clock, device: &Device, behaviour: Behaviour) -> Result<Self, OutOfMemory>;

    /// Decisions are told to an observer from now on, or are not.
    fn observed(&mut self, by_somebody: bool) {}

    // Who exists.

    /// The state of the root group.
    fn root_group(&self) -> Self::Group;

    /// The state of a group with the default weight, below another one.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn new_group(&mut self, parent: &Self::Group) -> Result<Self::Group, OutOfMemory>;

    /// There was no memory for the group of this state; or it is gone.
    fn drop_group(&mut self, state: &Self::Group) {}

    /// Sets the weight of a group.
    fn set_group_weight(&mut self, state: &mut Self::Group, weight: Weight);

    /// The weight that was set last.
    fn group_weight(&self, state: &Self::Group) -> Weight;

    /// A group is about to be freed: its name will be another one's.
    fn group_freed<O: Observer>(s: &mut Scheduler<O, Self>, group: GroupId) {}

    /// A group went offline. Its queues go to another group, by [`Policy::move_queue`].
    fn group_removed<O: Observer>(s: &mut Scheduler<O, Self>, group: GroupId);

    /// The state of a new queue.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn new_queue(
        &mut self,
        clock: &Clock,
        queue: NewQueue<'_, Self::Group>,
    ) -> Result<Self::Queue, OutOfMemory>;

    /// A queue of a new state has got its name.
    fn queue_created(&mut self, state: &mut Self::Queue, queue: QueueId) {}

    /// The queue that a process gets that has just been given a new sync one.
    fn sync_queue<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: ProcessId,
        new: QueueId,
    ) -> QueueId {
        new
    }

    /// Whether it still needs a queue that nothing else holds.
    fn holds<O: Observer>(s: &Scheduler<O, Self>, queue: QueueId) -> bool {
        false
    }

    /// No process is linked to a queue any more.
    fn orphaned(state: &mut Self::Queue) {}

    /// Whether the one process that is linked to a queue may be taken for its owner.
    fn may_be_owned(state: &Self::Queue) -> bool {
        true
    }

    /// A queue is about to be freed.
    fn queue_freed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}

    /// The priority of a sync queue's process changed.
    fn ioprio_changed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, ioprio: Ioprio);

    /// The process of a sync queue lives in another group now.
    fn process_moved<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: ProcessId,
        queue: QueueId,
        group: GroupId,
    ) {
        if s.model.queues[queue].group != group {
            Self::move_queue(s, queue, group);
        }
    }

    /// Moves a queue to another group; [`Scheduler::rehome`] does what the model needs.
    fn move_queue<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, group: GroupId);

    /// A process that ended is about to give up what it has for an actuator.
    fn process_ends<O: Observer>(s: &mut Scheduler<O, Self>, process: ProcessId, actuator: u8) {}

    /// A process that ended gives up its queue; the reference itself is the model's.
    fn process_leaves<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}

    // The way of a request.

    /// Whether requests of which the host does not know whose they are wait in the shared queue,
    /// and do not go first.
    fn schedules_nobody(&self) -> bool {
        true
    }

    /// Whether processes that are linked to a queue may have to leave it at their next request.
    #[inline(always)]
    fn is_parting(state: &Self::Queue) -> bool {
        false
    }

    /// The queue for the next request of a process that is linked to one that is parting.
    fn queue_for_next<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: ProcessId,
        linked: QueueId,
    ) -> QueueId {
        linked
    }

    /// Whether it wants to know of the next request that is allocated to a queue.
    fn awaits_requests(state: &Self::Queue) -> bool {
        false
    }

    /// A request was allocated to such a queue.
    #[inline(always)]
    fn allocated<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}

    /// Whether requests for a queue are to be redirected ([`Policy::redirect`]).
    #[inline(always)]
    fn leads_on(state: &Self::Queue) -> bool {
        false
    }

    /// Whether requests for any queue may be redirected.
    #[inline(always)]
    fn seeks_others(&self) -> bool {
        false
    }

    /// The queue that a request of a process goes to at last, in place of its own: asked if
    /// [`Policy::leads_on`] or [`Policy::seeks_others`] says so.
    fn redirect<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: ProcessId,
        queue: QueueId,
        new: &NewRequest,
    ) -> QueueId {
        queue
    }

    /// The same for a bio, which may be added to a request there.
    #[inline(always)]
    fn redirect_bio<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: ProcessId,
        queue: QueueId,
        bio: &NewRequest,
    ) -> QueueId {
        queue
    }

    /// A request has come: the policy puts it into the queue ([`Scheduler::enqueue`]). A lone
    /// request is the only one that its process has in the scheduler.
    fn arrived<O: Observer>(
        s: &mut Scheduler<O, Self>,
        queue: QueueId,
        id: RequestId,
        new: &NewRequest,
        is_lone: bool,
    );

    /// Another request is the next one of a queue, after one has grown at its front.
    fn next_changed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}

    /// A waiting request goes: the policy takes it out ([`Scheduler::take_out`]).
    fn withdrawn<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, id: RequestId);

    /// The request to give to the device now, or none.
    fn dispatch<O: Observer>(s: &mut Scheduler<O, Self>) -> Option<RequestId>;

    /// A request of a queue went to the device past the policy.
    fn bypassed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, id: RequestId) {}

    /// A request is complete; [`Scheduler::count_completion`] does what the model needs.
    fn completed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, id: RequestId);

    /// When it wants to be called.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// That time has come.
    fn on_timer<O: Observer>(s: &mut Scheduler<O, Self>) {}

    // What the pool is for.

    /// Whether sync reads may be denied a part of the pool now.
    fn limits_sync_reads<O: Observer>(s: &Scheduler<O, Self>) -> bool {
        false
    }

    /// How much of the pool a new request may use.
    fn allowed_requests<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: Option<ProcessId>,
        operation: Operation,
        sync: bool,
    ) -> Allowance {
        Allowance { requests: s.device.nr_requests, over_share: false }
    }

    // What there is to see and to set.

    /// The queue whose turn it is, if one has the device for itself.
    fn serving(&self) -> Option<QueueId> {
        None
    }

    /// The end of the last request that was dispatched: where the head of the disk is. Before the
    /// first, it is taken to be at the start of the disk.
    fn last_position(&self) -> Sector {
        Sector::FIRST
    }

    /// A tunable was written; `before` are the values of before.
    fn tunable_changed<O: Observer>(
        s: &mut Scheduler<O, Self>,
        tunable: Tunable,
        before: &Tunables,
    ) {
    }

    /// What it has counted.
    fn statistics<O: Observer>(
        s: &Scheduler<O, Self>,
    ) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        core::iter::empty()
    }

    /// The sizes of what it will allocate in one piece when there are twice as many queues, groups
    /// and merged processes; see [`Scheduler::next_pieces_bytes`].
    fn next_pieces_bytes(&self) -> [[usize; 2]; 3] {
        [[0; 2]; 3]
    }

    /// Calls `count` for each reference that it has taken to a queue in the name of a process that
    /// is not linked to that queue (yet).
    fn count_references<O: Observer>(s: &Scheduler<O, Self>, count: &mut impl FnMut(QueueId)) {}

    /// Asserts every invariant of its own.
    ///
    /// # Panics
    /// If one is broken.
    fn check<O: Observer>(s: &Scheduler<O, Self>) {}
}

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Attaches a scheduler to a device, with the defaults of all tunables; `observer` is
    /// told every decision.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn attach(now: Time, config: Config<'_>, observer: O) -> Result<Self, OutOfMemory> {
        let ticks = Ticks::of_hz(config.hz);
        let clock = Clock::new(now, ticks);
        let device = Device::new(config.rotational, config.nr_requests, config.actuator_ends);
        let mut policy = P::new(&clock, &device, config.behaviour)?;
        policy.observed(observer.is_watching());
        let model = Model::new(&clock, &device, &mut policy)?;
        Ok(Scheduler { observer, clock, device, tunables: Tunables::new(ticks), model, policy })
    }

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

    /// The observer of its decisions.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The observer, to change what it holds. Whether it is watching does not change by that.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Another observer is told what is decided from now on; returns the one of before. What is
    /// scheduled, and how, stays as it is.
    pub fn exchange_observer(&mut self, observer: O) -> O {
        let before = core::mem::replace(&mut self.observer, observer);
        self.policy.observed(self.observer.is_watching());
        before
    }

    /// Reports a decision, which is built only for an observer that is watching.
    #[inline(always)]
    pub fn tell(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        if self.observer.is_watching() {
            self.tell_watcher(decision);
        }
    }

    // Apart, so that what a decision takes is not on the way of those without observer.
    #[cold]
    #[inline(never)]
    fn tell_watcher(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        let decision = decision(self);
        self.observer.decided(self.clock.now, &decision);
    }
}
