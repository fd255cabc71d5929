// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches of one direction: which direction begins one, and with which request (peers.md §3.4,
//! step 4; its letters).

use blk::Tag;

use super::direction::Direction;
use super::queue::{Slots, SweepQueue};

/// The present batch, and what was counted of all of them.
#[derive(Debug)]
pub(crate) struct Batches {
    direction: Direction,
    /// Requests dispatched of it.
    length: i64,
    /// Batches of reads begun while writes waited, since the last one of writes.
    starved: i64,
    pub counters: Counters,
}

/// Events since the scheduler was attached; each field counts one kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    pub batches: u64,
    pub batches_expired: u64,
    pub batches_wrapped: u64,
    pub writes_after_starving: u64,
}

impl Default for Batches {
    /// A batch of writes that nothing was dispatched of.
    fn default() -> Batches {
        let direction = Direction::Write;
        Batches { direction, length: 0, starved: 0, counters: Counters::default() }
    }
}

impl Batches {
    /// Step a: the direction of the present batch, if that may go on.
    pub fn continuing(&self, fifo_batch: i64) -> Option<Direction> {
        (self.length < fifo_batch).then_some(self.direction)
    }

    /// Step b: begins a batch, of reads unless they have passed over waiting writes so often.
    pub fn begin(&mut self, reads: bool, writes: bool, writes_starved: i64) -> Option<Direction> {
        let direction = if reads && writes {
            let starved = self.starved >= writes_starved;
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
        self.direction = direction;
        self.length = 0;
        self.counters.batches += 1;
        Some(direction)
    }

    /// Step c: the first request of the batch. The oldest one of its queue if that is late, else
    /// `next`, with which the sweep would go on, if there is one.
    pub fn first(
        &mut self,
        queue: &SweepQueue,
        slots: &Slots,
        next: Option<Tag>,
        now_ns: i64,
    ) -> Option<Tag> {
        let oldest = queue.oldest()?;
        if slots[oldest].deadline_ns <= now_ns {
            self.counters.batches_expired += 1;
            Some(oldest)
        } else if next.is_none() {
            self.counters.batches_wrapped += 1;
            Some(oldest)
        } else {
            next
        }
    }

    /// A request of the batch was dispatched.
    pub fn dispatched(&mut self) {
        self.length += 1;
    }
}
