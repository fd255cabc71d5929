// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a completion does: the first one of a turn starts the slice, a late one ends it (peers.md
//! §5.3, §5.8), and all of them teach.

use blk::Tag;

use super::expiry::Expiry;
use super::generation::Generation;
use super::queue_id::QueueId;
use super::queueing::Load;
use super::{Cfq, Entry, UNUSED};

impl Cfq {
    /// A request has completed.
    pub(super) fn complete(&mut self, now_ticks: i64, tag: Tag) {
        self.queueing.completes(self.load());
        let entry = self.entries[tag.index()];
        if entry.sync {
            self.sync_completed(now_ticks, entry);
        }
        if let Some(id) = self.leaves_device(tag) {
            self.queues[id].slice.last_completion_ticks = now_ticks;
            if self.active == Some(id) {
                self.turn_goes_on(now_ticks, id, entry.sync);
            } else {
                self.queues.release(id);
            }
        }
        // CFQ's hosts ran the queue at every completion.
        self.kick |= self.has_waiting();
    }

    fn sync_completed(&mut self, now_ticks: i64, entry: Entry) {
        let taken_ticks = now_ticks - entry.allocated_ticks;
        let counts = match self.tunables.generation {
            Generation::Linux2_6_32 => true,
            Generation::Linux2_6_35 => taken_ticks > self.tunables.fifo_expire_ticks(true),
        };
        if counts {
            self.sync_seen_ticks = Some(now_ticks);
        }
        if let Some(process) = self.process_mut(entry.process) {
            process.think_time.completed(now_ticks);
        }
    }

    /// A request leaves the device; returns the queue it came from.
    pub(super) fn leaves_device(&mut self, tag: Tag) -> Option<QueueId> {
        let entry = std::mem::replace(&mut self.entries[tag.index()], UNUSED);
        self.in_flight[usize::from(entry.sync)] -= 1;
        let id = entry.queue?;
        self.queues[id].in_flight -= 1;
        Some(id)
    }

    /// What the device has to do.
    fn load(&self) -> Load {
        let waited_for = self.active.filter(|id| self.queues[*id].idle_window);
        Load {
            in_flight: self.in_flight.iter().sum(),
            waiting: self.waiting,
            waited_for: waited_for.map(|id| self.queues[id].in_flight + self.queues[id].waiting),
        }
    }

    /// A request of the active queue has completed.
    fn turn_goes_on(&mut self, now_ticks: i64, id: QueueId, sync: bool) {
        if !self.queues[id].slice.has_started() {
            let length_ticks = self.new_slice_ticks(id);
            self.queues[id].slice.completed(now_ticks, length_ticks);
        }
        let queue = &self.queues[id];
        let empty = queue.waiting == 0;
        if !queue.slice.is_used_up(now_ticks) || queue.must_dispatch {
            if sync && empty {
                self.wait_or_leave(now_ticks, id);
            }
        } else if self.holds_its_group(id) {
            self.wait_beyond_slice(now_ticks, id);
        } else {
            self.expire(now_ticks, Expiry::SliceUsedUp);
        }
    }
}
