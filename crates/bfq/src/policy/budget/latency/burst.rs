// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of queue creations: an application that starts many processes at once wants throughput,
//! not a raise for each (spec 4.7).

use crate::{
    model::{
        ids::{GroupId, QueueId},
        queue::Queues,
    },
    policy::budget::{
        merge::saved::SavedState,
        state::{Budget, Burst, Creation},
    },
    units::{Span, Time},
};

/// So many make it a large one.
const LARGE: u32 = 8;
/// A queue that was idle for so long is forgiven.
pub(crate) const FORGIVE: Span = Span::from_ms(10_000);
/// A queue that was split off so recently was not created by a burst.
pub(crate) const AFTER_SPLIT: Span = Span::from_ms(10);

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
