// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queues may take the places of the request pool: by weight, and unused places are lent.

use super::{loans::MOST_AT_A_TIME, state::Scheduler};
use crate::{
    model::{allowance::Allowance, ids::ProcessId, ids::QueueId},
    why::{Decision, Observer},
};

/// Deeper group trees are compared only at their lowest levels.
const MAX_DEPTH: usize = 64;
/// Linux wakes who waits for a place once so many were given back, or fewer in a small pool.
const WOKEN_TOGETHER: u32 = 8;

/// A queue (level 0), or a group above it, has as many places as are its share, or more.
struct Reached {
    allocated: u32,
    limit: u32,
    level: u32,
}

impl<O: Observer> Scheduler<O> {
    /// Whether the next request may have to go without, if its queue has its share already.
    pub(super) fn is_pool_scarce(&self) -> bool {
        self.model.groups[self.model.root].allocated >= self.open_places()
    }

    /// Whether all places are taken.
    pub(super) fn is_pool_empty(&self) -> bool {
        self.model.groups[self.model.root].allocated >= self.device.nr_requests
    }

    /// Places that everybody may take, whatever its share is.
    fn open_places(&self) -> u32 {
        (self.device.nr_requests / 2).max(1)
    }

    /// How much of the pool a process may use.
    pub(super) fn places_of(&mut self, process: Option<ProcessId>, sync: bool) -> Allowance {
        let all = self.device.nr_requests;
        let found = process.filter(|_| self.is_pool_scarce()).and_then(|process| {
            (0..self.device.actuators as u8).find_map(|actuator| {
                let queue = self.linked_queue(process, sync, actuator)?;
                self.share_reached(queue).map(|reached| (queue, reached))
            })
        });
        if let Some((queue, Reached { allocated, limit, level })) = found {
            self.tell(|_| Decision::GroupLimit { queue, allocated, limit, level });
        }
        let over_share = found.is_some();
        let requests = if over_share { self.open_places() } else { all };
        if let Some(process) = process.filter(|_| self.is_pool_scarce()) {
            let allocated = self.model.groups[self.model.root].allocated;
            self.asks_for_place(process, sync, allocated + WOKEN_TOGETHER >= requests);
        }
        self.tell(|_| Decision::RequestLimit { process, raised_busy: 0, sync, depth: None });
        Allowance { requests, over_share }
    }

    /// A process is about to make a request. If nearly all places are taken it may have to wait for
    /// one, also while some are free. Until its request has come, nobody knows that it computes.
    #[inline(never)]
    fn asks_for_place(&mut self, process: ProcessId, sync: bool, are_nearly_all_taken: bool) {
        for actuator in 0..self.device.actuators as u8 {
            if let Some(queue) = self.linked_queue(process, sync, actuator) {
                self.model.queues[queue].policy.returns.asks_for_place(are_nearly_all_taken);
            }
        }
    }

    /// Whether the next request of a queue may wait for a place: to keep the device free for it
    /// would be in vain, for who has the places gets none back meanwhile.
    pub(super) fn lacks_place(&self, queue: QueueId) -> bool {
        let may_wait = self.model.queues[queue].policy.returns.may_wait_for_place();
        may_wait && self.is_pool_scarce() || self.is_pool_empty()
    }

    /// The share of the places that a queue, or a group above it, has already. A program that
    /// starts is not held to it: its loan would keep the disk for it while it waits for a place,
    /// and the requests of others that fill the pool would not be served meanwhile.
    fn share_reached(&self, queue: QueueId) -> Option<Reached> {
        let state = &self.model.queues[queue];
        let is_deep = state.policy.cost.depth() > MOST_AT_A_TIME;
        let has_few = state.references.requests < MOST_AT_A_TIME && !is_deep;
        if state.policy.loan.is_some() && has_few {
            return None;
        }
        let mut path = [(0, 0, 1); MAX_DEPTH];
        let mut depth = 0;
        let mut next = Some((state.policy.node, state.references.requests, state.group));
        while let Some((node, allocated, group)) = next.filter(|_| depth < MAX_DEPTH) {
            let (weight, sum) = self.policy.shares.share(node)?;
            path[depth] = (allocated, u64::from(weight), sum);
            depth += 1;
            let group = &self.model.groups[group];
            next = group
                .policy
                .node
                .map(|node| (node, group.allocated, group.parent.unwrap_or(self.model.root)));
        }
        let mut share = u64::from(self.device.nr_requests);
        path[..depth].iter().enumerate().rev().find_map(|(level, &(allocated, weight, sum))| {
            debug_assert!(weight <= sum, "{weight} of {sum}");
            share = (share * weight).div_ceil(sum.max(1));
            let reached = Reached { allocated, limit: share as u32, level: level as u32 };
            (u64::from(allocated) >= share).then_some(reached)
        })
    }
}
