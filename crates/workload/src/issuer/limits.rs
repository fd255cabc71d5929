//! When a process has done enough: `size`, `io_size`, `number_ios`, `loops`, `time_based`.
//!
//! Work comes in loops. One loop ends when `io_size` bytes (or else the region's size) have been
//! issued, when `number_ios` I/Os have, or, without `io_size`, when the region has been gone
//! through once. A process goes on in the next loop where it stopped in the last. As under fio,
//! `io_size` and `number_ios` are counted anew when the ramp time is over, and the region's size is
//! not. With `time_based` only the runtime ends a process.

use crate::job::Job;

/// Where a loop finds the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopStart {
    /// All of it lies ahead.
    OfRegion,
    /// The loop before left some of it over.
    WithinRegion,
}

/// The work left to one process.
#[derive(Debug)]
pub(super) struct Limits {
    /// Per loop.
    limit_bytes: u64,
    /// Per loop.
    limit_ios: u64,
    /// `io_size` was given: the end of the region is no end.
    wraps: bool,
    endless: bool,
    loops_left: u64,
    start: LoopStart,
    issued_bytes: u64,
    issued_ios: u64,
}

impl Limits {
    pub(super) fn new(job: &Job, length_bytes: u64) -> Limits {
        let io_size = job.io_size.map(|extent| extent.of(length_bytes)).filter(|&size| size > 0);
        Limits {
            limit_bytes: io_size.unwrap_or(length_bytes),
            limit_ios: job.number_ios.unwrap_or(u64::MAX),
            wraps: io_size.is_some(),
            endless: job.runs_for_runtime(),
            loops_left: job.loops.max(1),
            start: LoopStart::OfRegion,
            issued_bytes: 0,
            issued_ios: 0,
        }
    }

    /// A replayed log: its own end is the end, but for `number_ios`.
    pub(super) fn of_trace(job: &Job) -> Limits {
        let mut limits = Limits::new(job, 0);
        limits.limit_bytes = u64::MAX;
        limits.endless = false;
        limits.loops_left = 1;
        limits
    }

    pub(super) fn issued(&mut self, bytes: u32) {
        self.issued_bytes += u64::from(bytes);
        self.issued_ios += 1;
    }

    /// The ramp time is over.
    pub(super) fn ramp_is_over(&mut self) {
        self.issued_ios = 0;
        if self.wraps {
            self.issued_bytes = 0;
        }
    }

    pub(super) fn loop_is_done(&self) -> bool {
        !self.endless
            && (self.issued_bytes >= self.limit_bytes || self.issued_ios >= self.limit_ios)
    }

    /// Does the loop end when the region has been gone through? Not if it did not begin with it.
    pub(super) fn ends_with_region(&self) -> bool {
        !self.endless && !self.wraps && self.start == LoopStart::OfRegion
    }

    /// Does the loop end because the next block is more than what is left to do?
    pub(super) fn ends_before(&self, block_bytes: u32) -> bool {
        let left_bytes = self.limit_bytes.saturating_sub(self.issued_bytes);
        !self.endless && !self.wraps && left_bytes < u64::from(block_bytes)
    }

    /// The region is gone through once more, in the same loop or the next.
    pub(super) fn region_begins_again(&mut self) {
        self.start = LoopStart::OfRegion;
    }

    /// Ends a loop; false if it was the last.
    pub(super) fn next_loop(&mut self, start: LoopStart) -> bool {
        self.issued_bytes = 0;
        self.issued_ios = 0;
        self.start = start;
        self.loops_left -= 1;
        self.loops_left > 0
    }
}
