// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of a disk, by estimate: how long the disk still has to write, and who is to pay.

use super::{filling::Filling, sector_time::SectorTime};
use crate::{
    model::ids::QueueId,
    units::{Sectors, Span, Time},
};

/// Fractional bits of parts and factors.
const BITS: u32 = 8;
/// How much longer than by estimate the moves for writes may take; with [`BITS`].
const FACTORS: core::ops::RangeInclusive<u64> = 8..=3 << BITS;
/// A smaller part of the time of these moves is no excess; with [`BITS`].
const NOTICED: u64 = 1 << (BITS - 5);

/// What is in the cache, by estimate.
#[derive(Debug)]
pub(super) struct Cache {
    /// The disk needs so long for it, from then on, if it does nothing else.
    pub left: Span,
    pub at: Time,
    /// Who wrote last, how long all writes since the last reader take, and the moves for them.
    pub writer: Option<QueueId>,
    pub written: Span,
    pub moves: Span,
    /// What a sector takes on the platters: as the sequential readers find it.
    pub sector: Option<SectorTime>,
    /// And as a writer does, where no reader has shown it.
    pub filling: Filling,
    /// How much longer than by estimate the moves take; with [`BITS`].
    factor: u64,
    /// Writers leave little in it until then.
    pub small_until: Option<Time>,
    /// When more was found to be in it than was thought.
    pub found_more: Option<Time>,
}

/// What is known of a queue as a writer and as a reader.
#[derive(Debug)]
pub(super) struct Pace {
    /// Whether the last of its requests that went to the disk was a write.
    pub writes: bool,
    /// Whether it has written since its last slot ended.
    pub wrote: bool,
    /// What a sector read takes; the least seen.
    pub sector: Option<SectorTime>,
    /// Sectors read in its slot, and the number of reads.
    pub sectors: Sectors,
    pub reads: u32,
}

impl Cache {
    pub const fn new(now: Time) -> Self {
        Cache {
            left: Span::ZERO,
            at: now,
            writer: None,
            written: Span::ZERO,
            moves: Span::ZERO,
            sector: None,
            filling: Filling::new(),
            factor: 1 << BITS,
            small_until: None,
            found_more: None,
        }
    }

    /// How long the disk still needs.
    pub fn left(&self, now: Time) -> Span {
        self.left - now.since(self.at)
    }

    /// How much of the time since `then` the disk needed for what is in the cache: that has been
    /// charged to those who wrote it.
    pub fn covers(&self, then: Time, now: Time) -> Span {
        let ends = self.at + self.left;
        let from = if then > self.at { then } else { self.at };
        let to = if ends < now { ends } else { now };
        to.since(from)
    }

    /// What a move for a write takes whose estimate is this: as much longer as others took.
    pub fn corrected(&self, estimate: Span) -> Span {
        Span::from_ns((estimate * self.factor).as_ns() >> BITS)
    }

    /// A reader took longer than usual, by `excess`, after writes for which the moves were taken to
    /// last that long; or it did not.
    pub fn learn_moves(&mut self, excess: Span, moves: Span) {
        debug_assert!(FACTORS.contains(&self.factor), "{}", self.factor);
        let part = ((excess.as_ns() << BITS) / moves.as_ns().max(1)).min(1 << BITS);
        let factor = self.factor;
        let learnt = if part > NOTICED { factor + part / 4 } else { factor - factor / 32 };
        self.factor = learnt.clamp(*FACTORS.start(), *FACTORS.end());
    }

    /// A queue is gone.
    pub fn forget(&mut self, queue: QueueId) {
        self.writer.take_if(|writer| *writer == queue);
    }
}

impl Pace {
    pub const fn new() -> Self {
        Pace { writes: false, wrote: false, sector: None, sectors: Sectors::NONE, reads: 0 }
    }
}
