// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a queue waits: what an observer is told when nothing is handed out although there is a
//! request that waits.

use super::state::Scheduler;
use crate::{
    model::ids::{QueueId, RequestId},
    units::Time,
    why::{Decision, Observer, WithholdRule},
};

impl<O: Observer> Scheduler<O> {
    /// Nothing is handed out, for the sake of a queue.
    pub(super) fn withhold(
        &mut self,
        queue: QueueId,
        rule: WithholdRule,
        until: Option<Time>,
    ) -> Option<RequestId> {
        if self.model.load.queued > 0 {
            self.tell(|_| Decision::Withheld { queue, rule, until });
        }
        None
    }

    /// Nothing more goes to the device while it has what it has.
    pub(super) fn withhold_while_busy(&mut self) -> Option<RequestId> {
        // Without an observer, the order is not asked.
        if self.observer.is_watching()
            && let Some(first) = self.policy.shares.first()
        {
            let queue = self.queue_of(first);
            self.withhold(queue, WithholdRule::OneAtATime, None);
        }
        None
    }

    /// The device has no room for anything, and each queue that has a turn has a request.
    #[inline]
    pub(super) fn withhold_while_full(&mut self) -> Option<RequestId> {
        // Without an observer, the order is not asked.
        if self.observer.is_watching()
            && let Some(first) = self.policy.shares.first()
        {
            let queue = self.queue_of(first);
            debug_assert!(!self.model.queues[queue].is_empty(), "{queue:?} is expected");
            self.withhold_for_room(queue, None);
        }
        None
    }

    /// The device has no room for the next request of a queue, whose turn it is if no queue that is
    /// `expected` was passed over for it.
    pub(super) fn withhold_for_room(&mut self, queue: QueueId, expected: Option<QueueId>) {
        let rule = match expected {
            _ if !self.policy.learnt.is_known() => WithholdRule::Unknown,
            Some(_) => WithholdRule::Expected,
            None => WithholdRule::Full,
        };
        self.withhold(expected.unwrap_or(queue), rule, None);
    }
}
