// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that reads return what was written (`verify`).
//!
//! Each block of a job with `verify` is filled when its request goes to the target, and checked
//! when it has been read: by a job that only reads, or by a process that reads back what it wrote.
//! A block has to be whole (see [`block`]), and if this run has written it, to be what was written
//! last. Of writes that were under way together any may be the last, and the target may have mixed
//! them up: they leave a block with a header, whose checksum does not count. A block that is
//! written while it is read is not checked, nor is one that was trimmed last, or whose last write
//! failed.

mod block;

pub use block::Fault;

use block::Origin;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use workload::Verify;

/// The most faults that are kept; all are counted.
const KEPT: usize = 10;

/// A block that was not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The job that read it.
    pub job: String,
    /// Where on the target it begins, bytes.
    pub offset_bytes: u64,
    /// How long it is, bytes.
    pub length_bytes: u32,
    /// What is wrong with it.
    pub fault: Fault,
}

/// The blocks that were not as they should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mismatches {
    /// The first of them.
    pub first: Vec<Mismatch>,
    /// How many there were in all.
    pub count: u64,
}

/// Where a part of a request lies, and in which blocks it is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerifiedPart {
    pub(crate) process: usize,
    pub(crate) verify: Verify,
    pub(crate) offset_bytes: u64,
    pub(crate) length_bytes: u64,
}

impl VerifiedPart {
    /// Where it ends, bytes.
    fn end_bytes(self) -> u64 {
        self.offset_bytes + self.length_bytes
    }

    /// The offset of each block on the target, and where it lies in the data of a request that
    /// begins at `start_bytes`.
    fn blocks(self, start_bytes: u64) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
        let interval_bytes = u64::from(self.verify.interval_bytes);
        debug_assert!(self.length_bytes.is_multiple_of(interval_bytes), "whole blocks: {self:?}");
        (0..self.length_bytes / interval_bytes).map(move |number| {
            let offset_bytes = self.offset_bytes + number * interval_bytes;
            let begin = (offset_bytes - start_bytes) as usize;
            (offset_bytes, begin..begin + interval_bytes as usize)
        })
    }
}

/// The last writes of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// The first and the last of the writes that may have been the last to arrive.
    first: u64,
    last: u64,
    under_way: u32,
    /// Trims of it that are under way.
    trims: u32,
    /// Nothing is known of its contents: it was trimmed, or a write of it failed.
    is_unknown: bool,
}

impl Last {
    /// Whether it is being written, or was after that number of writes.
    fn is_written_after(&self, write: u64) -> bool {
        self.under_way > 0 || self.last > write
    }

    /// Whether its last writes were under way together.
    fn may_be_mixed(&self) -> bool {
        self.first < self.last
    }
}

/// What was written, and what was found.
#[derive(Debug)]
pub(crate) struct Verifier {
    /// A number that no other run has, so that blocks of earlier runs are known as such.
    run: u64,
    /// The number of the last write.
    writes: u64,
    /// The longest block that any job checks, bytes.
    longest_bytes: u64,
    /// Blocks of any job begin at multiples of this, bytes.
    step_bytes: u64,
    /// Of each block that was written or trimmed, by its offset.
    last: BTreeMap<u64, Last>,
    /// How many writes had begun when the request with a tag did.
    begun_at: Vec<u64>,
    mismatches: Mismatches,
}

impl Verifier {
    /// For jobs that check blocks of these lengths in bytes, at least one.
    pub(crate) fn new(intervals_bytes: impl IntoIterator<Item = u32>) -> Verifier {
        let (longest, step) = intervals_bytes
            .into_iter()
            .fold((1, 0), |(longest, step), next| (longest.max(next), common_divisor(step, next)));
        Verifier {
            longest_bytes: u64::from(longest),
            step_bytes: u64::from(step.max(1)),
            run: RandomState::new().hash_one(()),
            writes: 0,
            last: BTreeMap::new(),
            begun_at: Vec::new(),
            mismatches: Mismatches::default(),
        }
    }

    /// A request goes to the target.
    pub(crate) fn begins(&mut self, tag: usize) {
        if tag >= self.begun_at.len() {
            self.begun_at.resize(tag + 1, 0);
        }
        self.begun_at[tag] = self.writes;
    }

    /// Fills the blocks of a part of a write whose data begin at `start_bytes`.
    pub(crate) fn fill(&mut self, part: VerifiedPart, start_bytes: u64, data: &mut [u8]) {
        for (offset_bytes, place) in part.blocks(start_bytes) {
            self.writes += 1;
            let last = self.last.entry(offset_bytes).or_default();
            if last.under_way == 0 {
                (last.first, last.is_unknown) = (self.writes, last.trims > 0);
            }
            last.last = self.writes;
            last.under_way += 1;
            let origin = Origin { run: self.run, write: self.writes };
            block::fill(&mut data[place], offset_bytes, origin);
        }
    }

    /// A write has ended. What a failed one has left is not known.
    pub(crate) fn wrote(&mut self, part: VerifiedPart, has_failed: bool) {
        for (offset_bytes, _) in part.blocks(part.offset_bytes) {
            let Some(last) = self.last.get_mut(&offset_bytes) else { continue };
            last.under_way = last.under_way.saturating_sub(1);
            last.is_unknown |= has_failed;
        }
    }

    /// A trim begins: of the blocks that it reaches into nothing is known any more.
    pub(crate) fn trim_begins(&mut self, part: VerifiedPart) {
        // Also of those that this run has not written.
        for offset_bytes in (part.offset_bytes..part.end_bytes()).step_by(self.step_bytes as usize)
        {
            self.last.entry(offset_bytes).or_default();
        }
        for last in self.reached_by(part) {
            last.is_unknown = true;
            last.trims += 1;
        }
    }

    /// A trim has ended, after writes that may have come between.
    pub(crate) fn trim_ends(&mut self, part: VerifiedPart) {
        for last in self.reached_by(part) {
            last.is_unknown = true;
            last.trims = last.trims.saturating_sub(1);
        }
    }

    /// The blocks, of whatever length, that a trim may reach into.
    fn reached_by(&mut self, part: VerifiedPart) -> impl Iterator<Item = &mut Last> {
        let first_bytes = (part.offset_bytes + 1).saturating_sub(self.longest_bytes);
        self.last.range_mut(first_bytes..part.end_bytes()).map(|(_, last)| last)
    }

    /// Checks the blocks of a part of a read whose data begin at `start_bytes`; whether all are as
    /// they should be.
    pub(crate) fn check(
        &mut self,
        (tag, part): (usize, VerifiedPart),
        job: &str,
        start_bytes: u64,
        data: &[u8],
    ) -> bool {
        let before = self.mismatches.count;
        for (offset_bytes, place) in part.blocks(start_bytes) {
            let last = self.last.get(&offset_bytes);
            let begun_at = self.begun_at[tag];
            if last.is_some_and(|last| last.is_unknown || last.is_written_after(begun_at)) {
                continue;
            }
            let is_last = |origin: &Origin| {
                last.is_none_or(|last| {
                    origin.run == self.run && (last.first..=last.last).contains(&origin.write)
                })
            };
            let fault = match block::check(&data[place], offset_bytes) {
                Ok(origin) if is_last(&origin) => continue,
                Ok(_) => Fault::Stale,
                Err(Fault::Checksum { .. }) if last.is_some_and(Last::may_be_mixed) => continue,
                Err(fault) => fault,
            };
            self.mismatches.count += 1;
            if self.mismatches.first.len() < KEPT {
                let (job, length_bytes) = (job.to_owned(), part.verify.interval_bytes);
                self.mismatches.first.push(Mismatch { job, offset_bytes, length_bytes, fault });
            }
        }
        self.mismatches.count == before
    }

    pub(crate) fn take_mismatches(&mut self) -> Mismatches {
        std::mem::take(&mut self.mismatches)
    }
}

/// The greatest common divisor; of 0 and another number, that one.
fn common_divisor(one: u32, other: u32) -> u32 {
    if one == 0 { other } else { common_divisor(other % one, one) }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
