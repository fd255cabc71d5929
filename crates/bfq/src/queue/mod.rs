//! What a queue holds and what it learns of its process (spec 2).
//!
//! A queue is a leaf of the hierarchy in `fair`. A sync queue belongs to one process (several after
//! a merge), an async queue to all processes of a group with the same priority.

pub(crate) mod process;
pub(crate) mod request;
pub(crate) mod seek;
pub(crate) mod think_time;
pub(crate) mod waiting;

pub use process::{ProcessAttributes, ProcessId};
pub use request::{NewRequest, Operation, RequestId};

use crate::{
    arena::{Arena, host_key},
    fair::EntityId,
    group::GroupId,
    latency::Raise,
    list::{Hook, Hooked, List},
    service::{injection::Injection, waker::WakerDetection},
    tree::{Links, Node},
    units::Time,
};
use seek::SeekHistory;
use think_time::{IoBound, ThinkTime};
use waiting::Waiting;

host_key!(
    /// Names a queue.
    QueueId
);

/// A queue of requests. What each request needs comes first, so that it shares few cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Queue {
    pub entity: EntityId,
    pub group: GroupId,
    /// The process whose own queue this is; none while it is shared. See `Scheduler::set_owner`.
    pub owner: Option<ProcessId>,
    /// Processes linked to it, and scheduled to be by a merge; for async queues the group too. This
    /// and the other references keep it alive (spec 2.3).
    pub process_references: u32,
    /// Requests allocated to it.
    pub request_references: u32,
    /// Requests dispatched and not completed.
    pub in_flight: u32,
    /// The queue that its processes move to.
    pub target: Option<QueueId>,
    /// ρ, the factor on its weight; its leaf's weight follows at its next
    /// insertion. 1 = not raised.
    pub coefficient: u32,
    pub seeks: SeekHistory,
    pub sync: bool,
    pub actuator: u8,
    /// It has requests, or is in service, or is kept scheduled although empty.
    pub busy: bool,
    pub shared: bool,
    pub just_created: bool,
    pub short_think_time: bool,
    /// The idle timer runs for it.
    pub waits_for_request: bool,
    pub fifo_checked: bool,
    /// It expired empty but its process may come back soon (spec 3.16).
    pub continues: bool,
    /// It is one of its group's queues with pending requests.
    pub counted_pending: bool,
    pub in_large_burst: bool,
    pub to_be_split: bool,
    /// End of the last inserted request; 0 = none.
    pub last_inserted_end: u64,
    pub waiting: Waiting,
    pub io_bound: IoBound,
    pub service_since_backlogged: u64,
    /// While in service: when its time is up. Afterwards: when it fell idle (spec 3.4).
    pub deadline_or_quiesce: Time,
    /// 1 ns after its creation until a request completes (spec 10.2, row 11).
    pub last_completion: Time,
    pub think_time: ThinkTime,
    pub raise: Raise,

    // What a slot needs.
    /// Budget from the feedback loop.
    pub max_budget: i32,
    /// The weight under which it stands in the weight counters.
    pub counted_weight: Option<u32>,
    pub backlog_start: Time,
    pub first_io_at: Time,
    pub injection: Injection,
    pub waker: Option<QueueId>,
    pub waker_detection: WakerDetection,
    /// Queues whose waker this is.
    pub woken: List<QueueId, WOKEN>,
    pub split_at: Time,

    // The rest.
    /// Processes that may be merged into it later.
    pub stable_references: u32,
    /// Counts creations: a name that is never reused.
    pub serial: u64,
    pub created_at: Time,
    /// Key in the position tree, if it is there.
    pub position: Option<u64>,
    pub(crate) position_links: Links<QueueId>,
    pub(crate) woken_hook: Hook<QueueId>,
    pub(crate) burst_hook: Hook<QueueId>,
    owned_hook: Hook<QueueId>,
}

impl Queue {
    /// A new queue (spec 12.1). `max_budget` is its first budget.
    pub fn new(
        entity: EntityId,
        group: GroupId,
        sync: bool,
        actuator: u8,
        max_budget: i32,
        now: Time,
        coarse_now: Time,
    ) -> Self {
        Queue {
            entity,
            group,
            sync,
            actuator,
            waiting: Waiting::new(),
            in_flight: 0,
            busy: false,
            owner: None,
            process_references: 0,
            request_references: 0,
            stable_references: 0,
            serial: 0,
            counted_weight: None,
            counted_pending: false,
            created_at: coarse_now,
            seeks: SeekHistory::new(),
            last_inserted_end: 0,
            think_time: ThinkTime::default(),
            short_think_time: sync,
            io_bound: IoBound::new(now),
            last_completion: now + 1,
            max_budget,
            deadline_or_quiesce: Time::LONG_AGO,
            waits_for_request: false,
            continues: false,
            fifo_checked: false,
            backlog_start: Time::ZERO,
            service_since_backlogged: 0,
            first_io_at: Time::ZERO,
            injection: Injection::new(coarse_now),
            waker: None,
            waker_detection: WakerDetection::new(),
            woken: List::new(),
            coefficient: 1,
            just_created: sync,
            raise: Raise::new(coarse_now),
            in_large_burst: false,
            shared: false,
            to_be_split: false,
            target: None,
            split_at: Time::LONG_AGO,
            position: None,
            position_links: Links::new(),
            woken_hook: Hook::new(),
            burst_hook: Hook::new(),
            owned_hook: Hook::new(),
        }
    }

    /// Its weight is raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.coefficient > 1
    }

    /// It is raised for being soft real-time.
    pub fn is_soft_rt_raised(&self) -> bool {
        self.is_raised() && self.raise.is_soft_rt()
    }

    /// Nothing waits in it.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Time since its last completion. Before the first one, which is remembered as 1 ns after its
    /// creation, the reference's difference `wraps` around (spec 10.2, row 20).
    pub fn idle_ns(&self, now: Time, wraps: bool) -> u64 {
        let too_early = wraps && now < self.last_completion;
        if too_early { u64::MAX } else { now.since_ns(self.last_completion) }
    }

    /// It has one process and is not about to be merged into another queue.
    #[inline]
    pub fn is_for_one(&self) -> bool {
        self.target.is_none() && self.process_references == 1
    }

    /// It has one process, and that process knows it.
    pub fn is_singly_owned(&self) -> bool {
        self.process_references == 1 && self.owner.is_some()
    }

    /// Its process is a sequential reader that comes back at once.
    pub fn is_sequential_and_bound(&self) -> bool {
        !self.seeks.is_seeky() && self.io_bound.is_io_bound && self.short_think_time
    }
}

/// The list of queues with the same waker.
pub(crate) const WOKEN: usize = 0;
/// The list of queues of the present burst of creations.
pub(crate) const BURST: usize = 1;
/// The list of queues with the same owner.
pub(crate) const OWNED: usize = 2;

impl Hooked<QueueId, WOKEN> for Queue {
    fn hook(&self) -> &Hook<QueueId> {
        &self.woken_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<QueueId> {
        &mut self.woken_hook
    }
}

impl Hooked<QueueId, BURST> for Queue {
    fn hook(&self) -> &Hook<QueueId> {
        &self.burst_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<QueueId> {
        &mut self.burst_hook
    }
}

impl Hooked<QueueId, OWNED> for Queue {
    fn hook(&self) -> &Hook<QueueId> {
        &self.owned_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<QueueId> {
        &mut self.owned_hook
    }
}

impl Node<QueueId> for Queue {
    fn links(&self) -> &Links<QueueId> {
        &self.position_links
    }

    fn links_mut(&mut self) -> &mut Links<QueueId> {
        &mut self.position_links
    }
}

/// All queues of a device.
pub(crate) type Queues = Arena<QueueId, Queue>;
