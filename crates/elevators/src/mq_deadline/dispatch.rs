// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which request goes next (peers.md §3.4; the letters of the steps are those
//! of the specification).

use blk::Tag;

use super::{Home, MqDeadline};
use base::Class;

impl MqDeadline {
    pub(super) fn dispatch_one(&mut self, now_ns: i64) -> Option<Tag> {
        if let Some(tag) = self.direct.pop_front(&mut self.slots.links) {
            self.counters.direct += 1;
            self.entries[tag.index()].home = Home::Away;
            self.remember_position(tag);
            return Some(tag);
        }
        if let Some(tag) = self.dispatch_aged(now_ns) {
            self.counters.aged += 1;
            return Some(tag);
        }
        for priority in Class::ALL {
            let tag = self.choose(priority, now_ns, None);
            if tag.is_some() {
                return tag;
            }
            if self.levels[priority as usize].pending > 0 {
                self.counters.held_back += 1;
                return None;
            }
        }
        None
    }

    /// A request of a lower class that has waited too long, if there is competition.
    fn dispatch_aged(&mut self, now_ns: i64) -> Option<Tag> {
        if self.levels.iter().filter(|level| level.pending > 0).count() < 2 {
            return None;
        }
        let arrived_by_ns = now_ns - self.tunables.prio_aging_expire_ns();
        [Class::BestEffort, Class::Idle]
            .into_iter()
            .find_map(|priority| self.choose(priority, now_ns, Some(arrived_by_ns)))
    }

    /// Step 4: chooses inside one priority, and takes out what is chosen. With `arrived_by_ns` it
    /// gives out nothing that arrived later, though direction, batch and starvation then have
    /// changed all the same.
    fn choose(&mut self, priority: Class, now_ns: i64, arrived_by_ns: Option<i64>) -> Option<Tag> {
        let continuing = self.batches.continuing(self.tunables.sweep.fifo_batch);
        let continued = continuing.and_then(|direction| self.queue(priority, direction).next());
        let tag = match continued {
            Some(tag) => tag,
            None => self.begin_batch(priority, now_ns)?,
        };
        let expire_ns = self.tunables.sweep.expire_ns(self.entries[tag.index()].direction);
        let arrival_ns = self.slots[tag].deadline_ns - expire_ns;
        if arrived_by_ns.is_some_and(|limit_ns| arrival_ns > limit_ns) {
            return None;
        }
        self.batches.dispatched();
        self.remember_position(tag);
        self.remove(tag);
        Some(tag)
    }

    /// Steps b and c: a direction and the first request of its batch.
    fn begin_batch(&mut self, priority: Class, now_ns: i64) -> Option<Tag> {
        let queues = &self.levels[priority as usize].queues;
        let [reads, writes] = queues.each_ref().map(|queue| !queue.waiting.is_empty());
        let direction = self.batches.begin(reads, writes, self.tunables.sweep.writes_starved)?;
        let queue = &queues[direction as usize];
        self.batches.first(&queue.waiting, &self.slots, queue.next(), now_ns)
    }

    fn remember_position(&mut self, tag: Tag) {
        let sector = self.slots[tag].place.sector();
        self.queue_of(tag).position = sector;
    }
}
