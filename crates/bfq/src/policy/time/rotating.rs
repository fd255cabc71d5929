// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: the disk is one queue's for a slot, so that a seek is paid once for
//! many requests; queues whose every request is a seek are served together.
//!
//! What is charged is time that has passed: from completion to completion it belongs to the queue
//! whose request is complete, and while the disk is kept free to the queue that it is kept for.

use core::ops::ControlFlow;

use super::{
    destaging::LEAST, device_time::DeviceTime, loans::First, shares::NodeId, state::Scheduler,
};
use crate::{
    model::{
        ids::{QueueId, RequestId},
        request::Operation,
    },
    units::{Span, Time},
    why::{Decision, Observer, Reason, WithholdRule},
};

/// The length of a slot in seeks, so that they cost a fortieth of the time.
const SEEKS_PER_SLOT: u64 = 40;
/// The least length of a slot in seeks: of one of many.
const FEWEST_SEEKS_PER_SLOT: u64 = 3;
/// No slot is longer.
const LONGEST_SLOT: Span = Span::from_ms(400);
/// All active queues have a slot in so long, if slots may be that short.
const ROUND: Span = Span::from_s(6);
/// A light queue has a slot in the time of so many usual ones of each queue.
const SLOTS_PER_ROUND: u64 = 2;
/// That slot is no shorter than this, in seeks: for who is light a seek is as long.
const FEWEST_SEEKS_OF_LIGHT: u64 = 10;
/// Random requests that the disk chooses from.
const MOST_RANDOM: u32 = 32;
/// How far before the others a queue may be whose random reads are among them, in seeks: with few
/// to choose from the disk is slower.
const RANDOM_READS_AHEAD: u64 = 16;
/// And one whose writes are: what these take is only guessed.
const RANDOM_WRITES_AHEAD: u64 = 2;

impl<O: Observer> Scheduler<O> {
    /// How long a slot of a queue is: shorter than the usual one for who is light, or one of many.
    pub(super) fn slot(&self, node: NodeId) -> Span {
        let seek = self.policy.rotation.seek.mean();
        let usual = seek.times(SEEKS_PER_SLOT).min(LONGEST_SLOT);
        let shares = &self.policy.shares;
        let slots = usual.times(SLOTS_PER_ROUND) * shares.active_queues();
        let of_light = shares.part_of(node, slots).max(seek.times(FEWEST_SEEKS_OF_LIGHT));
        let of_many = shares.part_of(node, ROUND).max(seek.times(FEWEST_SEEKS_PER_SLOT));
        let most = usual.min(of_light).min(of_many);
        let state = &self.model.queues[self.queue_of(node)].policy;
        if !state.pattern.is_random() {
            return most;
        }
        // It gains by a slot as far as the disk can choose among its requests. At the end of each
        // the disk has ever fewer to choose from; so who is due more than an equal part has a
        // longer one instead of more of them.
        let of_equals = seek.times(u64::from(state.cost.depth()));
        let own = shares.part_of(node, of_equals.times(shares.active_queues()));
        own.max(of_equals).min(most)
    }

    pub(super) fn is_random(&self, queue: QueueId) -> bool {
        self.model.queues[queue].policy.pattern.is_random()
    }

    /// Charges what has passed since the last charge to a queue.
    pub(super) fn charge_elapsed(&mut self, queue: QueueId, is_write: bool) {
        let now = self.clock.now;
        let from = self.policy.rotation.charged_until;
        let covered = if is_write { self.policy.cache.covers(from, now) } else { Span::ZERO };
        debug_assert!(from <= now && covered <= now.since(from), "{covered:?} since {from:?}");
        let elapsed = now.since(from) - covered;
        self.policy.rotation.charged_until = now;
        let state = &mut self.model.queues[queue].policy;
        let (advanced, on_loan) = (core::mem::take(&mut state.advanced), state.loan.is_some());
        let payer = self.payer_of(queue);
        let node = self.node_of(payer);
        let charged = DeviceTime::of(elapsed) - DeviceTime::of(advanced);
        self.policy.shares.charge(node, charged);
        self.note_service(queue, elapsed, on_loan);
        self.note_lent(queue, payer, elapsed);
        if self.policy.rotation.is_holder(queue) {
            let used = &mut self.policy.rotation.used;
            *used = used.plus(elapsed);
            return;
        }
        self.model.queues[queue].policy.note_visit(elapsed);
        if self.policy.rotation.visitor == Some(queue) {
            self.policy.allowances.visits.spend(elapsed);
            return;
        }
        self.policy.cache.filling.interrupt();
        if !self.is_random(queue) {
            let joined = &mut self.policy.rotation.joined;
            *joined = joined.plus(elapsed);
        }
    }

    /// Charges a queue for which the disk was kept free. While it wrote, its cache was emptied, for
    /// which the writers have been charged.
    pub(super) fn charge_hold(&mut self, queue: QueueId) {
        self.policy.rotation.note_idle(queue, self.clock.now);
        let writes = self.model.queues[queue].policy.pace.writes;
        self.charge_elapsed(queue, writes);
    }

    /// The next request for a disk with moving parts.
    // Out of line: on flash it would only cost registers that are saved.
    #[inline(never)]
    pub(super) fn next_rotating(&mut self) -> Option<RequestId> {
        let now = self.clock.now;
        if self.goes_on_visiting() {
            return None;
        }
        loop {
            if let Some(holder) = self.policy.rotation.holder {
                let ended = self.why_slot_is_over(holder);
                let over = ended.is_some();
                if !over && let ControlFlow::Break(answer) = self.serve_visitor(Some(holder)) {
                    return answer;
                }
                let state = &self.model.queues[holder];
                if !over && self.is_random(holder) {
                    let next = self.next_random(holder);
                    if next.is_some() || self.model.load.in_flight > 0 || self.policy.hold.is_some()
                    {
                        return next;
                    }
                    self.end_slot(holder, Reason::NoMoreRequests);
                    continue;
                }
                if !over && let Some(queue) = self.nearest_to_head(holder) {
                    if self.keeps_back(holder, queue) {
                        return None;
                    }
                    if queue != holder {
                        self.end_hold(holder, true);
                        self.reads_along(holder, queue);
                    }
                    return self.send_rotating(queue);
                }
                if !over && state.in_flight > 0 {
                    return self.withhold(holder, WithholdRule::Slot, None);
                }
                let was_expected = state.policy.returns.until();
                let until = was_expected.filter(|&until| until > now);
                if !over && until.is_some() && !self.lacks_place(holder) {
                    self.hold_for(holder, until);
                    return self.withhold(holder, WithholdRule::Expected, until);
                }
                let late =
                    if was_expected.is_some() { Reason::TooIdle } else { Reason::NoMoreRequests };
                self.end_slot(holder, ended.unwrap_or(late));
            }
            let First { node, queue, .. } = self.first_in_order()?;
            if self.is_out(queue) {
                self.give_up(queue);
                continue;
            }
            let beside = if self.is_random(queue) {
                self.policy.in_device.random
            } else {
                self.model.queues[queue].in_flight
            };
            if self.model.load.in_flight > beside {
                return self.withhold(queue, WithholdRule::BeforeSlot, None);
            }
            let last = self.last_of_stream(queue);
            if let Some(writer) = self.awaits_cache(last) {
                if let ControlFlow::Break(answer) = self.serve_visitor(None) {
                    return answer;
                }
                let until = self.policy.hold.and_then(|hold| hold.until);
                return self.withhold(writer, WithholdRule::WriteCache, until);
            }
            let slot = self.slot(node);
            self.policy.shares.limit_leads(node, slot, now);
            let payer = (last != queue).then_some(queue);
            self.policy.rotation.begin(now, last, payer);
            let cache = &mut self.policy.cache;
            let is_alone = cache.left(now) <= LEAST || cache.writer == Some(last);
            cache.filling.begin(is_alone);
            self.tell(|_| Decision::SlotBegan { queue: last });
            if let Some(payer) = payer {
                self.tell(|_| Decision::SlotPaid { queue: last, payer });
            }
        }
    }

    /// Why the slot of a queue is over, if it is: it has had it, and another wants the disk.
    fn why_slot_is_over(&mut self, holder: QueueId) -> Option<Reason> {
        let node = self.node_of(holder);
        if !self.policy.shares.is_active(node) {
            return Some(Reason::NoMoreRequests);
        }
        let first = self.first_in_order();
        let interrupts = |first: First| {
            let waits = !self.model.queues[first.queue].is_empty();
            waits && self.policy.shares.interrupts(first.node, node)
        };
        if first.is_some_and(interrupts) {
            return Some(Reason::Preempted);
        }
        let rotation = &self.policy.rotation;
        let now = self.clock.now;
        let since = rotation.charged_until.max(rotation.began);
        let waiting = now.since(since);
        let cached = self.policy.cache.covers(since, now);
        debug_assert!(cached <= waiting, "the cache took {cached:?} of {waiting:?}");
        let used = rotation.used.plus(rotation.joined).plus(waiting) - cached;
        let may_go_on = rotation.payer.is_none() && first.is_some_and(|first| first.node == node);
        (used >= self.slot(node) && !may_go_on).then_some(Reason::BudgetTimeout)
    }

    fn end_slot(&mut self, holder: QueueId, reason: Reason) {
        debug_assert!(self.policy.rotation.is_holder(holder), "the slot is that of another one");
        let payer = self.payer_of(holder);
        self.policy.rotation.holder = None;
        self.model.queues[holder].policy.visits = None;
        self.tell(|_| Decision::SlotEnded { queue: holder, reason });
        if self.is_out(holder) {
            self.give_up(holder);
        }
        if self.policy.hold.take_if(|hold| hold.queue == holder).is_some() {
            self.charge_hold(holder);
        }
        self.judge_writer(holder);
        let used = self.policy.rotation.used;
        self.judge_reader(holder, payer, used);
    }

    /// The next of the random requests that the disk has at a time: of the queue whose slot it is,
    /// or of those whose turn is next, as long as they are random, too.
    fn next_random(&mut self, holder: QueueId) -> Option<RequestId> {
        let in_flight = self.model.load.in_flight;
        if in_flight >= MOST_RANDOM {
            return self.withhold(holder, WithholdRule::Full, None);
        }
        if !self.model.queues[holder].is_empty() {
            if self.keeps_back(holder, holder) {
                return None;
            }
            return self.send_rotating(holder);
        }
        self.policy.hold = None;
        let mut until: Option<Time> = None;
        let first = self.first_in_order();
        let borrows = first.is_some_and(|first| first.on_loan);
        let first = first.map(|first| first.node);
        let mut next = first;
        let mut held = None;
        for _ in 0..MOST_RANDOM {
            let Some(node) = next else { break };
            let queue = self.queue_of(node);
            if self.is_out(queue) {
                next = self.policy.shares.after(node);
                self.give_up(queue);
                continue;
            }
            let state = &self.model.queues[queue];
            if !self.is_random(queue) || (borrows && !self.policy.shares.is_on_loan(node)) {
                break;
            }
            if !state.is_empty() {
                if next != first && !self.is_near_its_turn(node, borrows.then_some(first).flatten())
                {
                    break;
                }
                return self.send_rotating(queue);
            }
            if state.in_flight == 0 {
                held = held.or(Some(queue));
                until = [until, state.policy.returns.until()].into_iter().flatten().min();
            }
            next = self.policy.shares.after(node);
        }
        if let Some(queue) = held.filter(|_| in_flight == 0) {
            self.hold_for(queue, until);
            return self.withhold(queue, WithholdRule::Expected, until);
        }
        if in_flight > 0 { self.withhold(holder, WithholdRule::Slot, None) } else { None }
    }

    /// Whether it is almost the turn of a random queue: it is not far before the others, or, among
    /// those on loan, the first of them has no much better claim.
    fn is_near_its_turn(&self, node: NodeId, first_on_loan: Option<NodeId>) -> bool {
        match first_on_loan {
            Some(first) => !self.policy.shares.interrupts(first, node),
            None => {
                let reads = self.is_next_a_read(self.queue_of(node));
                let seeks = if reads { RANDOM_READS_AHEAD } else { RANDOM_WRITES_AHEAD };
                self.policy.shares.is_within(node, self.policy.rotation.seek.mean().times(seeks))
            }
        }
    }

    pub(super) fn send_rotating(&mut self, queue: QueueId) -> Option<RequestId> {
        let now = self.clock.now;
        let hold = self.policy.hold.take();
        if self.model.load.in_flight == 0 && hold.is_none_or(|hold| hold.queue != queue) {
            // The disk had nothing to do: that is charged to no queue.
            self.policy.rotation.charged_until = now;
        } else if self.model.load.in_flight == 0 {
            self.policy.rotation.note_idle(queue, now);
        }
        let id = self.send_next(queue)?;
        self.assert_served(queue);
        self.policy.learnt.dispatched(now);
        let what = self.model.requests[id].what();
        let moves = what.sector != self.policy.last_position;
        let is_visit = self.policy.rotation.visitor == Some(queue);
        if is_visit {
            self.policy.rotation.left_at = self.policy.last_position;
        }
        self.policy.last_position = what.end();
        let random = self.is_random(queue);
        self.policy.rotation.moving =
            (self.model.load.in_flight == 1 && moves && !is_visit).then_some((id, now));
        self.policy.in_device.add(what.sectors);
        if random {
            self.policy.in_device.random += 1;
            let is_write = what.operation == Operation::Write;
            let advance = if is_write { Span::ZERO } else { self.policy.rotation.seek.mean() };
            let state = &mut self.model.queues[queue].policy;
            state.random_in_flight += 1;
            state.advanced = state.advanced.plus(advance);
            let node = state.node;
            self.policy.shares.charge(node, DeviceTime::of(advance));
        }
        self.note_cached(queue, id, moves);
        self.served(queue, id, what.sectors);
        Some(id)
    }

    /// A request of a queue is complete on a disk with moving parts. Returns what it took.
    pub(super) fn done_rotating(&mut self, queue: QueueId, id: RequestId) -> Span {
        let now = self.clock.now;
        let took = now.since(self.policy.rotation.charged_until);
        let sectors = self.model.requests[id].sectors();
        let is_write = self.model.requests[id].operation == Operation::Write;
        let moving = self.policy.rotation.moving.take_if(|(moving, _)| *moving == id);
        // A write goes to the disk's cache, not to where the head would be.
        if let Some((_, at)) = moving.filter(|_| !is_write) {
            let transfer = self.policy.learnt.transfer(sectors);
            self.policy.rotation.seek.learn(now.since(at) - transfer);
        }
        self.charge_elapsed(queue, is_write);
        let state = &mut self.model.queues[queue].policy;
        debug_assert!(state.random_in_flight <= self.policy.in_device.random, "{queue:?}");
        if state.random_in_flight > 0 {
            state.random_in_flight -= 1;
            self.policy.in_device.random -= 1;
        }
        took
    }
}

#[cfg(test)]
#[path = "rotating_tests.rs"]
mod tests;
