// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of queue creations: an application that starts many processes at once wants throughput,
//! not a raise for each (spec 4.7).

use crate::{
    model::{
        ids::{GroupId, QueueId},
        queue::Queues,
    },
    policy::budget::{
        counters::Counter,
        merge::saved::SavedState,
        state::{Budget, Burst, Creation, Scheduler},
    },
    units::{Span, Time},
    why::{Decision, Observer},
};

/// The number of queues that makes it a large one.
const LARGE: u32 = 8;

impl<O: Observer> Scheduler<O> {
    /// A queue that was just created gets a request: is it part of a burst (spec 4.7)?
    pub(crate) fn handle_burst(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        if self.policy.burst.lists(&self.model.queues, queue)
            || state.policy.burst.in_large_burst
            || !self.clock.tick.is_more_than(
                self.policy.durations.latency.burst_after_split,
                state.policy.merge.split_at,
            )
        {
            return;
        }
        debug_assert!(state.policy.burst.just_created, "{queue:?} is not new");
        let (tick, window) = (self.clock.tick, self.policy.durations.latency.burst_window);
        let any_busy = self.policy.competition.busy.total() > 0;
        let (now, observer) = (self.clock.now, &mut self.observer);
        let counters = &mut self.policy.counters;
        self.policy.burst.on_creation(
            &mut self.model.queues,
            queue,
            tick,
            window,
            any_busy,
            |queue| {
                counters.count(Counter::LargeBurstQueues);
                if observer.is_watching() {
                    observer.decided(now, &Decision::InLargeBurst { queue });
                }
            },
        );
    }
}

impl Burst {
    /// Number of creations counted.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Whether a queue is in the list of a burst that is not large (yet).
    pub fn lists(&self, queues: &Queues<Budget>, queue: QueueId) -> bool {
        queues[queue].policy.burst.is_listed()
    }

    /// Looks at a queue that was just created. `window` is 180 ms in ticks. Calls `mark`
    /// for each queue found to belong to a large burst.
    pub fn on_creation(
        &mut self,
        queues: &mut Queues<Budget>,
        queue: QueueId,
        now: Time,
        window: Span,
        any_busy: bool,
        mut mark: impl FnMut(QueueId),
    ) {
        debug_assert!(!queues[queue].policy.burst.is_listed(), "{queue:?} is counted already");
        debug_assert!(self.large || self.size < LARGE, "{} are a large burst", self.size);
        let group = queues[queue].group;
        let last = self.last.replace(Creation { group, at: now });
        let goes_on =
            last.is_some_and(|last| last.group == group && !now.is_more_than(window, last.at));
        if !goes_on {
            self.restart(queues, queue, any_busy);
        } else if self.large {
            queues[queue].policy.burst.in_large_burst = true;
            mark(queue);
        } else {
            self.size += 1;
            if self.size == LARGE {
                self.large = true;
                while let Some(listed) = self.list.pop_front(queues) {
                    queues[listed].policy.burst.in_large_burst = true;
                    mark(listed);
                }
                queues[queue].policy.burst.in_large_burst = true;
                mark(queue);
            } else {
                self.list.push_front(queues, queue);
            }
        }
    }

    fn restart(&mut self, queues: &mut Queues<Budget>, queue: QueueId, any_busy: bool) {
        self.large = false;
        while self.list.pop_front(queues).is_some() {}
        self.size = 0;
        if !any_busy {
            self.list.push_front(queues, queue);
            self.size = 1;
        }
    }

    /// Puts a queue in the list (again) without counting it.
    fn relist(&mut self, queues: &mut Queues<Budget>, queue: QueueId) {
        if !queues[queue].policy.burst.is_listed() {
            self.list.push_front(queues, queue);
        }
    }

    /// A queue of a process that has left a shared one has to do with the burst what the process's
    /// own had to do with it.
    pub fn restore(&mut self, queues: &mut Queues<Budget>, queue: QueueId, saved: &SavedState) {
        let is_large = saved.in_large_burst || (saved.was_in_burst_list && self.large);
        queues[queue].policy.burst.in_large_burst = is_large;
        if saved.was_in_burst_list && !is_large {
            self.relist(queues, queue);
        }
    }

    /// A queue that becomes busy is forgiven its burst if it was idle for longer than `after`: 10 s
    /// in ticks.
    #[inline]
    pub fn forgive(
        &mut self,
        queues: &mut Queues<Budget>,
        queue: QueueId,
        tick: Time,
        after: Span,
    ) {
        let state = &queues[queue].policy;
        let idle_since = state.slot.phase.last_busy();
        if !state.burst.just_created && tick.is_more_than(after, idle_since) {
            self.unlist(queues, queue);
            queues[queue].policy.burst.in_large_burst = false;
        }
    }

    /// Takes a queue out of the list, if it is there. The size stays (spec 10.2, row 21).
    pub fn unlist(&mut self, queues: &mut Queues<Budget>, queue: QueueId) {
        if queues[queue].policy.burst.is_listed() {
            self.list.remove(queues, queue);
        }
    }

    /// Forgets the group of the burst, because it ceased to exist.
    pub fn forget_group(&mut self, group: GroupId) {
        self.last = self.last.filter(|last| last.group != group);
    }
}

#[cfg(test)]
#[path = "burst_tests.rs"]
mod tests;
