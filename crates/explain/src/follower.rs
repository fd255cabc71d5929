// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows the stream of decisions: what is going on now, and into the record with it.

mod by_time;
mod reason;

pub(crate) use reason::reason;

use crate::account::{Io, Piece, cut};
use crate::cast::{Cast, ProcessNumber};
use crate::cause::Reason;
use crate::counts::{Counts, count_injection, count_raise};
use crate::queues::{Belongs, Party, QueueState, Queues, Serial};
use crate::record::{Doing, InDevice, PoolLimit, Record, Scene, SchedulerEvent, Slot};
use crate::slow::Slowest;
use bfq::why::{Decision, Observer, RaiseKind, WithholdRule};
use bfq::{GroupId, ProcessId, QueueId, RequestId, Time};
use device::CommandTiming;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Coefficients beyond that of an interactive raise are those of soft real-time.
const INTERACTIVE_COEFFICIENT: u32 = 30;

/// A request, by its number.
#[derive(Debug, Clone, Copy, Default)]
struct Request {
    queue: Option<(QueueId, Serial)>,
    process: Option<ProcessNumber>,
    /// When it was first handed out, and its place among all that was.
    served_ns: Option<u64>,
    order: u64,
    raised: Option<RaiseKind>,
}

/// A request that was handed out and has not ended.
#[derive(Debug, Clone, Copy)]
struct Handed {
    request: RequestId,
    order: u64,
    process: Option<ProcessNumber>,
    queue: Option<(QueueId, Serial)>,
    /// Not in its own queue's turn.
    injected: Option<Party>,
}

/// The turn going on.
#[derive(Debug, Clone, Copy)]
struct Turn {
    queue: QueueId,
    since_ns: u64,
    /// Why the disk is kept for a queue that has nothing left; under tfq, for any.
    rule: Option<crate::rule::Rule>,
    /// Under tfq, whose turn it is may change with each request.
    by_time: bool,
}

/// What follows from the decisions so far.
#[derive(Debug)]
pub(crate) struct Follower {
    pub cast: Cast,
    pub queues: Queues,
    pub record: Record,
    pub counts: Counts,
    pub slowest: Slowest,
    /// How much time went where.
    pub totals: BTreeMap<Reason, u64>,
    pub ios: u64,
    pub failed: u64,
    /// Flushes, which bypass the scheduler, and how long they took.
    pub flushes: u64,
    pub flush_latency_ns: u64,
    pub latency_ns: u64,
    pub latency_max_ns: u64,
    processes: Vec<ProcessNumber>,
    processes_seen: u32,
    groups: Vec<usize>,
    groups_seen: usize,
    requests: Vec<Request>,
    device: Vec<Handed>,
    orders: u64,
    turn: Option<Turn>,
    over_share: bool,
}

impl Follower {
    pub fn new(cast: Cast, slowest: Slowest) -> Self {
        Self {
            cast,
            queues: Queues::default(),
            record: Record::default(),
            counts: Counts::default(),
            slowest,
            totals: BTreeMap::new(),
            ios: 0,
            failed: 0,
            flushes: 0,
            flush_latency_ns: 0,
            latency_ns: 0,
            latency_max_ns: 0,
            processes: Vec::new(),
            processes_seen: 0,
            groups: Vec::new(),
            groups_seen: 0,
            requests: Vec::new(),
            device: Vec::new(),
            orders: 0,
            turn: None,
            over_share: false,
        }
    }

    /// The number of a process among all that there were.
    pub fn process(&self, id: Option<ProcessId>) -> Option<ProcessNumber> {
        self.processes.get(id?.index()).copied()
    }

    fn request(&mut self, id: RequestId) -> &mut Request {
        if self.requests.len() <= id.index() {
            self.requests.resize(id.index() + 1, Request::default());
        }
        &mut self.requests[id.index()]
    }

    /// Whether a queue belongs to the job, perhaps with others.
    fn is_target(&self, queue: QueueId) -> bool {
        self.queues.get(queue).is_some_and(|queue| queue.is_target)
    }

    fn scene(&self) -> Scene {
        let oldest = self.device.first();
        let second = oldest
            .and_then(|first| self.device.iter().find(|handed| handed.process != first.process));
        let shown = |handed: Option<&Handed>| {
            handed.map(|handed| InDevice { order: handed.order, process: handed.process })
        };
        let slot = self.turn.and_then(|turn| {
            let queue = self.queues.get(turn.queue)?;
            let injected = || self.device.iter().rev().find_map(|handed| handed.injected);
            let Turn { since_ns, rule, by_time, .. } = turn;
            let doing = match (queue.waiting, queue.in_device) {
                _ if rule == Some(WithholdRule::WriteCache.into()) => Doing::WriteCache,
                // Nothing is kept back for it, so if it is gone, it is no queue's turn.
                (0, 0) if by_time && rule.is_none() => return None,
                (0, 1..) if by_time && rule.is_none() => Doing::Served(None),
                (1.., _) => Doing::Served(rule.filter(|_| by_time)),
                (0, 1..) => Doing::Held(rule),
                (0, 0) => injected().map_or(Doing::Idling(rule), Doing::Injected),
            };
            let QueueState { serial, party, on_loan, .. } = *queue;
            let in_device = queue.in_device > 0;
            Some(Slot { queue: serial, party, since_ns, doing, in_device, on_loan })
        });
        Scene { slot, oldest: [shown(oldest), shown(second)] }
    }

    /// Takes a decision into account.
    pub fn follow(&mut self, now_ns: u64, decision: &Decision) {
        match *decision {
            Decision::GroupAdded { group, .. } => self.group_added(group),
            Decision::ProcessAdded { process, .. } => self.process_added(process),
            Decision::GroupLimit { .. } => self.over_share = true,
            Decision::RequestLimit { process, depth, .. } => {
                self.request_limit(now_ns, process, depth);
            }
            Decision::QueueCreated { queue, process, group, .. } => {
                self.queue_created(queue, process, group);
            }
            Decision::QueueFreed { queue } => self.queues.free(queue),
            Decision::Merged { target, process, .. } => self.merged(now_ns, target, process),
            Decision::Split { queue, process } => self.split(now_ns, queue, process),
            Decision::Queued { queue, request, process } => {
                let process = self.process(process);
                self.queued(queue, request, process);
                self.set_scene(now_ns);
            }
            Decision::Bypasses { request, process } => {
                let process = self.process(process);
                let entry = self.request(request);
                *entry = Request { process, served_ns: entry.served_ns, ..Request::default() };
            }
            Decision::Removed { request } => {
                self.removed(request);
                self.set_scene(now_ns);
            }
            Decision::Served { queue, request, .. } => {
                self.served(now_ns, request, Some(queue));
                self.set_scene(now_ns);
            }
            Decision::ServedFirst { request } => {
                self.served(now_ns, request, None);
                self.set_scene(now_ns);
            }
            Decision::Completed { request, .. } => {
                self.completed(request);
                self.set_scene(now_ns);
            }
            _ => self.follow_turn(now_ns, decision),
        }
    }

    /// Decisions about turns and weights.
    fn follow_turn(&mut self, now_ns: u64, decision: &Decision) {
        match *decision {
            Decision::InService { queue, .. } => {
                self.counts.slots += u64::from(self.is_target(queue));
                self.turn = Some(Turn { queue, since_ns: now_ns, rule: None, by_time: false });
                self.set_scene(now_ns);
            }
            Decision::Expired { queue, reason, slow, .. } => {
                if self.is_target(queue) {
                    self.counts.ended[reason as usize] += 1;
                    self.counts.slow_slots += u64::from(slow);
                }
                self.turn = None;
                if let Some(&QueueState { serial: queue, party, .. }) = self.queues.get(queue) {
                    let ended = SchedulerEvent::SlotEnded { queue, party, reason, by: None };
                    self.record.add(now_ns, ended);
                }
                self.set_scene(now_ns);
            }
            Decision::PreemptedBy { queue, by } => self.preempted_by(queue, by),
            Decision::Idling { queue, rule, .. } => {
                if self.is_target(queue) {
                    *self.counts.idlings.entry(rule.into()).or_default() += 1;
                }
                self.keep_for(now_ns, rule.into());
            }
            Decision::Plugged { rule, .. } => self.keep_for(now_ns, rule.into()),
            Decision::Injected { queue, into, rule } => {
                if self.is_target(queue) {
                    count_injection(&mut self.counts.injected, rule);
                    let party =
                        |queue| self.queues.get(queue).map(|queue| (queue.serial, queue.party));
                    if let (Some((queue, _)), Some((_, into))) = (party(queue), party(into)) {
                        self.record.add(now_ns, SchedulerEvent::Injected { queue, into, rule });
                    }
                } else if self.is_target(into) {
                    count_injection(&mut self.counts.hosted, rule);
                }
            }
            Decision::Coefficient { queue, coefficient } => {
                self.coefficient(now_ns, queue, coefficient);
            }
            Decision::Raised { queue, kind, .. } => self.raised(now_ns, queue, kind),
            Decision::InLargeBurst { queue } => {
                self.counts.large_bursts += u64::from(self.is_target(queue));
            }
            Decision::WakerFound { queue, .. } => {
                self.counts.wakers += u64::from(self.is_target(queue));
            }
            _ => self.follow_time(now_ns, decision),
        }
    }

    fn set_scene(&mut self, now_ns: u64) {
        self.record.set(now_ns, self.scene());
    }

    fn group_added(&mut self, group: GroupId) {
        // The root is group 0, which no record names.
        self.groups_seen += 1;
        if self.groups.len() <= group.index() {
            self.groups.resize(group.index() + 1, 0);
        }
        self.groups[group.index()] = self.groups_seen;
    }

    fn process_added(&mut self, process: ProcessId) {
        if self.processes.len() <= process.index() {
            self.processes.resize(process.index() + 1, 0);
        }
        self.processes[process.index()] = self.processes_seen;
        self.processes_seen += 1;
    }

    fn request_limit(
        &mut self,
        now_ns: u64,
        process: Option<ProcessId>,
        depth: Option<NonZeroU32>,
    ) {
        let over_share = std::mem::take(&mut self.over_share);
        let limit = match (over_share, depth) {
            (true, _) => PoolLimit::Share,
            (false, None) => PoolLimit::Whole,
            (false, Some(_)) => PoolLimit::Part,
        };
        if let Some(process) = self.process(process).filter(|&one| self.cast.is_target(one)) {
            self.record.add(now_ns, SchedulerEvent::Limited { process, limit });
        }
    }

    fn queue_created(&mut self, queue: QueueId, process: Option<ProcessId>, group: GroupId) {
        let belongs = match self.process(process) {
            Some(process) => Belongs::To(vec![process]),
            None => Belongs::Group(self.groups.get(group.index()).copied().unwrap_or(0)),
        };
        self.queues.create(queue, belongs, &self.cast);
    }

    fn merged(&mut self, now_ns: u64, target: QueueId, process: ProcessId) {
        let Some(process) = self.process(Some(process)) else { return };
        self.queues.join(target, process, &self.cast);
        if self.cast.is_target(process) {
            self.counts.merges += 1;
            let party = self.queues.get_mut(target, &self.cast).party;
            self.record.add(now_ns, SchedulerEvent::Merged { process, party });
        }
        self.set_scene(now_ns);
    }

    fn split(&mut self, now_ns: u64, queue: QueueId, process: ProcessId) {
        let Some(process) = self.process(Some(process)) else { return };
        self.queues.leave(queue, process, &self.cast);
        if self.cast.is_target(process) {
            self.counts.splits += 1;
            self.record.add(now_ns, SchedulerEvent::Split { process });
        }
        self.set_scene(now_ns);
    }

    fn queued(&mut self, id: QueueId, request: RequestId, process: Option<ProcessNumber>) {
        if let Some(process) = process {
            self.queues.join(id, process, &self.cast);
        }
        let queue = self.queues.get_mut(id, &self.cast);
        queue.waiting += 1;
        let queue = Some((id, queue.serial));
        *self.request(request) = Request { queue, process, ..Request::default() };
    }

    fn removed(&mut self, request: RequestId) {
        let gone = std::mem::take(self.request(request));
        if let Some((id, serial)) = gone.queue
            && self.queues.get(id).is_some_and(|queue| queue.serial == serial)
        {
            let queue = self.queues.get_mut(id, &self.cast);
            queue.waiting = queue.waiting.saturating_sub(1);
        }
    }

    fn served(&mut self, now_ns: u64, request: RequestId, from: Option<QueueId>) {
        self.orders += 1;
        let order = self.orders;
        let mut injected = None;
        let mut raised = None;
        if let Some(id) = from {
            self.turn_of_served(now_ns, id);
            let own_turn = self.turn.is_some_and(|turn| turn.queue == id);
            let queue = self.queues.get_mut(id, &self.cast);
            queue.waiting = queue.waiting.saturating_sub(1);
            queue.in_device += 1;
            raised = queue.raised;
            injected = Some(queue.party).filter(|_| !own_turn);
            if own_turn && let Some(turn) = &mut self.turn {
                turn.rule = None;
            }
        }
        let entry = self.request(request);
        entry.order = order;
        entry.raised = raised;
        entry.served_ns.get_or_insert(now_ns);
        let Request { process, queue, .. } = *entry;
        let queue = queue.filter(|_| from.is_some());
        self.device.push(Handed { request, order, process, queue, injected });
    }

    fn completed(&mut self, request: RequestId) {
        let Some(place) = self.device.iter().position(|handed| handed.request == request) else {
            return;
        };
        let handed = self.device.remove(place);
        if let Some((id, serial)) = handed.queue
            && self.queues.get(id).is_some_and(|queue| queue.serial == serial)
        {
            let queue = self.queues.get_mut(id, &self.cast);
            queue.in_device = queue.in_device.saturating_sub(1);
        }
    }

    fn preempted_by(&mut self, queue: QueueId, by: QueueId) {
        self.counts.preempted += u64::from(self.is_target(queue));
        self.counts.preempting += u64::from(self.is_target(by));
        let preemptor = self.queues.get(by).map(|queue| (queue.serial, queue.party));
        if let Some(SchedulerEvent::SlotEnded { by, .. }) = self.record.last_event_mut() {
            *by = preemptor;
        }
    }

    /// The disk is kept for the queue whose turn it is.
    fn keep_for(&mut self, now_ns: u64, rule: crate::rule::Rule) {
        if let Some(turn) = &mut self.turn
            && turn.rule != Some(rule)
        {
            turn.rule = Some(rule);
            self.set_scene(now_ns);
        }
    }

    fn coefficient(&mut self, now_ns: u64, id: QueueId, coefficient: u32) {
        let queue = self.queues.get_mut(id, &self.cast);
        let (serial, is_target) = (queue.serial, queue.is_target);
        queue.raised = match coefficient {
            0 | 1 => None,
            2..=INTERACTIVE_COEFFICIENT => Some(RaiseKind::Interactive),
            _ => Some(RaiseKind::SoftRealTime),
        };
        if is_target && coefficient == 1 {
            self.record.add(now_ns, SchedulerEvent::RaiseEnded { queue: serial });
        }
    }

    fn raised(&mut self, now_ns: u64, id: QueueId, kind: RaiseKind) {
        let queue = self.queues.get_mut(id, &self.cast);
        queue.raised = Some(kind);
        let (serial, is_target) = (queue.serial, queue.is_target);
        if is_target {
            count_raise(&mut self.counts.raises, kind);
            self.record.add(now_ns, SchedulerEvent::Raised { queue: serial, kind });
        }
    }

    /// What is known of a request that ends, for an I/O in it.
    pub fn io(&self, tag: blk::Tag, io: Io) -> Io {
        let Some(request) = self.requests.get(tag.0 as usize) else { return io };
        let served_ns = request.served_ns.unwrap_or(io.issued_ns).min(io.issued_ns);
        Io {
            served_ns: served_ns.max(io.queued_ns),
            queue: request.queue.map(|(_, serial)| serial),
            order: request.order,
            raised: request.raised,
            ..io
        }
    }

    /// Some decisions were not recorded: whatever was going on may be over.
    pub fn lost(&mut self, now_ns: u64) {
        self.requests.clear();
        self.device.clear();
        self.turn = None;
        self.over_share = false;
        self.queues.forget_requests();
        self.set_scene(now_ns);
    }

    /// A request has ended; its number may be used again.
    pub fn forget_request(&mut self, tag: blk::Tag) {
        if let Some(request) = self.requests.get_mut(tag.0 as usize) {
            *request = Request::default();
        }
    }

    /// An I/O of the job has ended, with this timing in the device, if that is known.
    pub fn account(&mut self, io: Io, timing: Option<&CommandTiming>) {
        self.ios += 1;
        self.latency_ns = self.latency_ns.saturating_add(io.latency_ns());
        self.latency_max_ns = self.latency_max_ns.max(io.latency_ns());
        self.counts.pool_waits += u64::from(io.submitted_ns < io.queued_ns);
        if let Some(kind) = io.raised {
            count_raise(&mut self.counts.raised_ios, kind);
        }
        let Self { cast, queues, record, totals, .. } = self;
        cut(&io, timing, record, |piece| {
            let reason = reason(piece.cause, &io, &queues.parties, cast);
            let total = totals.entry(reason).or_default();
            *total = total.saturating_add(piece.until_ns - piece.from_ns);
        });
        if self.slowest.wants(&io) {
            let mut causes: BTreeMap<Reason, u64> = BTreeMap::new();
            cut(&io, timing, record, |Piece { from_ns, until_ns, cause }| {
                let reason = reason(cause, &io, &queues.parties, cast);
                *causes.entry(reason).or_default() += until_ns - from_ns;
            });
            self.slowest.take(io, timing, causes, record, &queues.parties, cast);
        }
    }
}

impl Observer for Follower {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.follow(now.as_ns(), decision);
    }
}

#[cfg(test)]
#[path = "follower_tests.rs"]
mod tests;
