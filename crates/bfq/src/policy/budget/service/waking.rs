// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who wakes the queue that a request has come for (spec 3.20)?

use super::waker::Evidence;
use crate::{
    model::{
        clock::Clock,
        ids::QueueId,
        queue::{Queue, Queues},
    },
    policy::budget::state::Budget,
    quirks::Quirk,
    store::list::List,
    units::{Span, Time},
};
use core::mem;

/// An arrival later than this after the completion has another cause.
const REACTION: Span = Span::from_ms(4);
/// The confirmations must come within this multiple of slice_idle.
const WINDOW_SLICES: u64 = 128;

impl Budget {
    /// A process without other requests sends one to `queue`: the queue that completed a request
    /// last, if that may have woken it.
    #[inline]
    pub(super) fn suspected_waker(
        &self,
        clock: &Clock,
        fallback: QueueId,
        queue: QueueId,
        state: &Queue<Budget>,
    ) -> Option<QueueId> {
        let last = self.last_completed.filter(|&last| last != queue)?;
        let excluded =
            !self.quirks.has(Quirk::FallbackWakes) && (queue == fallback || last == fallback);
        let is_suspect = !state.policy.short_think_time
            && !clock.now.is_at_least(REACTION, self.disk.last_completion)
            && !excluded;
        is_suspect.then_some(last)
    }
}

impl Queues<Budget> {
    /// An arrival for `queue` right after a completion of `last`, which is its waker once there was
    /// enough of that.
    pub(super) fn observe_waker(
        &mut self,
        now: Time,
        slice_idle: Span,
        queue: QueueId,
        last: QueueId,
    ) -> Evidence {
        debug_assert!(queue != last && self.contains(last), "{last:?} is gone, or wakes itself");
        let serial = self[last].serial;
        let detection = &mut self[queue].policy.waking.detection;
        let evidence = detection.observe(now, serial, slice_idle * WINDOW_SLICES);
        if evidence == Evidence::Confirmed {
            self.set_waker(queue, Some(last));
        }
        evidence
    }

    /// Makes `waker` the waker of `queue`; the one confirmed last is first among its woken.
    pub(crate) fn set_waker(&mut self, queue: QueueId, waker: Option<QueueId>) {
        if let Some(old) = self[queue].policy.waking.waker.take() {
            let mut woken = mem::replace(&mut self[old].policy.waking.woken, List::new());
            woken.remove(self, queue);
            self[old].policy.waking.woken = woken;
        }
        debug_assert_ne!(waker, Some(queue), "it wakes itself");
        if let Some(waker) = waker {
            let mut woken = mem::replace(&mut self[waker].policy.waking.woken, List::new());
            woken.push_front(self, queue);
            self[waker].policy.waking.woken = woken;
            self[queue].policy.waking.waker = Some(waker);
        }
    }

    /// A queue takes over the waker of another one that is merged into it, if it has none.
    pub(crate) fn inherit_waker(&mut self, queue: QueueId, target: QueueId) {
        debug_assert_ne!(queue, target, "a queue is merged into itself");
        if let Some(waker) = self[queue].policy.waking.waker
            && self[target].policy.waking.waker.is_none()
            && waker != target
        {
            self.set_waker(target, Some(waker));
            self[target].policy.waking.detection.clear();
        }
    }
}
