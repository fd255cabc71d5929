// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue: what waits in it, whom it serves, and what it learns of its process (spec 2).
//!
//! A sync queue belongs to one process (several if the policy lets them share it), an async queue
//! to all processes of a group with the same priority.

use super::{
    attached::Attached,
    clock::Clock,
    ids::{GroupId, ProcessId, QueueId, RequestId},
    load::Load,
    process::OWNED,
    request::{Content, NewRequest, Requests},
    seek::{SeekHistory, is_seek},
    think_time::{IoBound, ThinkTime},
    waiting::Waiting,
};
use crate::{
    store::{
        arena::Arena,
        list::{Hook, Hooked},
    },
    tunables::BackSeeks,
    units::{LastEnd, Sector, Span, Time},
};

/// A queue of requests. What each request needs comes first, so that it shares few cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Queue<A: Attached> {
    /// What the policy keeps of it.
    pub policy: A::Queue,
    pub(crate) waiting: Waiting,
    pub(crate) group: GroupId,
    /// The process whose own queue this is; none while it is shared. See `Scheduler::set_owner`.
    pub(crate) owner: Option<ProcessId>,
    pub(crate) references: References,
    /// Requests dispatched and not completed.
    pub(crate) in_flight: u32,
    pub(crate) sync: bool,
    pub(crate) actuator: u8,
    pub(crate) history: History,
    /// Counts creations: a name that is never reused.
    pub(crate) serial: u64,
    /// On the coarse clock.
    pub(crate) created_at: Time,
    owned_hook: Hook<QueueId>,
}

/// Who holds a queue: it goes with the last one (spec 2.3).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct References {
    /// Processes linked to it, and scheduled to be by a merge; for async queues the group, too.
    pub processes: u32,
    /// Requests allocated to it.
    pub requests: u32,
    /// Others, for a while: whoever works on it, or may merge another one into it.
    pub pins: u32,
}

impl References {
    /// Whether there are any.
    #[inline]
    pub fn any(&self) -> bool {
        self.processes > 0 || self.requests > 0 || self.pins > 0
    }
}

/// What a queue learns from the requests that come and are completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct History {
    pub seeks: SeekHistory,
    /// End of the last inserted request.
    pub last_end: LastEnd,
    pub think_time: ThinkTime,
    pub io_bound: IoBound,
    /// 1 ns after its creation until a request completes (spec 10.2, row 11).
    pub last_completion: Time,
}

impl History {
    /// A request comes: is it a seek from the end of the one before?
    #[inline(always)]
    pub(crate) fn observe_place(&mut self, new: &NewRequest, rotational: bool) {
        let last = core::mem::replace(&mut self.last_end, LastEnd::of(new.end()));
        self.seeks.add(is_seek(last.get(), new.start(), new.length(), rotational));
    }
}

/// Where a queue belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub group: GroupId,
    pub sync: bool,
    pub actuator: u8,
}

impl<A: Attached> Queue<A> {
    /// A new queue (spec 12.1).
    pub(crate) fn new(policy: A::Queue, home: Home, clock: &Clock) -> Self {
        Queue {
            policy,
            waiting: Waiting::new(),
            group: home.group,
            owner: None,
            references: References::default(),
            in_flight: 0,
            sync: home.sync,
            actuator: home.actuator,
            history: History {
                seeks: SeekHistory::new(),
                last_end: LastEnd::NONE,
                think_time: ThinkTime::default(),
                io_bound: IoBound::new(clock.now),
                last_completion: clock.now + Span::from_ns(1),
            },
            serial: 0,
            created_at: clock.tick,
            owned_hook: Hook::new(),
        }
    }

    /// The group it is in.
    pub fn group(&self) -> GroupId {
        self.group
    }

    /// Requests that wait in it.
    pub fn waiting(&self) -> u32 {
        self.waiting.len()
    }

    /// The waiting request that comes first by its place on the disk and its age (spec 2.5).
    pub fn next(&self) -> Option<RequestId> {
        self.waiting.next
    }

    /// Nothing waits in it.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Puts a request, which is this one, into the queue, for a head of the disk at `position`;
    /// returns whether it is the next one there. `load` counts all that wait.
    #[inline(always)]
    pub(crate) fn enqueue(
        &mut self,
        requests: &mut Requests,
        id: RequestId,
        what: &Content,
        position: Sector,
        seeks: &BackSeeks,
        load: &mut Load,
    ) -> bool {
        load.queued += 1;
        debug_assert!(self.references.requests > self.waiting.len(), "{id:?} is not counted");
        self.waiting.add(requests, id, what, position, seeks)
    }

    /// A request of it is in the device from now on; `load` counts all that are.
    #[inline(always)]
    pub(crate) fn count_dispatch(&mut self, load: &mut Load) {
        debug_assert!(self.references.requests > self.in_flight, "more is there than there is");
        self.in_flight += 1;
        load.in_flight += 1;
        load.in_flight_by_actuator[usize::from(self.actuator)] += 1;
    }

    /// A request of it is in the device no more; `load` counts all that are.
    #[inline(always)]
    pub(crate) fn count_completion(&mut self, load: &mut Load, now: Time) {
        debug_assert!(self.in_flight <= load.in_flight, "it has more than all");
        load.in_flight -= 1;
        load.in_flight_by_actuator[usize::from(self.actuator)] -= 1;
        self.in_flight -= 1;
        self.history.last_completion = now;
    }

    /// Time since its last completion. Before the first one, which is remembered as 1 ns after its
    /// creation, the reference's difference `wraps` around (spec 10.2, row 20).
    pub(crate) fn idle_for(&self, now: Time, wraps: bool) -> Span {
        let last = self.history.last_completion;
        let too_early = wraps && now < last;
        if too_early { Span::MAX } else { now.since(last) }
    }

    /// It has one process, and that process knows it.
    pub(crate) fn is_singly_owned(&self) -> bool {
        self.references.processes == 1 && self.owner.is_some()
    }
}

impl<A: Attached> Hooked<QueueId, OWNED> for Queue<A> {
    fn hook(&self) -> &Hook<QueueId> {
        &self.owned_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<QueueId> {
        &mut self.owned_hook
    }
}

/// All queues of a device.
pub(crate) type Queues<A> = Arena<QueueId, Queue<A>>;
