// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a time slice is (peers.md §5.3).

use super::Cfq;
use super::generation::Generation;
use super::queue_id::QueueId;
use super::ticks::HZ;
use base::Ioprio;

/// Generation B: the ticks within which every queue is to have had its turn: 300 ms.
pub(super) const TARGET_LATENCY_TICKS: i64 = HZ * 3 / 10;

impl Cfq {
    /// The slice of a queue of that kind and level.
    pub(super) fn level_slice_ticks(&self, sync: bool, level: u8) -> i64 {
        let base_ticks = self.tunables.base_slice_ticks(sync);
        base_ticks + base_ticks / 5 * (Ioprio::DEFAULT.level() as i64 - level as i64)
    }

    /// The slice that a queue gets now. Counts the busy queues for it, in generation B.
    pub(super) fn new_slice_ticks(&mut self, id: QueueId) -> i64 {
        let queue = &self.queues[id];
        let slice_ticks = self.level_slice_ticks(queue.sync, queue.priority.level());
        let low_latency = self.tunables.low_latency;
        match (self.tunables.generation, queue.location) {
            (Generation::Linux2_6_35, Some(location)) if low_latency => {
                let busy = self.groups[location.group].smooth_busy(location.class);
                let group_ticks = self.groups.slice_ticks(location.group, TARGET_LATENCY_TICKS);
                self.shortened_ticks(slice_ticks, busy, group_ticks)
            }
            _ => slice_ticks,
        }
    }

    /// A slice such that `busy` queues with full ones have their turn within their group's time.
    pub(super) fn shortened_ticks(&self, slice_ticks: i64, busy: i64, group_ticks: i64) -> i64 {
        let base_ticks = self.tunables.base_slice_ticks(true);
        let all_ticks = base_ticks * busy;
        if all_ticks <= group_ticks {
            return slice_ticks;
        }
        let low_ticks = 2 * self.tunables.slice_idle_ticks() * slice_ticks / base_ticks;
        let fair_ticks = slice_ticks * group_ticks / all_ticks;
        fair_ticks.max(low_ticks.min(slice_ticks)).max(1)
    }
}
