// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of a disk, by estimate: how long the disk still has to write, and who is to pay.

use crate::{
    model::ids::QueueId,
    units::{Sectors, Span, Time},
};

/// Fractional bits of parts, and of what a sector takes.
pub(super) const BITS: u32 = 8;
/// What that may be.
const FACTORS: core::ops::RangeInclusive<u64> = 8..=3 << BITS;
/// A smaller part of the time of the writes is no excess; with [`BITS`].
const NOTICED: u64 = 1 << (BITS - 5);

/// What is in the cache, by estimate.
#[derive(Debug)]
pub(super) struct Cache {
    /// The disk needs so long for it, from then on, if it does nothing else.
    pub left_ns: u64,
    pub at: Time,
    /// Who wrote last, and how long all writes since the last reader take.
    pub writer: Option<QueueId>,
    pub written_ns: u64,
    /// What a sector takes on the platters: as the sequential readers find it; with [`BITS`].
    pub sector_ns: Option<u64>,
    /// How much longer than by estimate the writes take; with [`BITS`].
    pub factor: u64,
}

/// What is known of a queue as a writer and as a reader.
#[derive(Debug)]
pub(super) struct Pace {
    /// What a sector read takes; the least seen, with [`BITS`].
    pub sector_ns: Option<u64>,
    /// Sectors read in its slot.
    pub sectors: Sectors,
}

impl Cache {
    pub const fn new(now: Time) -> Self {
        Cache {
            left_ns: 0,
            at: now,
            writer: None,
            written_ns: 0,
            sector_ns: None,
            factor: 1 << BITS,
        }
    }

    /// How long the disk still needs.
    pub fn left_ns(&self, now: Time) -> u64 {
        self.left_ns.saturating_sub(now.since(self.at).as_ns())
    }

    /// How much of the time since `then` the disk needed for what is in the cache: that has been
    /// charged to those who wrote it.
    pub fn covers_ns(&self, then: Time, now: Time) -> u64 {
        let ends = self.at + Span::from_ns(self.left_ns);
        let from = if then > self.at { then } else { self.at };
        let to = if ends < now { ends } else { now };
        to.since(from).as_ns()
    }

    /// A reader took longer than usual, by `excess_ns`, after writes that were taken to last
    /// `written_ns`; or it did not.
    pub fn learn_moves(&mut self, excess_ns: u64, written_ns: u64) {
        let part = ((excess_ns << BITS) / written_ns.max(1)).min(1 << BITS);
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
        Pace { sector_ns: None, sectors: Sectors::NONE }
    }
}
