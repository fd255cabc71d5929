// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a process has done enough: `size`, `io_size`, `number_ios`, `loops`, `time_based`.
//!
//! As under fio:
//!
//! * All ends when `loops` times `io_size` bytes (or else the region's size), or `loops` times
//!   `number_ios` I/Os, have been issued.
//! * Until then the region is gone through `loops` times; and with `io_size` again and again, until
//!   the bytes issued come within a block of it. A sequential mix has gone through it when one of
//!   its directions has.
//! * With an `io_size` in bytes, runs behind random offsets (`rw=randread:8`) never go through the
//!   region: only the bytes count.
//! * Without a map of the blocks (`norandommap`), what is left over between files of a `size` in
//!   bytes counts.
//! * An `io_size` in percent is of the job's `size`, before that is divided among files, and the
//!   region is not gone through again for what is left of it.
//! * `io_size` and `number_ios` are counted anew when the ramp time is over; the region's size is
//!   not.
//! * With `time_based` only the runtime ends a process.

use crate::job::{Extent, Job, OffsetModifier};

/// The work left to one process.
#[derive(Debug)]
pub(super) struct Limits {
    /// `io_size`, or the region's size.
    bytes: u64,
    /// Bytes that all loops together may issue.
    total_bytes: u64,
    /// I/Os that all loops together may issue, `number_ios` for each of them.
    total_ios: u64,
    has_io_size: bool,
    /// `io_size` is a number of bytes: the region is gone through as often as that takes.
    repeats_region: bool,
    /// I/Os follow random offsets in runs.
    has_runs: bool,
    endless: bool,
    loops_left: u64,
    max_block_bytes: u64,
    issued_bytes: u64,
    issued_ios: u64,
}

impl Limits {
    pub(super) fn new(job: &Job, length_bytes: u64) -> Limits {
        let whole_bytes = match job.size {
            // Blocks that are left over between files are part of it.
            Some(Extent::Bytes(size)) if job.files() > 1 => size,
            _ => length_bytes,
        };
        let io_size = job.io_size.map(|extent| extent.of(whole_bytes)).filter(|&size| size > 0);
        // Where blocks may come again, what is left over between files is no less to be done.
        let repeats = job.rw.is_random() && !job.keeps_map();
        let bytes = io_size.unwrap_or(if repeats { whole_bytes } else { length_bytes });
        // What is trimmed is written as well, and both count.
        let bytes = bytes.saturating_mul(if job.rw.trims_first() { 2 } else { 1 });
        Limits {
            bytes,
            total_bytes: bytes.saturating_mul(job.loops.max(1)),
            total_ios: job.number_ios.unwrap_or(u64::MAX).saturating_mul(job.loops.max(1)),
            has_io_size: io_size.is_some(),
            repeats_region: io_size.is_some() && matches!(job.io_size, Some(Extent::Bytes(_))),
            has_runs: job.rw.is_random() && job.offset_modifier != OffsetModifier::None,
            endless: job.runs_for_runtime(),
            loops_left: job.loops.max(1),
            max_block_bytes: u64::from(job.max_block_bytes()),
            issued_bytes: 0,
            issued_ios: 0,
        }
    }

    /// A replayed log: its own end is the end, but for `number_ios`.
    pub(super) fn of_trace(job: &Job) -> Limits {
        let mut limits = Limits::new(job, 0);
        limits.total_bytes = u64::MAX;
        limits.total_ios = job.number_ios.unwrap_or(u64::MAX);
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
        if self.has_io_size {
            self.issued_bytes = 0;
        }
    }

    /// Does only the runtime end it?
    pub(super) fn are_endless(&self) -> bool {
        self.endless
    }

    /// Has enough been issued?
    pub(super) fn are_reached(&self) -> bool {
        !self.endless
            && (self.issued_bytes >= self.total_bytes || self.issued_ios >= self.total_ios)
    }

    /// The region has been gone through. Is that the end?
    pub(super) fn end_with_region(&mut self) -> bool {
        if self.endless || (self.has_runs && self.repeats_region) {
            return false;
        }
        if self.loops_left > 1 {
            self.loops_left -= 1;
            return false;
        }
        let left_bytes = self.bytes.saturating_sub(self.issued_bytes);
        !self.repeats_region || left_bytes < self.max_block_bytes
    }
}
