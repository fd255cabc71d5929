// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who wakes the queue that a request has come for (spec 3.20)?

use super::waker::Evidence;
use crate::{
    model::{
        ids::QueueId,
        queue::{Queue, Queues},
    },
    policy::budget::state::{Budget, Scheduler},
    quirks::Quirk,
    store::list::List,
    units::Span,
    why::{Decision, Observer},
};
use core::mem;

/// An arrival later than this after the completion has another cause.
const REACTION: Span = Span::from_ms(4);
/// The confirmations must come within this multiple of slice_idle.
const WINDOW_SLICES: u64 = 128;

impl<O: Observer> Scheduler<O> {
    /// A process without other requests sends one to `queue`: the queue that completed a request
    /// last, if that may have woken it.
    #[inline]
    pub(super) fn suspected_waker(&self, queue: QueueId, state: &Queue<Budget>) -> Option<QueueId> {
        let last = self.policy.last_completed.filter(|&last| last != queue)?;
        let excluded = !self.policy.quirks.has(Quirk::FallbackWakes)
            && (queue == self.model.fallback || last == self.model.fallback);
        let is_suspect = !state.policy.short_think_time
            && !self.clock.now.is_at_least(REACTION, self.policy.disk.last_completion)
            && !excluded;
        is_suspect.then_some(last)
    }

    /// An arrival for `queue` right after a completion of `last`.
    #[inline(never)]
    pub(super) fn observe_waker(&mut self, queue: QueueId, last: QueueId) {
        let window = self.tunables.slice_idle * WINDOW_SLICES;
        let serial = self.model.queues[last].serial;
        let now = self.clock.now;
        match self.model.queues[queue].policy.waking.detection.observe(now, serial, window) {
            Evidence::Tentative => self.tell(|_| Decision::TentativeWaker { queue, waker: last }),
            Evidence::Again => {}
            Evidence::Confirmed => {
                self.model.queues.set_waker(queue, Some(last));
                self.tell(|_| Decision::WakerFound { queue, waker: last });
            }
        }
    }
}

impl Queues<Budget> {
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
        if let Some(waker) = self[queue].policy.waking.waker
            && self[target].policy.waking.waker.is_none()
            && waker != target
        {
            self.set_waker(target, Some(waker));
            self[target].policy.waking.detection.clear();
        }
    }
}
