// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes that a disk has acknowledged and still has to carry out: its cache is emptied in the time
//! of the writers, not of the reader that comes next.
//!
//! How long that takes is not to be seen, only guessed: from the sizes of the writes, and from how
//! often the head moves for them. Writers are charged that at once, and the disk is kept free for
//! so long before a reader is served. When a sequential reader then takes longer than usual, the
//! writes were not done: the excess is charged to the writer, and a move is taken to last longer.

use super::{cache::BITS, state::Scheduler};
use crate::{
    model::{ids::QueueId, ids::RequestId, request::Operation},
    units::Span,
    why::{LoanEnd, Observer},
};

/// A disk is kept free for its cache at most so long at a time.
const LONGEST_NS: u64 = 400_000_000;
/// A move of the head for a write takes this part of a seek: the disk chooses the order.
const SEEK_OVER_MOVE: u64 = 4;
/// What reads take is told by slots that are longer than so many seeks.
const SEEKS_TO_JUDGE: u64 = 2;
/// What is left after that, or less, is none.
const LEAST_NS: u64 = 1_000_000;

impl<O: Observer> Scheduler<O> {
    /// A request went to the device, for which the head moves or does not.
    pub(super) fn note_cached(&mut self, queue: QueueId, id: RequestId, moves: bool) {
        let what = self.model.requests[id].what();
        let now = self.clock.now;
        let pace = &mut self.model.queues[queue].policy.pace;
        if what.operation != Operation::Write {
            pace.sectors += what.sectors;
            return;
        }
        let cache = &self.policy.cache;
        let at_rate = cache.sector_ns.map(|ns| what.sectors.count().saturating_mul(ns) >> BITS);
        let at_rate = at_rate.unwrap_or_else(|| self.policy.learnt.at_full_rate_ns(what.sectors));
        let cost_ns =
            at_rate + if moves { self.policy.rotation.seek_ns / SEEK_OVER_MOVE } else { 0 };
        let cost_ns = cost_ns.saturating_mul(cache.factor) >> BITS;
        let node = self.node_of(queue);
        self.policy.shares.charge(node, cost_ns as i64);
        // What is only guessed cannot be lent.
        self.end_loan(queue, LoanEnd::Write);
        if self.policy.rotation.is_holder(queue) {
            self.policy.rotation.use_slot(cost_ns);
        }
        let cache = &mut self.policy.cache;
        cache.left_ns = cache.left_ns(now).saturating_add(cost_ns);
        (cache.at, cache.writer) = (now, Some(queue));
        cache.written_ns = cache.written_ns.saturating_add(cost_ns);
    }

    /// Whether the disk is to be kept free for its cache before a queue is served: then it is, at
    /// the expense of the last writer, which is returned.
    pub(super) fn awaits_cache(&mut self, next: QueueId) -> Option<QueueId> {
        let now = self.clock.now;
        let left_ns = self.policy.cache.left_ns(now);
        let writer = self.policy.cache.writer?;
        if left_ns <= LEAST_NS {
            self.policy.hold.take_if(|hold| hold.queue == writer);
            return None;
        }
        let waiting = self.model.queues[next].waiting.next;
        let reads = waiting.is_some_and(|id| self.model.requests[id].operation != Operation::Write);
        if !reads || writer == next {
            return None;
        }
        // What takes longer than that is left for the reader to suffer, which tells.
        let left_ns = left_ns.min(LONGEST_NS);
        (self.policy.cache.left_ns, self.policy.cache.at) = (left_ns, now);
        if self.model.load.in_flight == 0 {
            self.hold_for(writer, Some(now + Span::from_ns(left_ns)));
        }
        Some(writer)
    }

    /// The slot of a queue that read is over, in which it was charged `used_ns`: compares what its
    /// reads took with what they usually take.
    pub(super) fn judge_reader(&mut self, reader: QueueId, used_ns: u64) {
        let seek_ns = self.policy.rotation.seek_ns;
        let pace = &mut self.model.queues[reader].policy.pace;
        let sectors = core::mem::take(&mut pace.sectors).count();
        // A slot that was interrupted at once tells nothing.
        if sectors == 0 || used_ns <= SEEKS_TO_JUDGE * seek_ns {
            return;
        }
        let seen = (used_ns.saturating_sub(seek_ns) << BITS) / sectors;
        let usual = pace.sector_ns.map_or(seen, |usual| usual + usual / 128);
        let usual = usual.min(seen);
        pace.sector_ns = Some(usual);
        if !self.model.queues[reader].policy.pattern.is_random() {
            self.policy.cache.sector_ns = Some(usual);
        }
        let cache = &mut self.policy.cache;
        let written_ns = core::mem::take(&mut cache.written_ns);
        let random = self.model.queues[reader].policy.pattern.is_random();
        let writer = cache.writer.take().filter(|_| written_ns > 0 && !random);
        let Some(writer) = writer else { return };
        let expected_ns = (usual.saturating_mul(sectors) >> BITS) + 2 * seek_ns;
        let excess_ns = used_ns.saturating_sub(expected_ns);
        self.policy.cache.learn_moves(excess_ns, written_ns);
        if excess_ns > 0 {
            let [reader, writer] = [reader, writer].map(|queue| self.node_of(queue));
            self.policy.shares.charge(reader, -(excess_ns as i64));
            self.policy.shares.charge(writer, excess_ns as i64);
        }
    }
}
