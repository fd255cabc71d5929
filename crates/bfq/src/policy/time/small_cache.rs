// SPDX-License-Identifier: MIT OR Apache-2.0
//! While a visitor reads in sequence, writers leave little in the cache of a disk with moving
//! parts. A disk with a full cache goes to empty it after each read, instead of reading ahead; so
//! each frame of a film would take the head there and back.

use super::{cache::Cache, destaging::LONGEST, state::Scheduler};
use crate::{
    model::ids::QueueId,
    units::{Span, Time},
    why::{Observer, WithholdRule},
};

/// What the disk writes in so long is little: a tenth of a cache of 64 MiB.
const LITTLE: Span = Span::from_ms(25);
/// A visitor is expected to come again for so long.
const KEPT_SMALL: Span = Span::from_s(1);
/// If the disk did not read ahead, there is so much more in its cache than was thought; once in
/// [`KEPT_SMALL`], for there may be another reason.
const UNSEEN: Span = Span::from_ms(300);

impl Cache {
    /// Whether there is little in it, so that the disk would read ahead.
    pub fn has_little(&self, now: Time) -> bool {
        self.left(now) <= LITTLE
    }

    /// A visitor that reads in sequence had the disk.
    pub fn keep_small(&mut self, now: Time) {
        self.small_until = Some(now + KEPT_SMALL);
    }

    /// The disk did not read ahead: if it is for what is in the cache, that is more than was
    /// thought.
    pub fn find_more(&mut self, now: Time) {
        let is_due = self.found_more.is_none_or(|found| now.since(found) >= KEPT_SMALL);
        if is_due && self.writer.is_some() {
            self.found_more = Some(now);
            (self.left, self.at) = (self.left(now).plus(UNSEEN), now);
        }
    }

    /// Reading ahead is of no use for now.
    pub fn give_up_small(&mut self) {
        self.small_until = None;
    }
}

impl<O: Observer> Scheduler<O> {
    /// Keeps a request of the holder's slot back if it is a write, and the cache is kept small and
    /// has more than a little. Returns whether it does.
    pub(super) fn keeps_back(&mut self, holder: QueueId, next: QueueId) -> bool {
        let now = self.clock.now;
        let is_kept_small = self.policy.cache.small_until.is_some_and(|until| now < until);
        if !is_kept_small || self.policy.cache.has_little(now) || self.is_next_a_read(next) {
            return false;
        }
        // How fast such a writer writes does not tell how fast the disk is.
        self.policy.cache.filling.interrupt();
        // While requests are in the device, the end of one decides.
        let left = self.policy.cache.left(now).min(LONGEST);
        let until = (self.model.load.in_flight == 0).then(|| now + (left - LITTLE / 2));
        if until.is_some() {
            self.hold_for(holder, until);
        }
        self.withhold(holder, WithholdRule::WriteCache, until);
        true
    }
}
