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
/// If the disk did not read ahead, there is so much more in its cache than by estimate; once in
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

    /// The disk did not read ahead: more may be in its cache than by estimate.
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

    /// Until when writers are to write nothing, if they leave little in it and there is more.
    fn is_emptied_until(&self, now: Time) -> Option<Time> {
        let is_kept_small = self.small_until.is_some_and(|until| now < until);
        let left = self.left(now).min(LONGEST);
        (is_kept_small && !self.has_little(now)).then(|| now + (left - LITTLE / 2))
    }
}

impl<O: Observer> Scheduler<O> {
    /// Keeps a request of the holder's slot back if it is a write, and the cache is kept small and
    /// has more than a little. Returns whether it does.
    pub(super) fn keeps_back(&mut self, holder: QueueId, next: QueueId) -> bool {
        let now = self.clock.now;
        let Some(until) = self.policy.cache.is_emptied_until(now) else { return false };
        if self.is_next_a_read(next) {
            return false;
        }
        // How fast such a writer writes does not tell how fast the disk is.
        self.policy.cache.filling.interrupt();
        // While requests are in the device, the end of one decides.
        let until = (self.model.load.in_flight == 0).then_some(until);
        if until.is_some() {
            self.hold_for(holder, until);
        }
        self.withhold(holder, WithholdRule::WriteCache, until);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::QueueId;

    /// A cache with so much to write at the start of time.
    fn with(left: Span) -> Cache {
        let mut cache = Cache::new(Time::ZERO);
        (cache.left, cache.writer) = (left, Some(QueueId::from_index(0)));
        cache
    }

    #[test]
    fn writers_wait_while_the_cache_is_kept_small_and_has_more_than_a_little() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        // Milliseconds to write, when, and until when writers wait.
        for (left_ms, now_ms, until_ms) in [
            (20, 0, None),
            (100, 0, Some(87)),
            (100, 80, None),
            // No longer than for the cache before a reader is served. Found by seed 100162.
            (5_000, 0, Some(387)),
            (5_000, 999, Some(1_386)),
            // The visitor was there a second ago.
            (5_000, 1_000, None),
        ] {
            let mut cache = with(Span::from_ms(left_ms));
            assert_eq!(cache.is_emptied_until(at(now_ms)), None, "nobody reads ahead");
            cache.keep_small(Time::ZERO);
            let until = cache.is_emptied_until(at(now_ms));
            let until = until.map(|until| until.as_ns() / 1_000_000);
            assert_eq!(until, until_ms, "{left_ms} ms, after {now_ms} ms");
            cache.give_up_small();
            assert_eq!(cache.is_emptied_until(at(now_ms)), None, "it is of no use");
        }
    }

    #[test]
    fn more_is_found_in_the_cache_once_in_a_second() {
        let mut cache = with(Span::ZERO);
        for (now_ms, left_ms) in [(0, 300), (100, 200), (999, 0), (1_000, 300)] {
            let now = Time::ZERO + Span::from_ms(now_ms);
            cache.find_more(now);
            assert_eq!(cache.left(now), Span::from_ms(left_ms), "after {now_ms} ms");
        }
        let mut clean = Cache::new(Time::ZERO);
        clean.find_more(Time::ZERO);
        assert_eq!(clean.left(Time::ZERO), Span::ZERO, "nobody wrote");
    }
}
