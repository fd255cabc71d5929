// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Budget Fair Queueing keeps of queues, groups and processes.

use super::{
    latency::raise::Raise,
    lists::{BURST, WOKEN},
    merge::saved::SavedId,
    service::{inject_limit::Injection, waker::WakerDetection},
    state::Budget,
};
use crate::{
    fair::{EntityId, Hierarchy, LevelId, Service},
    model::{attached::Attached, clock::Clock, ids::QueueId, queue::Queue},
    store::{
        list::{Hook, Hooked, List},
        tree::{Links, Node, Tree},
    },
    units::{Sector, Span, Time, Weight},
};
use core::mem;

impl Attached for Budget {
    type Queue = BudgetQueue;
    type Group = BudgetGroup;
    type Process = BudgetProcess;
}

/// A queue. What each request needs comes first.
#[derive(Debug)]
#[repr(C)]
pub struct BudgetQueue {
    /// Its leaf of the hierarchy.
    pub(crate) entity: EntityId,
    /// ρ, the factor on its weight; 1 = not raised. See `raise`.
    coefficient: u32,
    /// It has requests, or is in service, or is kept scheduled although empty.
    pub(crate) busy: bool,
    pub(crate) short_think_time: bool,
    pub(crate) counted: Counted,
    pub(crate) merge: Merging,
    pub(crate) slot: SlotMemory,
    pub(crate) backlog: Backlog,
    pub(crate) raise: Raise,
    pub(crate) burst: BurstMark,
    pub(crate) injection: Injection,
    pub(crate) waking: Waking,
}

/// How a queue counts in the symmetry test (spec 1.16).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// It is one of its group's queues with pending requests.
    pub pending: bool,
    /// The weight under which it stands in the weight counters.
    pub weight: Option<Weight>,
}

/// Whether and how a queue is merged (spec 5).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merging {
    /// The queue that its processes move to.
    pub target: Option<QueueId>,
    pub sharing: Sharing,
    /// When its process left a shared queue for it; long ago if it did not. All that is asked is
    /// whether some time has gone by since then, which is true of both.
    pub split_at: Time,
    /// Key in the position tree, if it is there.
    pub position: Option<Sector>,
    links: Links<QueueId>,
}

/// Whether a queue is one of several processes (spec 5.4, 5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// No process was merged into it, or only one is left.
    Unshared,
    /// Several processes use it, or did.
    Shared,
    /// The same, and it turned out not to be sequential: at its next request each process that may
    /// leaves it.
    Parting,
}

impl Sharing {
    /// Whether several processes use it, or did.
    #[inline]
    pub fn is_shared(self) -> bool {
        self != Sharing::Unshared
    }
}

/// What a queue keeps from slot to slot, and needs in one (spec 3.3–3.8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotMemory {
    /// Budget from the feedback loop.
    pub max_budget: Service,
    /// The idle timer runs for it.
    pub waits_for_request: bool,
    pub fifo_checked: bool,
    /// It expired empty but its process may come back soon (spec 3.16).
    pub continues: bool,
    pub phase: Phase,
}

/// What a queue has to do with the device, as far as time goes (spec 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It was not in service yet.
    Unserved,
    /// When the time of its present slot is up, or was that of the last one. A queue whose last
    /// requests are still in the device when its slot ends keeps this until they are done.
    Slot { deadline: Time },
    /// It has had nothing to do since then.
    Quiet { since: Time },
}

impl Phase {
    /// The time that counts as the end of what it did last: decisions hang on a queue being taken
    /// to be busy until the deadline of its last slot where it did not fall quiet.
    #[inline]
    pub fn last_busy(self) -> Time {
        match self {
            Phase::Unserved => Time::LONG_AGO,
            Phase::Slot { deadline } => deadline,
            Phase::Quiet { since } => since,
        }
    }
}

/// Since a queue became busy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    /// When it became busy. Before it ever was: the clock's origin, which nothing is later than.
    pub start: Time,
    /// Service received in it.
    pub service: Service,
    /// Its first service; looked at only if there was any.
    pub first_io_at: Time,
}

/// What a queue has to do with bursts of creations (spec 4.7).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BurstMark {
    pub just_created: bool,
    pub in_large_burst: bool,
    hook: Hook<QueueId>,
}

impl BurstMark {
    /// Whether it is in the list of a burst that is not large (yet).
    pub fn is_listed(&self) -> bool {
        self.hook.is_linked()
    }
}

/// Who wakes whom (spec 3.20).
#[derive(Debug)]
pub(crate) struct Waking {
    pub waker: Option<QueueId>,
    pub detection: WakerDetection,
    /// Queues whose waker this is.
    pub woken: List<QueueId, WOKEN>,
    hook: Hook<QueueId>,
}

impl BudgetQueue {
    /// Of a new queue (spec 12.1). `max_budget` is its first budget.
    pub(super) fn new(entity: EntityId, sync: bool, max_budget: Service, clock: &Clock) -> Self {
        BudgetQueue {
            entity,
            coefficient: 1,
            busy: false,
            short_think_time: sync,
            counted: Counted { pending: false, weight: None },
            merge: Merging {
                target: None,
                sharing: Sharing::Unshared,
                split_at: Time::LONG_AGO,
                position: None,
                links: Links::new(),
            },
            slot: SlotMemory {
                max_budget,
                waits_for_request: false,
                fifo_checked: false,
                continues: false,
                phase: Phase::Unserved,
            },
            backlog: Backlog { start: Time::ZERO, service: Service::ZERO, first_io_at: Time::ZERO },
            raise: Raise::new(clock.tick),
            burst: BurstMark { just_created: sync, in_large_burst: false, hook: Hook::new() },
            injection: Injection::new(clock.tick),
            waking: Waking {
                waker: None,
                detection: WakerDetection::new(),
                woken: List::new(),
                hook: Hook::new(),
            },
        }
    }

    /// ρ, the factor on its weight; 1 = not raised.
    #[inline]
    pub(crate) fn coefficient(&self) -> u32 {
        self.coefficient
    }

    /// Sets ρ, here and at its leaf; returns the one of before. No other function sets either.
    pub(crate) fn set_coefficient(&mut self, fair: &mut Hierarchy, coefficient: u32) -> u32 {
        debug_assert!(coefficient > 0, "a weight of nothing");
        debug_assert_eq!(fair.entity(self.entity).coefficient(), self.coefficient);
        let before = mem::replace(&mut self.coefficient, coefficient);
        if before != coefficient {
            fair.set_coefficient(self.entity, coefficient);
        }
        before
    }

    /// Its weight is raised.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.coefficient > 1
    }

    /// It becomes busy: what it gets is counted anew.
    #[inline]
    pub(crate) fn begin_backlog(&mut self, tick: Time) {
        debug_assert!(!self.busy, "it has a backlog");
        self.burst.just_created = false;
        self.slot.continues = false;
        self.backlog.start = tick;
        self.backlog.service = Service::ZERO;
        self.raise.soft_rt_update_pending = false;
    }

    /// Counts service that the queue got at `tick` (spec 1.7).
    #[inline]
    pub(crate) fn count_service(&mut self, tick: Time, service: Service) {
        debug_assert!(service >= Service::ZERO, "{service} sectors of service");
        if self.backlog.service == Service::ZERO {
            self.backlog.first_io_at = tick;
        }
        if self.is_raised() {
            self.raise.service += service;
        }
        self.backlog.service += service;
    }

    /// It is raised for being soft real-time.
    pub(crate) fn is_soft_rt_raised(&self) -> bool {
        self.is_raised() && self.raise.is_soft_rt()
    }
}

impl Queue<Budget> {
    /// It has one process and is not about to be merged into another queue.
    #[inline]
    pub(crate) fn is_for_one(&self) -> bool {
        self.policy.merge.target.is_none() && self.references.processes == 1
    }

    /// A request comes: for how long had its process nothing here, and what does that say of it
    /// (spec 2.9, 2.10)?
    #[inline(always)]
    pub(crate) fn observe_arrival(&mut self, clock: &Clock, slice_idle: Span, wraps: bool) {
        let rests = self.in_flight == 0 && self.is_empty();
        let idle = if rests { self.idle_for(clock.now, wraps) } else { Span::ZERO };
        if rests && !self.policy.busy {
            self.history.think_time.add(idle.min(slice_idle.times(2)));
        }
        if self.sync {
            let is_new = self.policy.burst.just_created;
            self.history.io_bound.on_arrival(clock.now, idle, is_new);
        }
    }

    /// Whether its think time is long where it was taken to be short, or the other way round.
    #[inline(always)]
    pub(crate) fn thinks_otherwise(&self, slice_idle: Span) -> bool {
        self.policy.short_think_time == (self.history.think_time.mean() > slice_idle / 2)
    }

    /// Its process is a sequential reader that comes back at once.
    pub(crate) fn is_sequential_and_bound(&self) -> bool {
        let history = &self.history;
        !history.seeks.is_seeky() && history.io_bound.is_io_bound && self.policy.short_think_time
    }
}

impl Hooked<QueueId, WOKEN> for Queue<Budget> {
    fn hook(&self) -> &Hook<QueueId> {
        &self.policy.waking.hook
    }

    fn hook_mut(&mut self) -> &mut Hook<QueueId> {
        &mut self.policy.waking.hook
    }
}

impl Hooked<QueueId, BURST> for Queue<Budget> {
    fn hook(&self) -> &Hook<QueueId> {
        &self.policy.burst.hook
    }

    fn hook_mut(&mut self) -> &mut Hook<QueueId> {
        &mut self.policy.burst.hook
    }
}

impl Node<QueueId> for Queue<Budget> {
    fn links(&self) -> &Links<QueueId> {
        &self.policy.merge.links
    }

    fn links_mut(&mut self) -> &mut Links<QueueId> {
        &mut self.policy.merge.links
    }
}

/// What is kept of a group.
#[derive(Debug)]
pub struct BudgetGroup {
    /// The level in which the members of the group share its service.
    pub(crate) level: LevelId,
    /// Stands for it in its parent's level; none for the root.
    pub(crate) entity: Option<EntityId>,
    pub(crate) positions: Positions,
    /// The sync queue created last in it.
    pub(crate) last_created: Option<QueueId>,
    /// Its own queues that are busy or have requests in flight.
    pub(crate) pending_queues: u32,
}

/// The position tree of a group: its busy queues by the sector of their next request (spec 5.3).
#[derive(Debug)]
pub(crate) struct Positions(pub Tree<QueueId>);

impl BudgetGroup {
    /// Of a group without queues.
    pub(super) fn new(level: LevelId, entity: Option<EntityId>) -> Self {
        BudgetGroup {
            level,
            entity,
            positions: Positions(Tree::new()),
            last_created: None,
            pending_queues: 0,
        }
    }

    /// A queue is not one that others, created after it, may be merged into.
    pub(super) fn forget_created(&mut self, queue: QueueId) {
        self.last_created = self.last_created.filter(|&last| last != queue);
    }
}

/// A process and an actuator.
#[derive(Debug, Default)]
pub struct BudgetProcess {
    /// The queue that its own may be merged into for good (spec 5.6).
    pub(crate) stable_candidate: Option<QueueId>,
    pub(crate) stably_merged: bool,
    /// What it keeps of its queue while it shares another's.
    pub(crate) saved: Option<SavedId>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fair::Entity,
        model::{group::Group, process::Process, request::Request},
        policy::budget::merge::saved::SavedState,
    };

    /// Hosts have many of them. Docs/performance.md has these sizes, too.
    #[test]
    fn what_is_kept_of_each_takes_so_many_bytes() {
        let sizes = [
            ("a request", size_of::<Request>(), 64),
            ("a process", size_of::<Process<Budget>>(), 80),
            ("a queue", size_of::<Queue<Budget>>(), 512),
            ("a group", size_of::<Group<Budget>>(), 568),
            ("what a merged process saves", size_of::<SavedState>(), 160),
            ("an entity", size_of::<Entity>(), 128),
        ];
        for (what, found, expected) in sizes {
            assert_eq!(found, expected, "{what}");
        }
    }
}
