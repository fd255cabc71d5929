// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes that a disk has acknowledged and still has to carry out: its cache is emptied in the time
//! of the writers, not of the reader that comes next.
//!
//! How long that takes is not to be seen, only guessed: from the sizes of the writes, at the rate
//! of the sequential readers or of a writer that fills the cache (`filling`), and from how often
//! the head moves for them. Writers are charged that at once, and the disk is kept free for
//! so long before a reader is served. When a sequential reader then takes longer than usual, the
//! writes were not done: the excess is charged to the writer, and a move is taken to last longer.

use super::{device_time::DeviceTime, sector_time::SectorTime, state::Scheduler};
use crate::{
    model::{ids::QueueId, ids::RequestId, request::Operation},
    units::{Sectors, Span},
    why::{LoanEnd, Observer},
};

/// A disk is kept free for its cache at most so long at a time.
pub(super) const LONGEST: Span = Span::from_ms(400);
/// A move of the head for a write takes this part of a seek: the disk chooses the order.
const SEEK_OVER_MOVE: u64 = 4;
/// How fast a disk writes is told by slots in which it was kept free for the writer for one part of
/// this many, or less.
const SLOT_OVER_IDLE: u64 = 8;
/// A disk writes no slower than one part in this number of what its cache takes.
const SLOWEST_OVER_FASTEST: u64 = 4;
/// What reads usually take is told by slots in which more was read than the disk delivers in this
/// number of seeks: of less, the part that was seeks makes too great a difference.
const SEEKS_TO_LEARN: u64 = 4;
/// And by slots whose reads had 64 KiB in the mean, or more: of smaller ones the time beside the
/// transfer is a large part, and the disk may be faster than who reads.
const LEAST_READ: Sectors = Sectors::of_kib(64);
/// And whether they took longer, by slots that are longer than this number of seeks.
const SEEKS_TO_JUDGE: u64 = 2;
/// What is left after that, or less, is none.
pub(super) const LEAST: Span = Span::from_ms(1);

impl<O: Observer> Scheduler<O> {
    /// A request went to the device, for which the head moves or does not.
    pub(super) fn note_cached(&mut self, queue: QueueId, id: RequestId, moves: bool) {
        let what = self.model.requests[id].what();
        let now = self.clock.now;
        let pace = &mut self.model.queues[queue].policy.pace;
        pace.writes = what.operation == Operation::Write;
        pace.wrote |= pace.writes;
        if !pace.writes {
            if self.policy.rotation.is_holder(queue) {
                pace.sectors += what.sectors;
                pace.reads = pace.reads.saturating_add(1);
                self.policy.cache.filling.interrupt();
            }
            return;
        }
        let seek = self.policy.rotation.seek.mean();
        let move_takes = if moves { seek / SEEK_OVER_MOVE } else { Span::ZERO };
        let move_takes = self.policy.cache.corrected(move_takes);
        let cost = self.written_in(what.sectors).plus(move_takes);
        let node = self.node_of(queue);
        self.policy.shares.charge(node, DeviceTime::of(cost));
        // What is only guessed cannot be lent.
        self.end_loan(queue, LoanEnd::Write);
        let cache = &mut self.policy.cache;
        if self.policy.rotation.is_holder(queue) {
            self.policy.rotation.use_slot(cost);
            cache.filling.wrote(now, self.policy.rotation.began, what.sectors);
        } else {
            self.model.queues[queue].policy.note_visit(cost);
        }
        cache.left = cache.left(now) + cost;
        (cache.at, cache.writer) = (now, Some(queue));
        cache.written += cost;
        cache.moves += move_takes;
    }

    /// What the disk needs to write sectors, without the way to them.
    fn written_in(&self, sectors: Sectors) -> Span {
        let cache = &self.policy.cache;
        let known = cache.sector.or(cache.filling.sector());
        // What a cache takes at once looks faster than the disk is.
        let fastest = self.delivered_in(sectors);
        let seen = known.map_or(fastest, |sector| sector.times(sectors));
        seen.clamp(fastest, fastest.times(SLOWEST_OVER_FASTEST))
    }

    /// What sectors take at the highest rate of the disk, or at a usual one if that is higher: who
    /// reads at random shows a low one.
    fn delivered_in(&self, sectors: Sectors) -> Span {
        self.policy.learnt.at_full_rate(sectors).min(self.policy.learnt.transfer(sectors))
    }

    /// Whether the disk is to be kept free for its cache before a queue is served: then it is, at
    /// the expense of the last writer, which is returned.
    pub(super) fn awaits_cache(&mut self, next: QueueId) -> Option<QueueId> {
        let now = self.clock.now;
        let left = self.policy.cache.left(now);
        let writer = self.policy.cache.writer?;
        if left <= LEAST {
            self.policy.hold.take_if(|hold| hold.queue == writer);
            return None;
        }
        let waiting = self.model.queues[next].waiting.next;
        let reads = waiting.is_some_and(|id| self.model.requests[id].operation != Operation::Write);
        if !reads || writer == next {
            return None;
        }
        // What takes longer than that is left for the reader to suffer, which tells.
        let left = left.min(LONGEST);
        (self.policy.cache.left, self.policy.cache.at) = (left, now);
        if self.model.load.in_flight == 0 {
            self.hold_for(writer, Some(now + left));
        }
        Some(writer)
    }

    /// The slot of a queue is over: if it wrote all the time, that tells how fast the disk does.
    pub(super) fn judge_writer(&mut self, writer: QueueId) {
        let state = &self.model.queues[writer];
        if !state.policy.pace.writes {
            return;
        }
        let slot = self.clock.now.since(self.policy.rotation.began);
        let is_busy = self.policy.rotation.idle().times(SLOT_OVER_IDLE) <= slot;
        let fills = is_busy && !self.is_random(writer);
        self.policy.cache.filling.end(fills);
    }

    /// The slot of a queue that read is over, for which `payer` was charged `used`: compares what
    /// its reads took with what they usually take. What others' writes took of it is given back.
    pub(super) fn judge_reader(&mut self, reader: QueueId, payer: QueueId, used: Span) {
        let seek = self.policy.rotation.seek.mean();
        let pace = &mut self.model.queues[reader].policy.pace;
        let sectors = core::mem::take(&mut pace.sectors);
        let reads = core::mem::take(&mut pace.reads);
        let used = used - self.policy.rotation.idle();
        let wrote = core::mem::take(&mut pace.wrote);
        // A slot that was interrupted at once tells nothing, nor does one in which it wrote, too.
        if sectors == Sectors::NONE || wrote || used <= seek.times(SEEKS_TO_JUDGE) {
            return;
        }
        let is_large = sectors.count() >= LEAST_READ.count() * u64::from(reads);
        let tells = is_large && self.delivered_in(sectors) > seek.times(SEEKS_TO_LEARN);
        let pace = &mut self.model.queues[reader].policy.pace;
        if tells {
            let seen = SectorTime::of(used - seek, sectors);
            pace.sector = Some(pace.sector.map_or(seen, |usual| usual.more_by(128).min(seen)));
        }
        let Some(usual) = pace.sector else { return };
        if !self.model.queues[reader].policy.pattern.is_random() {
            self.policy.cache.sector = Some(usual);
        }
        let cache = &mut self.policy.cache;
        let written = core::mem::take(&mut cache.written);
        let moves = core::mem::take(&mut cache.moves);
        let random = self.model.queues[reader].policy.pattern.is_random();
        let writer = cache.writer.take().filter(|_| written > Span::ZERO && !random);
        let Some(writer) = writer else { return };
        let expected = usual.times(sectors).plus(seek.times(2));
        let excess = used - expected;
        if moves > Span::ZERO {
            self.policy.cache.learn_moves(excess, moves);
        }
        if excess > Span::ZERO {
            let excess = DeviceTime::of(excess);
            let [payer, writer] = [payer, writer].map(|queue| self.node_of(queue));
            self.policy.shares.charge(payer, -excess);
            self.policy.shares.charge(writer, excess);
        }
    }
}
