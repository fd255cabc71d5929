//! Which request goes next (peers.md §3.4; the letters of the steps are those of the
//! specification).

use blk::Tag;

use super::{Direction, Home, MqDeadline, Priority};

impl MqDeadline {
    pub(super) fn dispatch_one(&mut self, now_ns: i64) -> Option<Tag> {
        if let Some(tag) = self.direct.pop_front(&mut self.links) {
            self.counters.direct += 1;
            self.entries[tag.index()].home = Home::Away;
            self.remember_position(tag);
            return Some(tag);
        }
        if let Some(tag) = self.dispatch_aged(now_ns) {
            self.counters.aged += 1;
            return Some(tag);
        }
        for priority in Priority::ALL {
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
        [Priority::BestEffort, Priority::Idle]
            .into_iter()
            .find_map(|priority| self.choose(priority, now_ns, Some(arrived_by_ns)))
    }

    /// Step 4: chooses inside one priority, and takes out what is chosen. With `arrived_by_ns` it
    /// gives out nothing that arrived later, though direction, batch and starvation then have
    /// changed all the same.
    fn choose(
        &mut self,
        priority: Priority,
        now_ns: i64,
        arrived_by_ns: Option<i64>,
    ) -> Option<Tag> {
        let continued = if self.batch < self.tunables.fifo_batch {
            self.next_of_sweep(priority, self.last_direction)
        } else {
            None
        };
        let tag = match continued {
            Some(tag) => tag,
            None => self.begin_batch(priority, now_ns)?,
        };
        let entry = &self.entries[tag.index()];
        let arrival_ns = entry.deadline_ns - self.expire_ns(entry.direction);
        if arrived_by_ns.is_some_and(|limit_ns| arrival_ns > limit_ns) {
            return None;
        }
        self.batch += 1;
        self.remember_position(tag);
        self.remove(tag);
        Some(tag)
    }

    /// Steps b and c: a direction and the first request of its batch.
    fn begin_batch(&mut self, priority: Priority, now_ns: i64) -> Option<Tag> {
        let waits = |direction| !self.queue(priority, direction).fifo.is_empty();
        let (reads, writes) = (waits(Direction::Read), waits(Direction::Write));
        let direction = if reads && writes {
            let starved = self.starved >= self.tunables.writes_starved;
            self.starved += 1;
            self.counters.writes_after_starving += u64::from(starved);
            if starved { Direction::Write } else { Direction::Read }
        } else if reads {
            Direction::Read
        } else if writes {
            Direction::Write
        } else {
            return None;
        };
        if direction == Direction::Write {
            self.starved = 0;
        }
        self.last_direction = direction;
        self.batch = 0;
        self.counters.batches += 1;

        let oldest = self.queue(priority, direction).fifo.first()?;
        let next = self.next_of_sweep(priority, direction);
        if self.entries[oldest.index()].deadline_ns <= now_ns {
            self.counters.batches_expired += 1;
            Some(oldest)
        } else if next.is_none() {
            self.counters.batches_wrapped += 1;
            Some(oldest)
        } else {
            next
        }
    }

    /// The first request at or above the start of the one dispatched last.
    fn next_of_sweep(&self, priority: Priority, direction: Direction) -> Option<Tag> {
        let queue = self.queue(priority, direction);
        queue.sorted.at_or_above(queue.position)
    }

    fn remember_position(&mut self, tag: Tag) {
        let sector = self.entries[tag.index()].place.sector();
        self.queue_of(tag).position = sector;
    }
}
