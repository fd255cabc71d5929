// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the active queue may go to the device, and which request goes first (peers.md §5.7).

use blk::Tag;

use super::Cfq;
use super::Home;
use super::expiry::Expiry;
use super::generation::Generation;
use super::queue::{CfqQueue, LEVELS};
use super::queue_id::QueueId;
use base::{Class, Ioprio};

impl Cfq {
    /// The request to serve now, if one is to be served now.
    pub(super) fn dispatch_one(&mut self, now_ticks: i64) -> Option<Tag> {
        if let Some(tag) = self.direct.pop_front(&mut self.links) {
            self.counters.direct += 1;
            self.goes_to_device(tag);
            return Some(tag);
        }
        let id = self.select(now_ticks)?;
        if !self.may_dispatch(now_ticks, id) {
            self.counters.held_back += 1;
            return None;
        }
        let tag = self.proposed(now_ticks, id)?;
        self.goes_to_device(tag);
        self.take_out_waiting(id, tag);
        let queue = &mut self.queues[id];
        queue.in_flight += 1;
        queue.slice.dispatched += 1;
        queue.must_dispatch = false;
        if self.has_dispatched_enough(id) {
            self.expire(now_ticks, Expiry::Enough);
        }
        Some(tag)
    }

    fn goes_to_device(&mut self, tag: Tag) {
        let entry = &mut self.entries[tag.index()];
        entry.home = Home::Device;
        self.head_sector = entry.end_sector;
        self.in_flight[usize::from(entry.sync)] += 1;
    }

    fn may_dispatch(&self, now_ticks: i64, id: QueueId) -> bool {
        let [async_in_flight, sync_in_flight] = self.in_flight;
        let queue = &self.queues[id];
        if self.would_idle(id) && async_in_flight > 0 || !queue.sync && sync_in_flight > 0 {
            return false;
        }
        let in_flight = i64::from(queue.in_flight);
        let limit = self.in_flight_limit(now_ticks, queue);
        in_flight < limit && in_flight < self.async_depth(now_ticks, queue)
    }

    /// How many requests the queue may have on the device.
    fn in_flight_limit(&self, now_ticks: i64, queue: &CfqQueue) -> i64 {
        let quantum = self.tunables.quantum();
        let idle_class = queue.priority.class() == Class::Idle;
        let alone = self.groups.busy_queues() == 1;
        let in_flight = i64::from(queue.in_flight);
        match self.tunables.generation {
            Generation::Linux2_6_32 => {
                let limit = if idle_class { 1 } else { quantum };
                if alone { 4 * quantum } else { limit }
            }
            Generation::Linux2_6_35 => {
                let limit = if idle_class { 1 } else { (quantum / 2).max(1) };
                let work_ticks = self.tunables.slice_idle_ticks() * in_flight;
                let left_ticks = queue.slice.left_ticks(now_ticks);
                let ends_soon = left_ticks.is_none_or(|left_ticks| work_ticks > left_ticks);
                if in_flight < limit || idle_class || !alone && ends_soon {
                    limit
                } else if alone {
                    i64::MAX
                } else {
                    quantum
                }
            }
        }
    }

    /// With `low_latency` asynchronous requests come back slowly after a process had to wait.
    fn async_depth(&self, now_ticks: i64, queue: &CfqQueue) -> i64 {
        if queue.sync || !self.tunables.low_latency {
            return i64::MAX;
        }
        let Some(last_ticks) = self.sync_seen_ticks else { return i64::MAX };
        let depth = (now_ticks - last_ticks) / self.tunables.base_slice_ticks(true);
        if queue.in_flight == 0 { depth.max(1) } else { depth }
    }

    /// The oldest request if its deadline has passed, looked at once in a
    /// slice; otherwise the next.
    fn proposed(&mut self, now_ticks: i64, id: QueueId) -> Option<Tag> {
        let queue = &mut self.queues[id];
        let checked = std::mem::replace(&mut queue.slice.fifo_checked, true);
        let oldest = queue.fifo.first()?;
        if !checked && self.entries[oldest.index()].deadline_ticks <= now_ticks {
            self.counters.deadlines_passed += 1;
            return Some(oldest);
        }
        queue.next
    }

    /// Whether others have their turn now, though the slice may not be over.
    fn has_dispatched_enough(&self, id: QueueId) -> bool {
        let queue = &self.queues[id];
        let others = self.groups.busy_queues() > 1;
        others
            && (queue.priority.class() == Class::Idle
                || !queue.sync && queue.slice.dispatched >= self.async_requests(queue.priority))
    }

    /// Asynchronous requests in a slice.
    pub(super) fn async_requests(&self, priority: Ioprio) -> i64 {
        let base = self.tunables.slice_async_rq;
        let levels = LEVELS as i64 - 1 - i64::from(priority.level());
        2 * (base + base * levels)
    }
}
