// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler of one device: a model of what there is, and a policy that decides (spec 12.2).
//!
//! [`Scheduler`] has the calls of a host (`calls`): they keep the model, and ask the policy.
//!
//! # Writing a policy
//!
//! A policy is a type that keeps what it knows of the device, and answers what the calls ask. Its
//! functions get the whole scheduler: the policy's own state is in it, beside the model to look at.
//! What it keeps of each queue, group and process are types that it names in [`Attached`].
//!
//! * [`Policy`]: the way of a request, which comes, is chosen and is complete. To be answered are
//!   `NAME`, [`new`], [`arrived`], [`withdrawn`], [`dispatch`] and [`completed`].
//! * [`Groups`]: groups, their weights, and the queues in them. To be answered are [`root_group`],
//!   [`new_group`], [`set_group_weight`], [`group_weight`] and [`move_queue`].
//! * [`Queues`]: queues come and go, and so do their processes. To be answered is [`new_queue`].
//! * [`Redirection`]: processes that share a queue. Nothing is to be answered.
//! * [`Inspection`]: tunables, statistics, checks. Nothing is to be answered.
//!
//! All else has a default, which does what a policy without an opinion would do. A whole policy of
//! a screen, with its tests, is `crates/fidelity/tests/toy_policy`.
//!
//! **Limits.** A policy chooses the tunables that it heeds ([`Inspection::TUNABLES`]) from
//! [`TUNABLES`](crate::tunables::TUNABLES), and tells decisions of the kinds that
//! [`Decision`](crate::why::Decision) has. One of its own is a row there, in this crate: a tunable
//! also needs a field of [`Tunables`] and a line of `kernel/glue/sysfs.c`, a decision a row in the
//! tables of `recording` and of the Python package (`docs/architecture.md` says why). What a policy
//! counts ([`Inspection::statistics`]) is all its own.
//!
//! [`new`]: Policy::new
//! [`arrived`]: Policy::arrived
//! [`withdrawn`]: Policy::withdrawn
//! [`dispatch`]: Policy::dispatch
//! [`completed`]: Policy::completed
//! [`root_group`]: Groups::root_group
//! [`new_group`]: Groups::new_group
//! [`set_group_weight`]: Groups::set_group_weight
//! [`group_weight`]: Groups::group_weight
//! [`move_queue`]: Groups::move_queue
//! [`new_queue`]: Queues::new_queue

use core::fmt::Debug;

use crate::{
    model::{
        Model,
        allowance::Allowance,
        attached::Attached,
        clock::Clock,
        device::Device,
        ids::{GroupId, ProcessId, QueueId, RequestId},
        request::{NewRequest, Operation},
    },
    quirks::Behaviour,
    statistics::StatisticInfo,
    store::arena::OutOfMemory,
    tunables::{Tunable, Tunables},
    units::{Class, Ioprio, Sector, Sectors, Time, Weight},
    why::Observer,
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
pub struct Scheduler<O: Observer, P: Attached> {
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

/// Who is served when: the way of a request. This, and what of the other four traits has no answer
/// by default, makes a policy; the [module](self) has the list of all that is asked.
#[allow(unused_variables, reason = "the defaults do without")]
pub trait Policy: Groups + Queues + Redirection + Inspection + Debug {
    /// Its name, as users choose it.
    const NAME: &'static str;

    /// The policy for a device to which nothing has come yet.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn new(clock: &Clock, device: &Device, behaviour: Behaviour) -> Result<Self, OutOfMemory>;

    /// A request has come: the policy puts it into the queue ([`Scheduler::enqueue`]). A lone
    /// request is the only one that its process has in the scheduler.
    fn arrived<O: Observer>(
        s: &mut Scheduler<O, Self>,
        queue: QueueId,
        id: RequestId,
        new: &NewRequest,
        is_lone: bool,
    );

    /// A waiting request of a queue has grown by so many sectors.
    fn grown<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, by: Sectors) {}

    /// Another request is the next one of a queue, after one has grown at its front.
    fn next_changed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}

    /// A waiting request goes: the policy takes it out ([`Scheduler::take_out`]).
    fn withdrawn<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, id: RequestId);

    /// The request to give to the device now ([`Scheduler::send_next`]), or none.
    fn dispatch<O: Observer>(s: &mut Scheduler<O, Self>) -> Option<RequestId>;

    /// The end of the last request that was dispatched: where the head of the disk is, which the
    /// next request of a queue is chosen by. Before the first, it is taken to be at the start.
    fn last_position(&self) -> Sector {
        Sector::FIRST
    }

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

    /// Whether requests whose process the host does not know wait in the queue that is shared by
    /// all, instead of going to the device before all others.
    fn schedules_nobody(&self) -> bool {
        true
    }

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
}

/// Groups, their weights, and the queues in them.
#[allow(unused_variables, reason = "the defaults do without")]
pub trait Groups: Attached {
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

    /// Moves a queue to another group; [`Scheduler::rehome`] does what the model needs.
    fn move_queue<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, group: GroupId);

    /// The process of a sync queue lives in another group now: the queue follows it.
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

    /// A group went offline: its queues go to the root group.
    fn group_removed<O: Observer>(s: &mut Scheduler<O, Self>, group: GroupId) {
        let mut next = s.model.queues.next_key(None);
        while let Some(queue) = next {
            next = s.model.queues.next_key(Some(queue));
            if s.model.queues[queue].group == group {
                Self::move_queue(s, queue, s.model.root);
            }
        }
    }

    /// A group is about to be freed: its name will be another one's.
    fn group_freed<O: Observer>(s: &mut Scheduler<O, Self>, group: GroupId) {}
}

/// Queues come and go, and so do the processes whose they are.
#[allow(unused_variables, reason = "the defaults do without")]
pub trait Queues: Attached {
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

    /// The priority of a sync queue's process changed.
    fn ioprio_changed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, ioprio: Ioprio) {}

    /// A process that ended is about to give up what it has for an actuator.
    fn process_ends<O: Observer>(s: &mut Scheduler<O, Self>, process: ProcessId, actuator: u8) {}

    /// A process that ended gives up its queue; the reference itself is the model's.
    fn process_leaves<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}

    /// Whether it still needs a queue that nothing else holds.
    fn holds<O: Observer>(s: &Scheduler<O, Self>, queue: QueueId) -> bool {
        false
    }

    /// A queue is about to be freed.
    fn queue_freed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId) {}
}

/// Requests wait in other queues than that of their process, where several processes are served as
/// one. By default each process has a queue of its own.
#[allow(unused_variables, reason = "the defaults do without")]
pub trait Redirection: Attached {
    /// The queue that a process gets that has just been given a new sync one.
    fn sync_queue<O: Observer>(
        s: &mut Scheduler<O, Self>,
        process: ProcessId,
        new: QueueId,
    ) -> QueueId {
        new
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

    /// Whether requests for a queue are to be redirected ([`Redirection::redirect`]).
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
    /// [`Redirection::leads_on`] or [`Redirection::seeks_others`] says so.
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

    /// Whether the one process that is linked to a queue may be taken for its owner.
    fn may_be_owned(state: &Self::Queue) -> bool {
        true
    }

    /// No process is linked to a queue any more.
    fn orphaned(state: &mut Self::Queue) {}

    /// Calls `count` for each reference that it has taken to a queue in the name of a process that
    /// is not linked to that queue (yet).
    fn count_references<O: Observer>(s: &Scheduler<O, Self>, count: &mut impl FnMut(QueueId)) {}
}

/// What users see of a policy, and set; and how it is checked.
#[allow(unused_variables, reason = "the defaults do without")]
pub trait Inspection: Attached {
    /// The tunables that it heeds, of those that there are.
    const TUNABLES: &'static [Tunable] = &[];
    /// Whether it has several behaviours to choose from when it is attached.
    const HAS_BEHAVIOURS: bool = false;

    /// Whose behaviour it has, if it has several.
    fn behaviour(&self) -> Option<Behaviour> {
        None
    }

    /// A tunable was written; `before` are the values of before.
    fn tunable_changed<O: Observer>(
        s: &mut Scheduler<O, Self>,
        tunable: Tunable,
        before: &Tunables,
    ) {
    }

    /// Decisions are told to an observer from now on, or are not.
    fn observed(&mut self, by_somebody: bool) {}

    /// What it has counted.
    fn statistics<O: Observer>(
        s: &Scheduler<O, Self>,
    ) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        core::iter::empty()
    }

    /// The queue whose turn it is, if one has the device for itself.
    fn serving(&self) -> Option<QueueId> {
        None
    }

    /// The sizes of what it will allocate in one piece when there are twice as many queues, groups
    /// and merged processes; see [`Scheduler::next_pieces_bytes`].
    fn next_pieces_bytes(&self) -> [[usize; 2]; 3] {
        [[0; 2]; 3]
    }

    /// Asserts every invariant of its own.
    ///
    /// # Panics
    /// If one is broken.
    fn check<O: Observer>(s: &Scheduler<O, Self>) {}
}
