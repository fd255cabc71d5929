// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requests of a queue: how they come in and go out, and which of them is next (peers.md §5.2,
//! bfq.md §2.4 to §2.7).

use base::{Ioprio, Op};
use blk::{ProcessId, Request, Tag};

use super::generation::Generation;
use super::preemption::Arrival;
use super::queue_id::QueueId;
use super::service_tree::End;
use super::ticks::tick_at;
use super::{Cfq, Entry, Home, UNUSED};

/// A request that comes in.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRequest {
    pub process: Option<ProcessId>,
    pub priority: Ioprio,
    pub sync: bool,
    pub metadata: bool,
    pub sector: u64,
    pub end_sector: u64,
    pub allocated_ticks: i64,
}

impl NewRequest {
    pub fn of(request: &Request) -> NewRequest {
        NewRequest {
            process: request.process,
            priority: request.ioprio.effective(),
            sync: is_sync(request.op, request.sync),
            metadata: request.metadata,
            sector: request.sector,
            end_sector: request.end_sector(),
            allocated_ticks: tick_at(request.allocated_ns),
        }
    }
}

impl Cfq {
    pub(super) fn has_waiting(&self) -> bool {
        self.waiting > 0 || !self.direct.is_empty()
    }

    /// Puts a new request into the queue of its process, and may let that queue preempt.
    pub(super) fn arrive(&mut self, now_ticks: i64, tag: Tag, new: NewRequest) {
        let process = new.process.filter(|id| self.process(Some(*id)).is_some());
        let id = self.queue_for(process, new.sync, new.priority);
        self.put_in_waiting(now_ticks, id, tag, &new);
        if self.queues[id].location.is_none() {
            self.enter_service(now_ticks, id, End::Back);
        }
        self.learn(now_ticks, id, process, &new);
        self.update_idle_window(id, process);
        if self.active == Some(id) {
            if self.idle_timer_ticks.is_some() {
                self.awaited_arrival(id, new.end_sector - new.sector);
            }
        } else {
            let NewRequest { sector, sync, metadata, .. } = new;
            self.preempt_for(now_ticks, Arrival { queue: id, sector, sync, metadata });
        }
    }

    /// A request comes back from the device: it goes before everything else, and is charged
    /// to no queue.
    pub(super) fn come_back(&mut self, tag: Tag, request: NewRequest) {
        let NewRequest { sync, end_sector, allocated_ticks, .. } = request;
        self.direct.push_front(&mut self.links, tag);
        self.entries[tag.index()] =
            Entry { home: Home::Direct, sync, end_sector, allocated_ticks, ..UNUSED };
    }

    /// What an arrival says of its process and queue.
    fn learn(&mut self, now_ticks: i64, id: QueueId, process: Option<ProcessId>, new: &NewRequest) {
        let cap_ticks = 2 * self.tunables.slice_idle_ticks();
        if let Some(process) = self.process_mut(process) {
            process.think_time.arrived(now_ticks, cap_ticks);
            process.seek.arrived(new.sector, new.end_sector);
        }
        let rotational = self.rotational;
        let queue = &mut self.queues[id];
        queue.history.arrived(new.sector, new.end_sector, rotational);
        queue.process = process;
    }

    fn put_in_waiting(&mut self, now_ticks: i64, id: QueueId, tag: Tag, new: &NewRequest) {
        self.waiting += 1;
        let queue = &mut self.queues[id];
        queue.fifo.push_back(&mut self.links, tag);
        queue.waiting += 1;
        queue.metadata_waiting += u32::from(new.metadata);
        self.entries[tag.index()] = Entry {
            home: Home::Queue,
            queue: Some(id),
            process: new.process,
            sync: new.sync,
            metadata: new.metadata,
            place: queue.sorted.insert(new.sector, tag),
            end_sector: new.end_sector,
            allocated_ticks: new.allocated_ticks,
            deadline_ticks: now_ticks + self.tunables.fifo_expire_ticks(new.sync),
        };
        self.prefer(id, tag);
    }

    /// A request has come, or come nearer: it may be the next one.
    pub(super) fn prefer(&mut self, id: QueueId, tag: Tag) {
        let next =
            self.queues[id].next.map_or(tag, |next| self.choose(next, tag, self.head_sector));
        self.queues[id].next = Some(next);
        self.update_position(id);
    }

    /// A request goes to the device, or into another one: chooses the next one.
    pub(super) fn take_out_waiting(&mut self, id: QueueId, tag: Tag) {
        let entry = self.entries[tag.index()];
        if self.queues[id].next == Some(tag) {
            self.queues[id].next = self.next_after(id, tag);
        }
        self.waiting -= 1;
        let queue = &mut self.queues[id];
        queue.sorted.remove(entry.place, tag);
        queue.fifo.remove(&mut self.links, tag);
        queue.waiting -= 1;
        queue.metadata_waiting -= u32::from(entry.metadata);
        self.merges.removed(tag);
        self.update_position(id);
    }

    /// The better one of the neighbours of a request.
    fn next_after(&self, id: QueueId, tag: Tag) -> Option<Tag> {
        let place = self.entries[tag.index()].place;
        let sorted = &self.queues[id].sorted;
        let wrapped = || sorted.first().filter(|first| *first != tag);
        let after = sorted.next(place, tag).or_else(wrapped);
        let before = sorted.previous(place, tag);
        let from_sector = match self.tunables.generation {
            Generation::Linux2_6_32 => self.head_sector,
            Generation::Linux2_6_35 => place.sector(),
        };
        match (after, before) {
            (Some(after), Some(before)) => Some(self.choose(after, before, from_sector)),
            (after, before) => after.or(before),
        }
    }

    /// The better one of two requests (bfq.md §2.5): synchronous, then metadata, then near ahead;
    /// a little behind counts as farther, far behind as last.
    pub(super) fn choose(&self, one: Tag, other: Tag, from_sector: u64) -> Tag {
        let (a, b) = (&self.entries[one.index()], &self.entries[other.index()]);
        if (a.sync, a.metadata) != (b.sync, b.metadata) {
            return if (a.sync, a.metadata) > (b.sync, b.metadata) { one } else { other };
        }
        let (start_a, start_b) = (a.place.sector(), b.place.sector());
        let first = match (self.cost(start_a, from_sector), self.cost(start_b, from_sector)) {
            (Some(cost_a), Some(cost_b)) if cost_a == cost_b => start_a >= start_b,
            (Some(cost_a), Some(cost_b)) => cost_a < cost_b,
            (None, None) => start_a <= start_b,
            (cost_a, _) => cost_a.is_some(),
        };
        if first { one } else { other }
    }

    /// What it costs the head to go there; `None`: only after a turn through the whole disk.
    fn cost(&self, sector: u64, from_sector: u64) -> Option<u64> {
        let tunables = &self.tunables;
        if sector >= from_sector {
            Some(sector - from_sector)
        } else if sector.saturating_add(tunables.back_seek_max_sectors()) >= from_sector {
            Some((from_sector - sector).saturating_mul(tunables.back_seek_penalty as u64))
        } else {
            None
        }
    }

    /// A waiting request has grown at its front: it stands elsewhere now.
    pub(super) fn sort_again(&mut self, tag: Tag, sector: u64) {
        let entry = self.entries[tag.index()];
        let Some(id) = entry.queue else { return };
        let sorted = &mut self.queues[id].sorted;
        sorted.remove(entry.place, tag);
        self.entries[tag.index()].place = sorted.insert(sector, tag);
        self.prefer(id, tag);
    }

    /// One waiting request has taken over another one of its queue: it takes the earlier deadline,
    /// with the place that goes with it, and is the next one if that was.
    pub(super) fn absorb(&mut self, survivor: Tag, absorbed: Tag) {
        let (into, from) = (self.entries[survivor.index()], self.entries[absorbed.index()]);
        let Some(id) = from.queue.filter(|_| from.home == Home::Queue) else { return };
        if into.queue == Some(id) {
            let queue = &mut self.queues[id];
            if from.deadline_ticks < into.deadline_ticks {
                self.entries[survivor.index()].deadline_ticks = from.deadline_ticks;
                queue.fifo.remove(&mut self.links, survivor);
                queue.fifo.insert_before(&mut self.links, survivor, absorbed);
            }
            if queue.next == Some(absorbed) {
                queue.next = Some(survivor);
            }
        }
        self.take_out_waiting(id, absorbed);
        self.entries[absorbed.index()].home = Home::Away;
    }
}

/// Whether a process waits for a request: a read, or what is said to be synchronous.
pub(super) fn is_sync(op: Op, sync: bool) -> bool {
    sync || op == Op::Read
}
