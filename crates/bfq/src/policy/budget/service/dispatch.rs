// SPDX-License-Identifier: MIT OR Apache-2.0
//! One request for the device (spec 3.1, 3.2, 3.5).

use super::{peak_rate, turn::Turn};
use crate::{
    fair::Owner,
    model::{
        clock::Clock,
        device::Device,
        ids::RequestId,
        request::{Content, RequestState},
        seek,
    },
    policy::budget::state::{Disk, Scheduler},
    units::{Class, LastEnd},
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// The next request of the queue whose turn it is, or none.
    #[inline]
    pub(crate) fn dispatch_scheduled(&mut self) -> Option<RequestId> {
        if self.policy.competition.busy.total() == 0 {
            debug_assert!(self.policy.slot.in_service.is_none(), "who is in service is busy");
            return None;
        }
        if self.tunables.strict_guarantees && self.model.load.in_flight > 0 {
            return None;
        }
        let Some(turn) = self.select() else {
            self.tell(|_| Decision::NothingToDispatch);
            return None;
        };
        self.perform(turn);
        Some(turn.request)
    }

    /// Dispatches the next request of a queue (spec 3.5).
    #[inline]
    fn perform(&mut self, turn: Turn) {
        let Turn { queue, request: id, charge } = turn;
        if self.model.detailed.on {
            self.note_dispatch(queue, id);
        }
        let seeks = &self.tunables.back_seeks;
        let (state, requests) = (&mut self.model.queues[queue], &mut self.model.requests);
        debug_assert!(state.policy.busy && state.waiting.next == Some(id), "{id:?} is not next");
        let request = &mut requests[id];
        debug_assert!(request.state == RequestState::Waiting && request.queue == Some(queue));
        request.state = RequestState::Dispatched;
        let what = request.what();
        let removal = self.policy.take_next(&self.clock, seeks, state, requests, id);
        state.in_flight += 1;
        self.model.load.in_flight_by_actuator[usize::from(state.actuator)] += 1;
        let entity = state.policy.entity;
        let forgotten = self.policy.serve(self.clock.tick, &mut state.policy, charge);
        self.free_forgotten(forgotten);
        self.tell(|_| Decision::Served { queue, request: id, charged: charge });
        let serving = self.policy.slot.in_service == Some(queue);
        if serving {
            self.policy.sampling.on_dispatch(id);
        }
        let in_flight = self.model.load.in_flight;
        let event = self.policy.disk.on_dispatch(&self.clock, &self.device, in_flight, what);
        if let Some(event) = event {
            self.follow_rate(event);
        }
        if serving {
            self.policy.slot.last_position = self.policy.disk.last_position;
        }
        self.follow_removal(queue, removal, serving);
        if serving {
            let leaf = self.policy.fair.entity(entity);
            let idle_class = leaf.class() == Class::Idle;
            if leaf.coefficient() > 1 || leaf.weight() > leaf.base_weight() {
                self.check_raise(queue);
            }
            if idle_class && self.policy.competition.busy.total() > 1 {
                self.expire(queue, Reason::BudgetExhausted, None);
            }
        }
        self.model.load.in_flight += 1;
    }
}

impl Disk {
    /// A request goes to the device, which has `in_flight` others: what the peak-rate estimator
    /// makes of that (spec 3.11).
    #[inline]
    fn on_dispatch(
        &mut self,
        clock: &Clock,
        device: &Device,
        in_flight: u32,
        what: Content,
    ) -> Option<peak_rate::RateEvent> {
        let Content { sector, sectors, .. } = what;
        let dispatch = peak_rate::Dispatch {
            sectors,
            seek: seek::is_seek(self.last_position.get(), sector, sectors, device.rotational),
            in_flight,
            last_completion: self.last_completion,
        };
        self.last_position = LastEnd::of(what.end());
        self.peak_rate.on_dispatch(clock.now, dispatch)
    }
}
