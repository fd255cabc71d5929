// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose request goes to the device next, and when none does.

use super::{
    alone::Probe,
    device_time::DeviceTime,
    expected::{LONGEST_WAIT, LONGEST_WAIT_ROTATING, TIMES_AS_LONG_ON_LOAN},
    shares::NodeId,
    state::{Hold, Scheduler},
    visit_budget::Visits,
};
use crate::{
    fair::Service,
    model::{
        Model,
        ids::{QueueId, RequestId},
    },
    tunables::Strict,
    units::{Sectors, Span, Time},
    why::{Decision, Observer, WithholdRule},
};

/// Queues looked at behind the one whose turn it is.
const LOOKED_AT: u32 = 8;
/// What is served out of turn runs ahead by this multiple of what fills the device.
const AHEAD: u64 = 4;
/// A queue that is out for longer begins like a new one.
const SILENCE: Span = Span::from_s(2);
/// How much less than others a queue may have got when it comes back, or its loan ends by pauses.
pub(super) const LAG: Span = Span::from_ms(100);

/// A walk through the order of virtual time, up to where it has come.
struct Walk {
    next: Option<NodeId>,
    /// Queues that it has passed.
    passed: u32,
    /// The first of those that are expected back, and what they will need together.
    expected: Option<QueueId>,
    reserved: Sectors,
    /// The first moment at which one of them is expected no more, if no completion tells before.
    until: Option<Time>,
    /// One of them is on loan: no queue goes before it that is not.
    borrower_expected: bool,
    /// Whether turns are kept; found when a queue that has nothing waiting is met.
    keeps_turns: bool,
}

impl Walk {
    const fn from(first: Option<NodeId>) -> Self {
        Walk {
            next: first,
            passed: 0,
            expected: None,
            reserved: Sectors::NONE,
            until: None,
            borrower_expected: false,
            keeps_turns: false,
        }
    }

    /// Goes on to the queue behind, unless it has passed as many as are looked at.
    fn pass(&mut self, behind: Option<NodeId>) {
        self.passed += 1;
        self.next = behind.filter(|_| self.passed < LOOKED_AT);
    }
}

impl<O: Observer> Scheduler<O> {
    pub(super) fn node_of(&self, queue: QueueId) -> NodeId {
        self.model.queues[queue].policy.node
    }

    pub(super) fn queue_of(&self, node: NodeId) -> QueueId {
        QueueId::from_index(self.policy.shares.owner(node) as usize)
    }

    /// A request has come.
    pub(super) fn request_came(&mut self, queue: QueueId, id: RequestId) {
        let (position, seeks) = (self.policy.last_position, &self.tunables.back_seeks);
        let Model { queues, requests, load, .. } = &mut self.model;
        let (state, what) = (&mut queues[queue], requests[id].what());
        state.enqueue(requests, id, &what, position, seeks, load);
        let present = state.waiting.len() + state.in_flight;
        let own = &mut state.policy;
        own.cost.came(what.sectors, present);
        own.pattern.came(what.sector, what.sectors);
        let (node, is_measured) = (own.node, own.cost.is_measured());
        let was_idle = own.returns.idle_since().is_some();
        // It may have lost its turn while it had requests in the device.
        let known = was_idle || state.sync && present > 1;
        if self.model.detailed.on
            && present == 1
            && let Some(hold) = self.policy.hold.filter(|hold| hold.queue == queue)
            && let Some(since) = hold.empty_since
        {
            self.note_idling_ends(queue, since);
        }
        let idle = if was_idle { self.end_pause(queue) } else { None };
        if !self.device.rotational {
            self.end_hold(queue, !is_measured);
        }
        if !self.policy.shares.is_active(node) {
            let comes_back = known && idle.is_none_or(|idle| idle < SILENCE);
            if !comes_back {
                self.may_borrow(queue);
            }
            let lag = if comes_back { LAG } else { Span::ZERO };
            let may_visit = comes_back && !self.policy.rotation.is_holder(queue);
            let visits = may_visit.then(|| Visits::new(idle.is_some()));
            self.model.queues[queue].policy.visits = visits;
            self.policy.shares.activate(node, lag);
            self.tell(|_| Decision::Busy { queue });
        }
        debug_assert!(self.policy.shares.is_active(node), "{queue:?} waits for no turn");
        if let Some(loan) = &mut self.model.queues[queue].policy.loan {
            loan.came(present);
        }
    }

    /// A queue that had nothing has come back; returns how long that was.
    fn end_pause(&mut self, queue: QueueId) -> Option<Span> {
        let longest = self.longest_wait(queue);
        self.model.queues[queue].policy.returns.came(self.clock.now, longest)
    }

    /// If the device was kept free for a queue, it is no more.
    pub(super) fn end_hold(&mut self, queue: QueueId, charged: bool) {
        if let Some(hold) = self.policy.hold.take_if(|hold| hold.queue == queue) {
            self.charge_for_hold(hold, charged);
        }
    }

    /// The device was kept free for a queue, until now.
    // Out of line: most requests end no hold.
    #[inline(never)]
    fn charge_for_hold(&mut self, hold: Hold, charged: bool) {
        let queue = hold.queue;
        if self.device.rotational {
            self.charge_hold(queue);
            return;
        }
        if let Some(since) = hold.empty_since.filter(|_| charged) {
            let node = self.node_of(queue);
            let held = self.clock.now.since(since);
            self.policy.shares.charge(node, DeviceTime::of(held));
            if self.model.detailed.on {
                self.note_in_service(queue, held);
            }
        }
    }

    /// How long a queue may be waited for.
    pub(super) fn longest_wait(&self, queue: QueueId) -> Span {
        let longest = if self.device.rotational {
            LONGEST_WAIT_ROTATING
        } else {
            let longest = match self.tunables.strict {
                Strict::OneAtATime => LONGEST_WAIT,
                Strict::Throughput | Strict::Shares => self.policy.learnt.longest_wait(),
            };
            let on_loan = self.model.queues[queue].policy.loan.is_some();
            if on_loan { longest.times(TIMES_AS_LONG_ON_LOAN) } else { longest }
        };
        longest.min(self.tunables.slice_idle)
    }

    /// Whether queues that have nothing waiting keep their turns while they are expected.
    fn keeps_turns(&mut self) -> bool {
        let may_wait = self.tunables.slice_idle > Span::ZERO;
        match self.tunables.strict {
            Strict::Throughput | Strict::Shares if !may_wait => false,
            Strict::Throughput => {
                !self.policy.learnt.answers_at_once() && self.policy.favour.has_time(self.clock.now)
            }
            Strict::Shares => !self.policy.learnt.answers_at_once(),
            Strict::OneAtATime => true,
        }
    }

    /// A queue has nothing and is not waited for any more.
    pub(super) fn give_up(&mut self, queue: QueueId) {
        debug_assert!(self.model.queues[queue].is_empty(), "{queue:?} has something waiting");
        self.end_hold(queue, true);
        let state = &mut self.model.queues[queue].policy;
        state.returns.given_up();
        let node = state.node;
        if self.policy.probe.as_ref().is_some_and(|probe| probe.queue == queue) {
            self.end_probe();
        }
        if self.policy.shares.is_active(node) {
            self.policy.shares.deactivate(node);
            self.tell(|_| Decision::Idle { queue });
            if self.model.detailed.on {
                self.note_dequeue(queue);
            }
        }
    }

    /// The next request for the device.
    // Out of line: within the match over policies it would cost bfq registers.
    #[inline(never)]
    pub(super) fn next_request(&mut self) -> Option<RequestId> {
        if self.tunables.strict == Strict::OneAtATime && self.model.load.in_flight > 0 {
            return self.withhold_while_busy();
        }
        if self.device.rotational {
            return self.next_rotating();
        }
        if self.policy.probe.as_ref().is_some_and(|probe| probe.is_late(self.clock.now)) {
            self.end_probe();
        }
        if let Some(probe) = &self.policy.probe {
            return self.next_of_probe(probe.queue, probe.limit);
        }
        self.next_in_order()
    }

    /// The next request in the order of virtual time. Queues that have nothing waiting and are
    /// expected back keep their turn: what they will need is left free, and what is served in the
    /// meantime does not run far ahead. Where no turns are kept, they lose it.
    fn next_in_order(&mut self) -> Option<RequestId> {
        let mut walk = Walk::from(self.first_in_order());
        while let Some(node) = walk.next {
            let queue = self.queue_of(node);
            let Some(id) = self.model.queues[queue].waiting.next else {
                if let Some(out) = self.pass_expected(&mut walk) {
                    let behind = self.policy.shares.after(out);
                    self.give_up(self.queue_of(out));
                    // What it was charged may have moved its group behind others.
                    walk.next = if walk.passed == 0 { self.first_in_order() } else { behind };
                }
                continue;
            };
            // Of the first it is certain; of others it is looked at when they would be served.
            let on_loan = self.policy.shares.is_on_loan(node);
            if walk.borrower_expected && !on_loan {
                break;
            }
            let is_its_turn = walk.passed == 0;
            let sectors = self.model.requests[id].sectors();
            if !self.has_room(walk.reserved + sectors, is_its_turn) {
                if walk.expected.is_some() {
                    self.note_held_back(sectors);
                }
                return self.withhold_for_room(queue, walk.expected);
            }
            // If its loan ends now, it is elsewhere afterwards.
            let behind = if is_its_turn { None } else { self.policy.shares.after(node) };
            let may_go = is_its_turn
                || on_loan && self.keeps_loan(queue)
                || self.may_run_ahead(node, walk.keeps_turns);
            if may_go {
                return self.serve(queue);
            }
            walk.pass(behind);
        }
        let Some(expected) = walk.expected else {
            // The first who wants something is served or expected, so nobody wants anything: what
            // moves under the walk, as when a loan ends, hides nobody then.
            debug_assert!(self.policy.shares.first().is_none(), "the walk has missed a queue");
            return None;
        };
        if self.model.load.queued > 0 {
            self.note_held_back(Sectors::NONE);
        }
        self.hold_for(expected, walk.until);
        self.withhold(expected, WithholdRule::Expected, walk.until)
    }

    /// Passes the queues that have nothing waiting and keep their turn, from the next one of the
    /// walk on. Stops at one that is to lose its turn, and returns it.
    fn pass_expected(&mut self, walk: &mut Walk) -> Option<NodeId> {
        walk.keeps_turns = self.keeps_turns();
        if !walk.keeps_turns {
            return walk.next;
        }
        while let Some(node) = walk.next {
            let queue = self.queue_of(node);
            let state = &self.model.queues[queue];
            if !state.is_empty() {
                break;
            }
            if self.is_out(queue) {
                return Some(node);
            }
            let on_loan = self.policy.shares.is_on_loan(node);
            if walk.borrower_expected && !on_loan {
                walk.next = None;
                break;
            }
            walk.borrower_expected |= on_loan;
            walk.expected = walk.expected.or(Some(queue));
            walk.reserved += state.policy.cost.mean_sectors();
            if state.in_flight == 0 {
                walk.until = [walk.until, state.policy.returns.until()].into_iter().flatten().min();
            }
            walk.pass(self.policy.shares.after(node));
        }
        None
    }

    /// Something waits and is held back for a queue that is expected. With `strict=0` that counts
    /// if the device has room for these sectors.
    fn note_held_back(&mut self, sectors: Sectors) {
        if self.tunables.strict == Strict::Throughput && self.has_room(sectors, true) {
            self.policy.favour.begin(self.clock.now);
        }
    }

    /// Whether a queue has nothing in the scheduler or the device, and is not to be waited for: not
    /// any more, or because what it will come back with has no place in the pool.
    pub(super) fn is_out(&self, queue: QueueId) -> bool {
        let state = &self.model.queues[queue];
        if !state.is_empty() || state.in_flight > 0 {
            return false;
        }
        let until = state.policy.returns.until();
        until.is_none_or(|until| until <= self.clock.now) || self.is_pool_empty()
    }

    /// The device is kept free for a queue, if it comes back until then.
    pub(super) fn hold_for(&mut self, queue: QueueId, until: Option<Time>) {
        let empty = self.model.load.in_flight == 0;
        let before = self.policy.hold.filter(|hold| hold.queue == queue);
        self.policy.counters.holds += u64::from(before.is_none());
        let empty_since = before.and_then(|hold| hold.empty_since);
        let empty_since = if empty { empty_since.or(Some(self.clock.now)) } else { None };
        self.policy.hold = Some(Hold { queue, empty_since, until });
    }

    /// Serves a queue; alone, if it is time to see what its requests take.
    fn serve(&mut self, queue: QueueId) -> Option<RequestId> {
        debug_assert!(!self.model.queues[queue].is_empty(), "{queue:?} has nothing to serve");
        let cost = &self.model.queues[queue].policy.cost;
        if self.policy.budget.allows(self.clock.now, cost, &self.policy.learnt) {
            let probe = Probe::new(self.clock.now, queue, cost.depth());
            let limit = probe.limit;
            self.policy.probe = Some(probe);
            self.policy.counters.probes += 1;
            self.policy.favour.end(self.clock.now);
            return self.next_of_probe(queue, limit);
        }
        self.send(queue)
    }

    /// Whether the device takes these sectors as well without making others wait for long.
    fn has_room(&self, sectors: Sectors, is_its_turn: bool) -> bool {
        let in_flight = self.model.load.in_flight;
        if in_flight == 0 {
            return true;
        }
        if !self.policy.learnt.is_known() {
            return false;
        }
        let least = if is_its_turn { 2 } else { 1 };
        in_flight < least || self.policy.in_device.sectors + sectors <= self.policy.learnt.enough()
    }

    /// Whether a queue may be served although it is not its turn: it and its groups are not too far
    /// before the others, or with `strict=0` no turns are kept now.
    fn may_run_ahead(&self, node: NodeId, keeps_turns: bool) -> bool {
        match self.tunables.strict {
            Strict::Throughput if !keeps_turns => return true,
            Strict::Throughput | Strict::Shares => {}
            Strict::OneAtATime => return false,
        }
        let learnt = &self.policy.learnt;
        self.policy.shares.is_within(node, learnt.transfer(learnt.enough()).times(AHEAD))
    }

    /// The next request of a queue that has the device for itself.
    fn next_of_probe(&mut self, queue: QueueId, limit: u32) -> Option<RequestId> {
        let own = self.model.queues[queue].in_flight;
        debug_assert!(own <= self.model.load.in_flight, "{queue:?} has more than all");
        if self.model.load.in_flight <= own
            && own < limit
            && let Some(id) = self.send(queue)
        {
            return Some(id);
        }
        let until = self.policy.probe.as_ref().map(Probe::latest);
        self.withhold(queue, WithholdRule::Alone, until)
    }

    pub(super) fn end_probe(&mut self) {
        let Some(probe) = self.policy.probe.take() else { return };
        let cost = &mut self.model.queues[probe.queue].policy.cost;
        probe.end(self.clock.now, cost, &mut self.policy.budget);
    }

    fn send(&mut self, queue: QueueId) -> Option<RequestId> {
        let id = self.send_next(queue)?;
        self.assert_served(queue);
        // The device has something to do: from now on it is kept free for no queue.
        if let Some(hold) = self.policy.hold.filter(|hold| hold.queue != queue) {
            self.end_hold(hold.queue, true);
        }
        self.policy.hold = None;
        let now = self.clock.now;
        self.policy.favour.end(now);
        let what = self.model.requests[id].what();
        self.policy.last_position = what.end();
        let state = &self.model.queues[queue];
        let cost = state.policy.cost.of(what.sectors, &self.policy.learnt);
        let node = state.policy.node;
        self.policy.shares.charge(node, DeviceTime::of(cost));
        self.note_service(queue, cost);
        self.policy.in_device.sectors += what.sectors;
        self.policy.in_device.alone = (self.model.load.in_flight == 1).then_some((id, now));
        self.policy.learnt.dispatched(now);
        self.served(queue, id, what.sectors);
        Some(id)
    }

    /// Who is served wants the device: so it is charged in the order, and so are its groups.
    pub(super) fn assert_served(&self, queue: QueueId) {
        let node = self.node_of(queue);
        debug_assert!(self.policy.shares.is_active(node), "{queue:?} is served, and not in order");
    }

    /// A request of a queue went to the device; an async queue that is empty now wants it no more.
    #[inline]
    pub(super) fn served(&mut self, queue: QueueId, id: RequestId, sectors: Sectors) {
        self.note_sectors(queue, sectors);
        let charged = Service::of(sectors.count());
        self.tell(|_| Decision::Served { queue, request: id, charged });
        let state = &self.model.queues[queue];
        if state.is_empty() && !state.sync {
            self.give_up(queue);
        }
    }

    /// A request of a queue is complete.
    pub(super) fn request_done(&mut self, queue: QueueId, id: RequestId) {
        let now = self.clock.now;
        let emptied = self.count_completion(queue) && self.model.queues[queue].is_empty();
        let sectors = self.model.requests[id].sectors();
        debug_assert!(sectors <= self.policy.in_device.sectors, "{id:?} was not counted");
        self.policy.in_device.sectors = self.policy.in_device.sectors - sectors;
        debug_assert!(
            self.model.load.in_flight > 0 || self.policy.in_device.sectors == Sectors::NONE,
            "an idle device has {:?}",
            self.policy.in_device.sectors
        );
        let took = self.device.rotational.then(|| self.done_rotating(queue, id));
        if let Some((_, at)) = self.policy.in_device.alone.take_if(|(alone, _)| *alone == id) {
            debug_assert_eq!(self.model.load.in_flight, 0, "{id:?} was not alone");
            self.policy.learnt.seen_alone(sectors, now.since(at));
        }
        self.policy.learnt.completed(now, sectors, self.model.load.in_flight);
        if emptied {
            let longest = self.longest_wait(queue);
            let is_scarce = self.is_pool_scarce();
            let state = &mut self.model.queues[queue];
            let may_return = state.policy.returns.emptied(now, longest);
            // Who has nothing while places are scarce may wait for one.
            if let Some(loan) = state.policy.loan.as_mut().filter(|_| !is_scarce) {
                loan.emptied();
            }
            let expected = may_return && state.sync && state.policy.alive;
            if !expected {
                self.give_up(queue);
            }
        }
        if let Some(took) = took {
            self.end_visit(queue, took);
        }
        if let Some(probe) = self.policy.probe.as_mut().filter(|probe| probe.queue == queue) {
            let state = &self.model.queues[queue];
            let depth = state.policy.cost.depth();
            let present = state.waiting.len() + state.in_flight + 1;
            if probe.completed(now, sectors, present * 4 >= depth * 3) {
                self.end_probe();
            }
        }
        self.want_kick();
    }
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
