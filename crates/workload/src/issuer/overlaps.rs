// SPDX-License-Identifier: MIT OR Apache-2.0
//! I/Os that are held back until what they overlap has completed (`serialize_overlap`, `verify`).
//!
//! Of two writes of the same place that are in flight together, the target may mix the data. A job
//! with `verify` therefore holds back what would change a place that is being changed: else a block
//! could have a wrong checksum although nothing went wrong, and its last version would not be
//! known. As under fio, `serialize_overlap` holds back whatever overlaps, in a job that writes.

use super::places::Stretch;
use crate::io::Ticket;
use crate::job::{Direction, Job};

/// What of a process is in flight, and what is held back because of it.
#[derive(Debug)]
pub(super) struct Overlaps {
    /// Reads count as well.
    with_reads: bool,
    in_flight: Vec<(Ticket, Stretch)>,
    /// Drawn, and to be issued before anything else.
    held: Option<(Direction, Stretch)>,
}

impl Overlaps {
    /// None: the job holds nothing back.
    pub(super) fn new(job: &Job) -> Option<Overlaps> {
        let is_meant = job.serialize_overlap || job.verify.is_some();
        let is_possible = job.rw.writes() && job.queue_depth() > 1 && job.trace.is_none();
        (is_meant && is_possible).then(|| Overlaps {
            with_reads: job.serialize_overlap,
            in_flight: Vec::new(),
            held: None,
        })
    }

    /// Whether an I/O has to wait. It is then the one that is held.
    pub(super) fn holds_back(&mut self, direction: Direction, place: Stretch) -> bool {
        let must_wait = self.counts(direction)
            && self.in_flight.iter().any(|&(_, other)| overlap(place, other));
        self.held = must_wait.then_some((direction, place));
        must_wait
    }

    pub(super) fn has_held(&self) -> bool {
        self.held.is_some()
    }

    /// The I/O that was held back, to be tried again.
    pub(super) fn take_held(&mut self) -> Option<(Direction, Stretch)> {
        self.held.take()
    }

    pub(super) fn issued(&mut self, ticket: Ticket, direction: Direction, place: Stretch) {
        if self.counts(direction) {
            self.in_flight.push((ticket, place));
        }
    }

    pub(super) fn completed(&mut self, ticket: Ticket) {
        if let Some(index) = self.in_flight.iter().position(|&(other, _)| other == ticket) {
            self.in_flight.swap_remove(index);
        }
    }

    fn counts(&self, direction: Direction) -> bool {
        self.with_reads || direction != Direction::Read
    }
}

fn overlap((one_bytes, one_length): Stretch, (other_bytes, other_length): Stretch) -> bool {
    one_bytes < other_bytes + u64::from(other_length)
        && other_bytes < one_bytes + u64::from(one_length)
}
