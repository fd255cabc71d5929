// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose request goes to the device next, and when none does.

use core::ops::ControlFlow;

use super::{
    alone::Probe,
    device_time::DeviceTime,
    expected::{LONGEST_WAIT, LONGEST_WAIT_ROTATING, TIMES_AS_LONG_ON_LOAN},
    learnt::SMALL,
    shares::NodeId,
    state::{Hold, Scheduler},
    visit_budget::Visits,
};
use crate::{
    fair::Service,
    model::{
        Model,
        ids::{QueueId, RequestId},
        request::{Content, Operation},
    },
    tunables::Strict,
    units::{Sectors, Span, Time},
    why::{Decision, Observer, WithholdRule},
};

/// A queue that is out for longer begins like a new one.
const SILENCE: Span = Span::from_s(2);
/// A queue on loan has one part in this number of what fills the device in flight.
const PARTS_ON_LOAN: u64 = 2;
/// How much less than others a queue may have got when it comes back, or its loan ends by pauses.
pub(super) const LAG: Span = Span::from_ms(100);

/// Whose turn it is when a queue is to be served.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    Own,
    OfAnother,
}

impl<O: Observer> Scheduler<O> {
    pub(super) fn node_of(&self, queue: QueueId) -> NodeId {
        self.model.queues[queue].policy.node
    }

    pub(super) fn queue_of(&self, node: NodeId) -> QueueId {
        QueueId::from_index(self.policy.shares.owner(node) as usize)
    }

    /// A request has come, which is `what`.
    pub(super) fn request_came(&mut self, queue: QueueId, id: RequestId, what: &Content) {
        let (position, seeks) = (self.policy.last_position, &self.tunables.back_seeks);
        let Model { queues, requests, load, .. } = &mut self.model;
        let state = &mut queues[queue];
        if state.is_empty() {
            self.policy.backlogged += 1;
        }
        state.enqueue(requests, id, what, position, seeks, load);
        let present = state.waiting.len() + state.in_flight;
        let own = &mut state.policy;
        own.returns.request_came();
        own.cost.came(what.sectors, present);
        own.pattern.came(what.sector, what.sectors);
        if let Some(loan) = &mut own.loan {
            loan.came(what.sectors, present);
        }
        let (node, is_measured) = (own.node, own.cost.is_measured());
        let was_idle = own.returns.idle_since().is_some();
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
            self.begin_turns(queue, what.sectors, present, was_idle, idle);
        }
        debug_assert!(self.policy.shares.is_active(node), "{queue:?} waits for no turn");
    }

    /// A request of `sectors` came to a queue that had no turn, and has `present` now. `was_idle`:
    /// it had nothing; `idle`: for how long, if that is known.
    // Out of line: most requests come to a queue that has more of them.
    #[inline(never)]
    fn begin_turns(
        &mut self,
        queue: QueueId,
        sectors: Sectors,
        present: u32,
        was_idle: bool,
        idle: Option<Span>,
    ) {
        // It may have lost its turn while it had requests in the device.
        let known = was_idle || self.model.queues[queue].sync && present > 1;
        let comes_back = known && idle.is_none_or(|idle| idle < SILENCE);
        if !comes_back {
            self.may_borrow(queue, sectors, present);
        }
        let lag = if comes_back { LAG } else { Span::ZERO };
        let own = &mut self.model.queues[queue].policy;
        if self.device.rotational {
            let may_visit = comes_back && !self.policy.rotation.is_holder(queue);
            own.visits = may_visit.then(|| Visits::new(idle.is_some()));
        }
        self.policy.shares.activate(own.node, lag);
        self.tell(|_| Decision::Busy { queue });
    }

    /// A queue that had nothing has come back; returns how long that was. If on flash that is
    /// longer than anybody is waited for who is not on loan, it may visit, whether or not it has
    /// lost its turn meanwhile.
    fn end_pause(&mut self, queue: QueueId) -> Option<Span> {
        let counted = self.longest_wait_without_loan();
        if let Some(probe) = self.policy.probe.as_mut().filter(|probe| probe.queue == queue) {
            probe.came(self.clock.now, counted);
        }
        let longest = self.longest_wait(queue);
        let own = &mut self.model.queues[queue].policy;
        let idle = own.returns.came(self.clock.now, longest);
        if !self.device.rotational && idle.is_some_and(|idle| idle > counted) {
            own.visits = Some(Visits::new(true));
        }
        idle
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
        let Some(since) = hold.empty_since else { return };
        let held = self.clock.now.since(since);
        self.note_held(queue, held);
        if charged {
            let node = self.node_of(queue);
            self.policy.shares.charge(node, DeviceTime::of(held));
            if self.model.detailed.on {
                self.note_in_service(queue, held);
            }
        }
    }

    /// How long a queue may be waited for.
    pub(super) fn longest_wait(&self, queue: QueueId) -> Span {
        let longest = self.longest_wait_without_loan();
        let on_loan = self.model.queues[queue].policy.loan.is_some();
        let times = if on_loan && !self.device.rotational { TIMES_AS_LONG_ON_LOAN } else { 1 };
        longest.times(times).min(self.tunables.slice_idle)
    }

    /// How long a queue may be waited for that is not on loan, if the tunables let it.
    pub(super) fn longest_wait_without_loan(&self) -> Span {
        if self.device.rotational {
            return LONGEST_WAIT_ROTATING;
        }
        match self.tunables.strict {
            Strict::OneAtATime => LONGEST_WAIT,
            Strict::Throughput | Strict::Shares => self.policy.learnt.longest_wait(),
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
    // Hosts ask until there is no request, and often a full device is why there is none. That is
    // told here; the rest is out of line, as it would first save registers.
    #[inline]
    pub(super) fn next_request(&mut self) -> Option<RequestId> {
        let is_busy = self.model.load.in_flight > 0;
        if is_busy && self.tunables.strict == Strict::OneAtATime {
            return self.withhold_while_busy();
        }
        if self.device.rotational {
            return self.next_rotating();
        }
        if is_busy && self.is_full() {
            return self.withhold_while_full();
        }
        self.next_on_flash()
    }

    /// Whether a flash disk that has requests has no room even for a small one, and a look at the
    /// order would change nothing: no queue is served alone, each that has a turn has a request, so
    /// that none is expected and may lose its turn, and no loan may have to end. A request smaller
    /// than a small one waits for as much room.
    fn is_full(&self) -> bool {
        !self.has_room(SMALL, Turn::Own, self.enough(false))
            && self.policy.probe.is_none()
            && self.policy.backlogged == self.policy.shares.active_queues()
            && !self.policy.shares.has_borrowers()
    }

    /// The next request for a flash disk, by the order of the queues.
    #[inline(never)]
    fn next_on_flash(&mut self) -> Option<RequestId> {
        let queue = self.next_queue()?;
        self.send(queue)
    }

    /// The queue whose next request goes to a flash disk.
    #[inline]
    fn next_queue(&mut self) -> Option<QueueId> {
        if let Some(probe) = &self.policy.probe {
            if !probe.is_late(self.clock.now) {
                return self.next_of_probe(probe.queue, probe.limit);
            }
            self.end_probe();
        }
        loop {
            let first = self.first_in_order()?;
            let queue = first.queue;
            if let Some(id) = self.model.queues[queue].waiting.next {
                let sectors = self.model.requests[id].sectors();
                if self.has_room(sectors, Turn::Own, self.enough(first.on_loan)) {
                    return self.serve(queue);
                }
                self.withhold_for_room(queue, None);
                return None;
            }
            if let ControlFlow::Break(next) = self.next_out_of_turn(first.node) {
                return next;
            }
        }
    }

    /// Whether a queue has nothing in the scheduler or the device, and is not to be waited for: not
    /// any more, or because what it will come back with has no place in the pool.
    #[inline]
    pub(super) fn is_out(&self, queue: QueueId) -> bool {
        let state = &self.model.queues[queue];
        state.is_empty() && state.in_flight == 0 && !self.is_waited_for(queue)
    }

    /// Whether a queue that has nothing is waited for.
    // Out of line: most queues that are passed have requests in the device.
    #[inline(never)]
    fn is_waited_for(&self, queue: QueueId) -> bool {
        let until = self.model.queues[queue].policy.returns.until();
        until.is_some_and(|until| until > self.clock.now) && !self.lacks_place(queue)
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

    /// A queue is to be served; alone, if it is time to see what its requests take.
    #[inline]
    pub(super) fn serve(&mut self, queue: QueueId) -> Option<QueueId> {
        let now = self.clock.now;
        let state = &self.model.queues[queue];
        debug_assert!(!state.is_empty(), "{queue:?} has nothing to serve");
        if self.policy.probes.budget.allows(now, &state.policy.cost, &self.policy.learnt) {
            return self.begin_probe(queue);
        }
        Some(queue)
    }

    /// A queue is served alone from now on, when nothing of others is in the device any more.
    #[inline(never)]
    fn begin_probe(&mut self, queue: QueueId) -> Option<QueueId> {
        let cost = &self.model.queues[queue].policy.cost;
        let probe = Probe::new(self.clock.now, queue, cost, &self.policy.learnt);
        let limit = probe.limit;
        self.policy.probe = Some(probe);
        self.policy.counters.probes += 1;
        self.policy.allowances.favour.end(self.clock.now);
        self.next_of_probe(queue, limit)
    }

    /// Whether the device takes these sectors as well without making others wait for long, if
    /// `enough` may be in flight.
    pub(super) fn has_room(&self, sectors: Sectors, turn: Turn, enough: Sectors) -> bool {
        let in_flight = self.model.load.in_flight;
        if in_flight == 0 {
            return true;
        }
        if !self.policy.learnt.is_known() {
            return false;
        }
        let in_device = &self.policy.in_device;
        match turn {
            Turn::Own => in_flight < 2 || in_device.has_room_in_turn(sectors, enough),
            Turn::OfAnother => in_device.has_room(sectors, enough),
        }
    }

    /// As many sectors may be in flight when a queue is served: what fills the device, or a part of
    /// that if it is on loan. What a program asks for as it starts is answered sooner then, and
    /// nobody else is served, if not out of a class that goes first.
    pub(super) fn enough(&self, on_loan: bool) -> Sectors {
        let fills = self.policy.learnt.enough();
        if on_loan { Sectors::of(fills.count() / PARTS_ON_LOAN) } else { fills }
    }

    /// A queue that has the device for itself, if a request of it is to go there now.
    #[inline(never)]
    fn next_of_probe(&mut self, queue: QueueId, limit: u32) -> Option<QueueId> {
        let state = &self.model.queues[queue];
        let own = state.in_flight;
        debug_assert!(own <= self.model.load.in_flight, "{queue:?} has more than all");
        if self.model.load.in_flight <= own && own < limit && !state.is_empty() {
            return Some(queue);
        }
        let until = self.policy.probe.as_ref().map(Probe::latest);
        self.withhold(queue, WithholdRule::Alone, until);
        None
    }

    pub(super) fn end_probe(&mut self) {
        let Some(probe) = self.policy.probe.take() else { return };
        let cost = &mut self.model.queues[probe.queue].policy.cost;
        probe.end(self.clock.now, cost, &mut self.policy.probes);
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
        self.policy.allowances.favour.end(now);
        let what = self.model.requests[id].what();
        self.policy.last_position = what.end();
        let own = &mut self.model.queues[queue].policy;
        let cost = own.cost.of(&what, &self.policy.probes, &mut self.policy.learnt);
        let on_loan = own.loan.is_some();
        self.policy.shares.charge(own.node, DeviceTime::of(cost));
        self.note_service(queue, cost, on_loan);
        self.policy.in_device.add(what.sectors);
        // Most requests are small, and none of these is a large one.
        if what.sectors > SMALL {
            self.policy.in_device.count_in_part(id, what.sectors, self.enough(on_loan));
        }
        self.policy.in_device.alone = None;
        if self.model.load.in_flight == 1 {
            self.policy.in_device.alone = Some((id, now));
        }
        self.policy.learnt.dispatched(now);
        self.served(queue, id, what.sectors);
        Some(id)
    }

    /// Who is served wants the device: so it is charged in the order, and so are its groups.
    pub(super) fn assert_served(&self, queue: QueueId) {
        let node = self.node_of(queue);
        debug_assert!(self.policy.shares.is_active(node), "{queue:?} is served, and not in order");
    }

    /// The last request that waited in a queue went to the device; an async queue wants it no more.
    // Out of line: mostly a queue has more.
    #[inline(never)]
    fn emptied(&mut self, queue: QueueId) {
        self.policy.backlogged -= 1;
        if !self.model.queues[queue].sync {
            self.give_up(queue);
        }
    }

    /// A request of a queue went to the device.
    #[inline]
    pub(super) fn served(&mut self, queue: QueueId, id: RequestId, sectors: Sectors) {
        let state = &self.model.queues[queue];
        let (node, is_empty) = (state.policy.node, state.is_empty());
        self.note_sectors(node, sectors);
        let charged = Service::of(sectors.count());
        self.tell(|_| Decision::Served { queue, request: id, charged });
        if is_empty {
            self.emptied(queue);
        }
    }

    /// A request of a queue is complete.
    pub(super) fn request_done(&mut self, queue: QueueId, id: RequestId) {
        let now = self.clock.now;
        let emptied = self.count_completion(queue) && self.model.queues[queue].is_empty();
        let sectors = self.model.requests[id].sectors();
        let writes = self.model.requests[id].operation == Operation::Write;
        self.policy.in_device.completed(id, sectors);
        debug_assert!(
            self.model.load.in_flight > 0 || self.policy.in_device.is_empty(),
            "an idle device has {:?}",
            self.policy.in_device
        );
        let took = self.device.rotational.then(|| self.done_rotating(queue, id));
        if let Some((_, at)) = self.policy.in_device.alone.take_if(|(alone, _)| *alone == id) {
            debug_assert_eq!(self.model.load.in_flight, 0, "{id:?} was not alone");
            self.policy.learnt.seen_alone(sectors, writes, now.since(at));
        }
        self.policy.learnt.completed(now, sectors, writes, self.model.load.in_flight);
        if emptied {
            let longest = self.longest_wait(queue);
            let is_scarce = self.is_pool_scarce();
            let state = &mut self.model.queues[queue];
            let may_return = state.policy.returns.emptied(now, longest);
            if let Some(loan) = &mut state.policy.loan {
                loan.emptied(is_scarce);
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
            if emptied {
                probe.emptied(now);
            }
            let state = &self.model.queues[queue];
            let depth = state.policy.cost.depth();
            let present = state.waiting.len() + state.in_flight + 1;
            let what = self.model.requests[id].what();
            if probe.completed(now, &what, present * 4 >= depth * 3) {
                self.end_probe();
            }
        }
        self.want_kick();
    }
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
