// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waiting for the next request of the process being served: for whom, when, how long, and what
//! ends it (peers.md §5.8).

use blk::ProcessId;

use super::Cfq;
use super::expiry::Expiry;
use super::generation::Generation;
use super::queue_id::QueueId;
use super::ticks::ticks_of_ms;
use base::Class;

/// Generation A waits no longer than this for a process that seeks, ms.
const SEEKY_IDLE_MS: i64 = 2;
/// Generation B: with this number of requests waiting at a time a queue is deep.
const DEEP_REQUESTS: u32 = 4;
/// A request of more than a page ends the wait at once, sectors.
const PAGE_SECTORS: u64 = 8;

impl Cfq {
    /// Whether requests of the queue come from near each other's ends, or not.
    pub(super) fn is_seeky(&self, id: QueueId) -> bool {
        let queue = &self.queues[id];
        match self.tunables.generation {
            Generation::Linux2_6_32 => {
                self.process(queue.process).is_some_and(|process| process.seek.is_seeky())
            }
            Generation::Linux2_6_35 => queue.history.is_seeky(),
        }
    }

    /// How long this queue is waited for.
    fn idle_ticks(&self, id: QueueId) -> i64 {
        let idle_ticks = self.tunables.slice_idle_ticks();
        if self.tunables.generation == Generation::Linux2_6_32 && self.is_seeky(id) {
            idle_ticks.min(ticks_of_ms(SEEKY_IDLE_MS))
        } else {
            idle_ticks
        }
    }

    /// A request of `process` arrives in its queue: whether that is worth being waited for
    /// from now on.
    pub(super) fn update_idle_window(&mut self, id: QueueId, process: Option<ProcessId>) {
        let queue = &mut self.queues[id];
        if !queue.sync || queue.priority.class() == Class::Idle {
            return;
        }
        queue.deep |= queue.waiting >= DEEP_REQUESTS;
        let (deep, before) = (queue.deep, queue.idle_window);
        let too_seeky = self.is_seeky(id)
            && match self.tunables.generation {
                Generation::Linux2_6_32 => !self.tunables.low_latency && self.queueing.queues(),
                Generation::Linux2_6_35 => !deep,
            };
        let window = match self.process(process) {
            Some(process) if self.tunables.slice_idle_ticks() > 0 && !too_seeky => {
                let think_ticks = process.think_time.trusted_ticks();
                think_ticks.map_or(before, |think_ticks| think_ticks <= self.idle_ticks(id))
            }
            _ => false,
        };
        self.queues[id].idle_window = window;
    }

    /// Whether the queue, once empty, keeps the device for itself. In generation B so does the last
    /// queue of a kind of load, whichever it is: it stands for all of them.
    pub(super) fn would_idle(&self, id: QueueId) -> bool {
        let queue = &self.queues[id];
        match self.tunables.generation {
            Generation::Linux2_6_32 => queue.idle_window,
            Generation::Linux2_6_35 => {
                let last_of_tree = queue
                    .location
                    .is_some_and(|at| self.groups[at.group].tree(at.class, at.workload).len() == 1);
                queue.sync
                    && queue.priority.class() != Class::Idle
                    && self.tunables.slice_idle_ticks() > 0
                    && (queue.idle_window && !self.is_queueing_flash() || last_of_tree)
            }
        }
    }

    fn is_queueing_flash(&self) -> bool {
        !self.rotational && self.queueing.queues()
    }

    /// A synchronous request of the active queue, empty now, has completed: waits for the next one,
    /// or ends the turn if that is not worth while and nothing is under way.
    pub(super) fn wait_or_leave(&mut self, now_ticks: i64, id: QueueId) {
        if self.close_cooperator(id).is_some() {
            return;
        }
        if self.is_worth_waiting(now_ticks, id) {
            self.counters.waits += 1;
            self.idle_timer_ticks = Some(now_ticks + self.idle_ticks(id));
        } else if self.queues[id].in_flight == 0 {
            self.expire(now_ticks, Expiry::Empty);
        }
    }

    /// The slice is used up, but the queue is to have requests again before its turn ends.
    pub(super) fn wait_beyond_slice(&mut self, now_ticks: i64, id: QueueId) {
        let idle_ticks = self.idle_ticks(id);
        if self.queues[id].in_flight > 0 {
            return;
        }
        if self.is_worth_waiting_for(id, idle_ticks) {
            self.counters.waits += 1;
            self.idle_timer_ticks = Some(now_ticks + idle_ticks);
        } else {
            self.expire(now_ticks, Expiry::SliceUsedUp);
        }
    }

    fn is_worth_waiting(&self, now_ticks: i64, id: QueueId) -> bool {
        let queue = &self.queues[id];
        let under_way = match self.tunables.generation {
            Generation::Linux2_6_32 => self.in_flight.iter().sum(),
            Generation::Linux2_6_35 => queue.in_flight,
        };
        let left_ticks = queue.slice.left_ticks(now_ticks).unwrap_or(0);
        under_way == 0 && self.would_idle(id) && self.is_worth_waiting_for(id, left_ticks)
    }

    /// Whether the next request of the queue is likely to come within that time, on a device that
    /// may be kept idle.
    fn is_worth_waiting_for(&self, id: QueueId, within_ticks: i64) -> bool {
        let process = self.process(self.queues[id].process);
        let in_time = process.is_some_and(|process| {
            let think_ticks = process.think_time.trusted_ticks();
            think_ticks.is_none_or(|think_ticks| think_ticks <= within_ticks)
        });
        self.tunables.slice_idle_ticks() > 0 && !self.is_queueing_flash() && in_time
    }

    /// A request has come for the active queue while it was waited for.
    pub(super) fn awaited_arrival(&mut self, id: QueueId, sectors: u64) {
        self.counters.waits_rewarded += 1;
        if sectors > PAGE_SECTORS || self.groups.busy_queues() > 1 {
            self.idle_timer_ticks = None;
            self.kick = true;
        } else {
            // More may come to be merged with it; the host dispatches it when the batch is over.
            self.queues[id].must_dispatch = true;
        }
    }

    /// The wait is over.
    pub(super) fn wait_ended(&mut self, now_ticks: i64) {
        self.idle_timer_ticks = None;
        self.kick |= self.waiting > 0;
        let Some(id) = self.active else { return };
        let queue = &self.queues[id];
        let alone = self.groups.busy_queues() == 1;
        if queue.must_dispatch {
            return;
        }
        if queue.slice.is_used_up(now_ticks) {
            self.expire(now_ticks, Expiry::SliceUsedUp);
        } else if alone && self.tunables.generation == Generation::Linux2_6_32 {
            // No other queue is kept waiting: it may come back into its slice.
        } else if queue.waiting == 0 {
            self.expire(now_ticks, Expiry::IdledOut);
        }
    }
}
