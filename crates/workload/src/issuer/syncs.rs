// SPDX-License-Identifier: MIT OR Apache-2.0
//! The syncs among the writes: `fsync`, `fdatasync`, `end_fsync`.
//!
//! A sync comes before the I/O that follows the n-th write, and that I/O waits for it; so there is
//! none after the last write unless `end_fsync` asks for it. The sync does not wait for the writes
//! in flight, as under fio with libaio: the device makes durable what was complete before, and the
//! queue stays as deep as it was.

use crate::io::{IoKind, Ticket};
use crate::job::Job;
use std::num::NonZeroU64;

/// The syncs between the writes.
#[derive(Debug)]
pub(super) struct Syncs {
    fsync_every: Option<NonZeroU64>,
    fdatasync_every: Option<NonZeroU64>,
    at_end: bool,
    /// There is one at the end of each pass, too, unless the job ends by its runtime.
    at_end_of_pass: bool,
    /// Up to this pass they have been issued.
    synced_pass: u64,
    writes: u64,
    /// A write was issued since the last sync was due.
    is_owed: bool,
    /// The sync that must complete before anything else is issued.
    pub(super) in_flight: Option<Ticket>,
}

impl Syncs {
    pub(super) fn new(job: &Job) -> Syncs {
        // A replayed log has its own.
        let is_own = job.trace.is_none();
        Syncs {
            fsync_every: job.fsync_every_writes.filter(|_| is_own),
            fdatasync_every: job.fdatasync_every_writes.filter(|_| is_own),
            at_end: is_own && job.end_fsync,
            at_end_of_pass: is_own && job.end_fsync && !job.runs_for_runtime(),
            synced_pass: 0,
            writes: 0,
            is_owed: false,
            in_flight: None,
        }
    }

    pub(super) fn wrote(&mut self) {
        self.writes += 1;
        self.is_owed = true;
    }

    /// The sync that comes before the next I/O, if one does.
    #[inline(always)]
    pub(super) fn due(&mut self) -> Option<IoKind> {
        let divides = |every: Option<NonZeroU64>| {
            every.is_some_and(|every| self.writes.is_multiple_of(every.get()))
        };
        if !self.is_owed {
            return None;
        }
        let due = match (divides(self.fsync_every), divides(self.fdatasync_every)) {
            (true, _) => Some(IoKind::Fsync),
            (false, true) => Some(IoKind::Fdatasync),
            (false, false) => None,
        };
        self.is_owed = false;
        due
    }

    /// Whether a sync is to come before what is issued in that pass over the region. As under fio
    /// it waits for what is in flight.
    pub(super) fn comes_before(&self, pass: u64) -> bool {
        self.at_end_of_pass && self.writes > 0 && pass > self.synced_pass
    }

    /// That sync is issued.
    pub(super) fn issued_before(&mut self, pass: u64) {
        self.synced_pass = pass;
    }

    pub(super) fn take_last(&mut self) -> bool {
        std::mem::take(&mut self.at_end) && self.writes > 0
    }
}
