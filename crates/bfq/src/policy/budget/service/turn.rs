// SPDX-License-Identifier: MIT OR Apache-2.0
//! The next request of a queue, and what it costs the queue (spec 1.7, 3.2).

use super::budgets;
use crate::{
    fair::{EntityId, Forgotten, Service},
    model::{
        Model,
        ids::{QueueId, RequestId},
        queue::Queue,
        request::Requests,
    },
    policy::budget::{queue::BudgetQueue, state::Budget},
    units::{Sectors, Time},
};

/// Charge of a sector of async I/O where all else is equal: it is throttled against sync I/O.
const ASYNC_CHARGE_FACTOR: u64 = 3;

/// A request that can be dispatched next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub queue: QueueId,
    /// The queue's next request.
    pub request: RequestId,
    /// What the queue is charged for it, in sectors.
    pub charge: Service,
}

impl Budget {
    /// Accounts service to a queue (spec 1.7).
    #[inline]
    pub(super) fn serve(
        &mut self,
        tick: Time,
        state: &mut BudgetQueue,
        service: Service,
    ) -> Forgotten {
        debug_assert!(state.busy, "it is served without a backlog");
        state.count_service(tick, service);
        self.fair.serve(state.entity, service)
    }

    /// What a request costs its queue, in sectors.
    #[inline(always)]
    pub(super) fn charge(
        &self,
        requests: &Requests,
        state: &Queue<Budget>,
        id: RequestId,
    ) -> Service {
        self.charge_of(state, requests[id].sectors())
    }

    /// What so many sectors cost a queue.
    #[inline(always)]
    pub(super) fn charge_of(&self, state: &Queue<Budget>, sectors: Sectors) -> Service {
        let plain = state.sync || state.policy.is_raised() || self.is_asymmetric(state);
        budgets::charge(sectors, if plain { 1 } else { ASYNC_CHARGE_FACTOR })
    }

    /// The next request of the queue of a leaf, if it fits into what is left of the queue's budget.
    #[inline(always)]
    pub(super) fn fitting_turn(&self, model: &Model<Budget>, leaf: EntityId) -> Option<Turn> {
        let queue = self.queue_of(leaf);
        let state = &model.queues[queue];
        let request = state.waiting.next?;
        let charge = self.charge(&model.requests, state, request);
        (charge <= self.fair.entity(leaf).budget_left()).then_some(Turn { queue, request, charge })
    }
}
