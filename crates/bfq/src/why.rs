// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why: every decision of the scheduler as a value, for whoever wants to know.
//!
//! An [`Observer`] is a type parameter of the scheduler. With [`Silent`] nothing is built or
//! called; an `Option` of an observer is one that may come and go while the scheduler is at work.

use crate::{
    fair::Service,
    model::ids::{GroupId, ProcessId, QueueId, RequestId},
    units::{Class, Sectors, Span, Time, Weight},
};
use core::num::NonZeroU32;

/// Receives decisions in the order in which they are taken.
pub trait Observer {
    /// Whether it wants to be told at present: decisions are not built for one that does not.
    #[inline(always)]
    fn is_watching(&self) -> bool {
        true
    }

    /// The scheduler decided something.
    fn decided(&mut self, now: Time, decision: &Decision);
}

/// Observes nothing, at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    #[inline(always)]
    fn is_watching(&self) -> bool {
        false
    }

    fn decided(&mut self, _: Time, _: &Decision) {}
}

impl<O: Observer> Observer for Option<O> {
    #[inline(always)]
    fn is_watching(&self) -> bool {
        self.is_some()
    }

    fn decided(&mut self, now: Time, decision: &Decision) {
        if let Some(observer) = self {
            observer.decided(now, decision);
        }
    }
}

impl<F: FnMut(Time, &Decision)> Observer for F {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self(now, decision);
    }
}

/// Why the slot of a queue ended (spec 3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No request came while the disk was kept idle for it.
    TooIdle,
    /// Its time was up.
    BudgetTimeout,
    /// Its next request did not fit into what was left of its budget.
    BudgetExhausted,
    /// It had nothing left and was not worth waiting for.
    NoMoreRequests,
    /// Another queue had the better claim.
    Preempted,
}

impl Reason {
    /// All reasons, for tables.
    pub const ALL: [Reason; 5] = [
        Reason::TooIdle,
        Reason::BudgetTimeout,
        Reason::BudgetExhausted,
        Reason::NoMoreRequests,
        Reason::Preempted,
    ];

    /// The name in logs and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::TooIdle => "too_idle",
            Reason::BudgetTimeout => "budget_timeout",
            Reason::BudgetExhausted => "budget_exhausted",
            Reason::NoMoreRequests => "no_more_requests",
            Reason::Preempted => "preempted",
        }
    }
}

/// The rule that asked for idling (spec 3.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdlingRule {
    /// The tunable `strict_guarantees` is on: the disk is kept idle for whichever queue is served.
    Strict,
    /// Its next request is worth more than moving away: throughput.
    BoostsThroughput,
    /// It is raised and others would get in between.
    ProtectsRaised,
    /// The busy queues differ in weight, class or group: service guarantees.
    Asymmetric,
    /// No other queue wants the disk.
    OnlyBusyQueue,
}

/// Why another queue was served while the one in service had nothing (spec 3.19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InjectionRule {
    /// Async I/O of the same process.
    OwnAsync,
    /// The queue that usually wakes the one in service.
    Waker,
    /// A queue that the one in service usually wakes.
    Woken,
    /// There was room below the inject limit.
    Limit,
    /// An actuator of the disk had too little to do.
    Actuator,
}

/// Kinds of weight raising (spec 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaiseKind {
    /// The process was idle long enough to look interactive.
    Interactive,
    /// Its requests come at the pace of a player.
    SoftRealTime,
    /// An async request came to the queue after a pause.
    Async,
}

/// Why nothing is handed out although something waits, or who has the disk meanwhile: told by
/// Time Fair Queueing (`docs/tfq.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WithholdRule {
    /// The device has as much as keeps it busy, by what was learnt of it.
    Full,
    /// Too little is known of the device to give it several requests at a time.
    Unknown,
    /// The queue has nothing waiting, keeps its turn, and what fits beside it was let in.
    Expected,
    /// The queue is served alone for a moment, to see what its requests take.
    Alone,
    /// A disk with moving parts is the queue's for a slot.
    Slot,
    /// The slot of the queue is next: requests of others are still in the disk.
    BeforeSlot,
    /// The disk carries out what the queue wrote into its cache.
    WriteCache,
    /// The tunable `strict` is 2: one request is in the device at a time.
    OneAtATime,
    /// The queue came back after a pause, and a disk with moving parts is its for a request.
    Visit,
    /// A disk with moving parts is left alone after such a request, to read ahead of it.
    ReadAhead,
}

impl WithholdRule {
    /// All rules, for tables.
    pub const ALL: [WithholdRule; 10] = [
        WithholdRule::Full,
        WithholdRule::Unknown,
        WithholdRule::Expected,
        WithholdRule::Alone,
        WithholdRule::Slot,
        WithholdRule::BeforeSlot,
        WithholdRule::WriteCache,
        WithholdRule::OneAtATime,
        WithholdRule::Visit,
        WithholdRule::ReadAhead,
    ];
}

/// Why a queue is on loan no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoanEnd {
    /// It has lasted long enough.
    Time,
    /// The queue got as much as a program that starts may.
    Service,
    /// The queue read much in one piece, or without waiting for what it reads.
    Stream,
    /// The queue had many requests at a time.
    Depth,
    /// The pauses of its process are too long to wait for.
    Pauses,
    /// A group above it has taken its part from others.
    Pool,
    /// Something was written past the page cache.
    Write,
    /// Loans were turned off, or the queue is no longer one that can have them.
    Refused,
}

impl LoanEnd {
    /// All ends, for tables.
    pub const ALL: [LoanEnd; 8] = [
        LoanEnd::Time,
        LoanEnd::Service,
        LoanEnd::Stream,
        LoanEnd::Depth,
        LoanEnd::Pauses,
        LoanEnd::Pool,
        LoanEnd::Write,
        LoanEnd::Refused,
    ];
}

/// One decision, with the figures it was taken on. Spans are whole milliseconds; plain numbers are
/// counts, factors (of a raise), and virtual times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say what was decided; their fields are the figures")]
pub enum Decision {
    /// A group came into being.
    GroupAdded { group: GroupId, parent: GroupId },
    /// A process came into being. The name of one that is gone may be reused.
    ProcessAdded { process: ProcessId, group: GroupId },
    /// How many requests of the pool an allocation may use; no `depth`: all of them.
    /// `raised_busy` is as the reference counts, which may come below 0 and run over.
    RequestLimit {
        process: Option<ProcessId>,
        raised_busy: u32,
        sync: bool,
        depth: Option<NonZeroU32>,
    },
    /// An allocation is held back because the queue, or a group above it, has too many already.
    /// `level` 0 is the queue itself.
    GroupLimit { queue: QueueId, allocated: u32, limit: u32, level: u32 },
    /// A queue was created, for a process if it is a sync one.
    QueueCreated {
        queue: QueueId,
        process: Option<ProcessId>,
        group: GroupId,
        sync: bool,
        class: Class,
        weight: Weight,
    },
    /// A queue ceased to exist; its name may be reused.
    QueueFreed { queue: QueueId },
    /// A request entered a queue; `process`: whose it is, if the host knows.
    Queued { queue: QueueId, request: RequestId, process: Option<ProcessId> },
    /// A request without process, or one that came back from the device, waits before all queues.
    Bypasses { request: RequestId, process: Option<ProcessId> },
    /// A request that waited disappears: it was merged into another one, or cancelled.
    Removed { request: RequestId },
    /// A queue became busy.
    Busy { queue: QueueId },
    /// A queue stopped being busy.
    Idle { queue: QueueId },
    /// A finish time was computed from service or budget; `start` and `finish` are virtual times.
    Finish { queue: QueueId, start: u64, finish: u64, amount: Service, weight: Weight },
    /// A queue got the disk.
    InService { queue: QueueId, budget: Service },
    /// A request was dispatched, and `charged` was charged for it.
    Served { queue: QueueId, request: RequestId, charged: Service },
    /// A request that bypasses the queues was dispatched.
    ServedFirst { request: RequestId },
    /// A request left the device, done or not. `queue` is the one it was in.
    Completed { request: RequestId, queue: Option<QueueId> },
    /// A slow queue was charged for its time, by `charged` more than it was served.
    ChargedTime { queue: QueueId, length: Span, charged: Service },
    /// A slot of at least 1 ms was measured; was the queue slow?
    Slow { queue: QueueId, slow: bool },
    /// The slot of a queue ended, for `reason`, with `in_flight` requests of it in the device.
    Expired { queue: QueueId, reason: Reason, slow: bool, in_flight: u32, short_think_time: bool },
    /// Who caused an expiration by preemption; follows it.
    PreemptedBy { queue: QueueId, by: QueueId },
    /// The figures that the new budget is computed from.
    Feedback {
        queue: QueueId,
        budget: Service,
        left: Service,
        max_budget: Service,
        min_budget: Service,
        sync: bool,
        seeky: bool,
    },
    /// The new budget, and the size of the next request: none if nothing waits.
    NextBudget { queue: QueueId, next: Sectors, budget: Service },
    /// The budget of a waiting queue changed with its next request.
    BudgetGrown { queue: QueueId, budget: Service },
    /// The disk is kept idle for the queue in service, until the time given.
    Idling { queue: QueueId, rule: IdlingRule, until: Time },
    /// The queue in service is kept although it has only requests in flight.
    Plugged { queue: QueueId, rule: IdlingRule },
    /// A request of `queue` is to be served in the slot of `into`.
    Injected { queue: QueueId, into: QueueId, rule: InjectionRule },
    /// A queue's weight was raised.
    Raised { queue: QueueId, kind: RaiseKind, coefficient: u32, period: Span },
    /// A raised queue dispatched: the state of its raise.
    RaiseChecked {
        queue: QueueId,
        age: Span,
        period: Span,
        coefficient: u32,
        weight: Weight,
        base_weight: Weight,
    },
    /// The raise of a queue ended; its weight is the base weight again.
    RaiseEnded { queue: QueueId },
    /// The factor on the weight of a queue changed: by one of the above, by a merge or a split.
    /// 1 = not raised.
    Coefficient { queue: QueueId, coefficient: u32 },
    /// A queue was found to belong to a large burst of creations.
    InLargeBurst { queue: QueueId },
    /// The processes of `queue` will move to `target`.
    MergeScheduled { queue: QueueId, target: QueueId },
    /// A process moved from `queue` to `target`.
    Merged { queue: QueueId, target: QueueId, process: ProcessId },
    /// A process leaves the queue that it shares for one of its own; the last one keeps it.
    Split { queue: QueueId, process: ProcessId },
    /// A queue may be the waker of another.
    TentativeWaker { queue: QueueId, waker: QueueId },
    /// A queue is the waker of another.
    WakerFound { queue: QueueId, waker: QueueId },
    /// The device's maximum budget changed.
    MaxBudget { budget: Service },
    /// A window of rate measurement began (samples 1) or ended without a successor (0).
    RateReset { samples: u32, sectors: Sectors },
    /// A dispatch attempt found no queue to serve.
    NothingToDispatch,
    /// The host is asked to run dispatching again.
    Kick,
    /// Nothing is handed out although something waits: it is the turn of `queue`, or, by
    /// [`WithholdRule::WriteCache`], it wrote. `until`: when that is over at the latest, if nothing
    /// else ends it.
    Withheld { queue: QueueId, rule: WithholdRule, until: Option<Time> },
    /// A disk with moving parts is a queue's for a slot.
    SlotBegan { queue: QueueId },
    /// The slot of `queue` that has just begun is paid for by another reader of its stream, whose
    /// turn it was.
    SlotPaid { queue: QueueId, payer: QueueId },
    /// Such a slot is over.
    SlotEnded { queue: QueueId, reason: Reason },
    /// A queue is on loan: it looks like a program that starts, and is served first for a moment.
    LoanBegan { queue: QueueId },
    /// A queue is on loan no more.
    LoanEnded { queue: QueueId, reason: LoanEnd },
}
