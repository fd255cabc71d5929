// SPDX-License-Identifier: MIT OR Apache-2.0
//! The position tree: the busy queues of a group by the sector of their next request (spec 5.3).

use super::CLOSE;
use crate::{
    fair::Service,
    model::{
        Model,
        clock::Clock,
        ids::{QueueId, RequestId},
        queue::{Queue, Queues},
    },
    policy::budget::{
        queue::{BudgetQueue, Positions},
        state::{Budget, Durations},
    },
    store::tree::Node,
    units::{Class, Sector, Time},
};

impl Positions {
    /// Adds a queue that is in no position tree, unless another has the same key already.
    pub fn insert(&mut self, queues: &mut Queues<Budget>, queue: QueueId, sector: Sector) {
        debug_assert!(queues[queue].policy.merge.position.is_none(), "{queue:?} is in a tree");
        if self.search(queues, sector).is_some_and(|found| key(&queues[found]) == sector) {
            return;
        }
        queues[queue].policy.merge.position = Some(sector);
        self.0.insert(queues, queue, |a, b| key(a) < key(b));
    }

    /// Takes a queue out of this tree, if it is there.
    pub fn remove(&mut self, queues: &mut Queues<Budget>, queue: QueueId) {
        if queues[queue].policy.merge.position.is_some() {
            self.0.remove(queues, queue);
            queues[queue].policy.merge.position = None;
        }
    }

    /// The queue whose next request is closest to `sector`, if close enough.
    ///
    /// Looked at are the node where the search ends and its neighbour beyond `sector`.
    pub fn closest(&self, queues: &Queues<Budget>, sector: Sector) -> Option<QueueId> {
        let last = self.search(queues, sector)?;
        let is_close = |queue: &QueueId| key(&queues[*queue]).distance(sector) <= CLOSE;
        if is_close(&last) {
            return Some(last);
        }
        let beyond = if key(&queues[last]) < sector {
            self.0.next(queues, last)
        } else {
            self.0.previous(queues, last)
        };
        beyond.filter(is_close)
    }

    /// The queue at `sector`, or the last one visited on the way there.
    fn search(&self, queues: &Queues<Budget>, sector: Sector) -> Option<QueueId> {
        let mut found = None;
        let mut next = self.0.root();
        while let Some(queue) = next {
            found = Some(queue);
            let here = key(&queues[queue]);
            let links = queues[queue].links();
            next = match sector.cmp(&here) {
                core::cmp::Ordering::Less => links.left(),
                core::cmp::Ordering::Greater => links.right(),
                core::cmp::Ordering::Equal => break,
            };
        }
        found
    }

    /// Asserts order and keys.
    pub fn check(&self, queues: &Queues<Budget>) {
        self.0.check(queues, |a, b| key(a) >= key(b));
        for queue in self.0.iter(queues) {
            assert!(
                queues[queue].policy.merge.position.is_some() && queues[queue].policy.busy,
                "{queue:?}"
            );
        }
    }
}

impl Model<Budget> {
    /// Takes a queue out of the position tree of its group.
    #[inline]
    pub(crate) fn leave_positions(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        if state.policy.merge.position.is_some() {
            self.groups[state.group].policy.positions.remove(&mut self.queues, queue);
        }
    }

    /// Sorts a queue, which is in no position tree and whose next request this is, into that of its
    /// group.
    fn enter_positions(&mut self, queue: QueueId, next: RequestId) {
        debug_assert_eq!(self.queues[queue].waiting.next, Some(next), "it is where that is");
        let (group, sector) = (self.queues[queue].group, self.requests[next].sector);
        self.groups[group].policy.positions.insert(&mut self.queues, queue, sector);
    }
}

impl Budget {
    /// Brings a queue's entry in the position tree up to date.
    #[inline(always)]
    pub(crate) fn update_position(&self, model: &mut Model<Budget>, clock: &Clock, queue: QueueId) {
        if !self.disk.is_flash_with_queueing {
            self.sort_into_positions(model, clock, queue);
        }
    }

    #[inline(never)]
    fn sort_into_positions(&self, model: &mut Model<Budget>, clock: &Clock, queue: QueueId) {
        model.leave_positions(queue);
        let state = &model.queues[queue];
        let Some(next) = state.waiting.next.filter(|_| {
            queue != model.fallback
                && !state.policy.is_too_late_to_merge(clock.tick, &self.durations)
                && self.leaf(state).class() != Class::Idle
        }) else {
            return;
        };
        model.enter_positions(queue, next);
    }
}

impl BudgetQueue {
    /// Only I/O that just (re)started may be merged: later, a merge would mix weights.
    pub(super) fn is_too_late_to_merge(&self, tick: Time, durations: &Durations) -> bool {
        self.backlog.service > Service::ZERO
            && tick.is_more_than(durations.merge_window, self.backlog.first_io_at)
    }
}

/// Where the next request of a queue is. One that is asked for is in a tree, so it has a key.
fn key(queue: &Queue<Budget>) -> Sector {
    queue.policy.merge.position.unwrap_or(Sector::FIRST)
}
