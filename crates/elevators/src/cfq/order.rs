// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of busy queues: nearly round robin, higher levels a little earlier (peers.md §5.4; the
//! keys serve generation B, too, §5.5).

use blk::GroupId;

use super::Cfq;
use super::generation::Generation;
use super::queue_id::QueueId;
use super::service_tree::{End, Location, TreeKey, Workload};
use super::ticks::HZ;
use base::Class;

/// A queue of the idle class stands so far behind the last one: 200 ms.
const IDLE_CLASS_DELAY_TICKS: i64 = HZ / 5;
/// A queue that preempts stands so far before the first one: 1 s.
const FRONT_LEAD_TICKS: i64 = HZ;

impl Cfq {
    /// Puts a queue at its place among the busy ones; it may stand somewhere already.
    pub(super) fn enter_service(&mut self, now_ticks: i64, id: QueueId, end: End) {
        let old = self.queues[id].location.take();
        if let Some(old) = old {
            self.groups.take_out(old, id);
        }
        let (group, class, workload) = self.tree_of(id);
        let key_ticks = self.key_ticks(now_ticks, id, end, (group, class, workload));
        let place = TreeKey { key_ticks, sequence: self.groups.next_sequence() };
        let location = Location { group, class, workload, place };
        self.groups.put_in(location, id);
        self.queues[id].location = Some(location);
        self.groups.settle(group);
        if let Some(old) = old {
            self.groups.settle(old.group);
        }
    }

    /// Takes a queue out of the busy ones.
    pub(super) fn leave_service(&mut self, id: QueueId) {
        if let Some(location) = self.queues[id].location.take() {
            self.groups.take_out(location, id);
            self.groups.settle(location.group);
        }
    }

    /// The tree that a queue belongs to now. The idle class has a single one in each group.
    fn tree_of(&self, id: QueueId) -> (GroupId, Class, Workload) {
        let queue = &self.queues[id];
        let class = queue.priority.class();
        if self.tunables.generation == Generation::Linux2_6_32 {
            return (GroupId::ROOT, class, Workload::Sync);
        }
        let workload = match (class, queue.sync, queue.idle_window) {
            (Class::Idle, ..) => Workload::Sync,
            (_, false, _) => Workload::Async,
            (_, true, false) => Workload::SyncNoIdle,
            (_, true, true) => Workload::Sync,
        };
        let to_root = workload == Workload::SyncNoIdle && !self.tunables.group_isolation;
        (if to_root { GroupId::ROOT } else { queue.group }, class, workload)
    }

    fn key_ticks(
        &mut self,
        now_ticks: i64,
        id: QueueId,
        end: End,
        (group, class, workload): (GroupId, Class, Workload),
    ) -> i64 {
        let tree = self.groups[group].tree(class, workload);
        if end == End::Front {
            return tree.first_key_ticks().unwrap_or(now_ticks) - FRONT_LEAD_TICKS;
        }
        if class == Class::Idle {
            return tree.last_key_ticks().unwrap_or(now_ticks) + IDLE_CLASS_DELAY_TICKS;
        }
        let others = match self.tunables.generation {
            Generation::Linux2_6_32 => self.groups.busy_queues(),
            Generation::Linux2_6_35 => self.groups[group].busy_queues(),
        } as i64;
        let queue = &mut self.queues[id];
        let residual_ticks = std::mem::take(&mut queue.residual_ticks);
        let (sync, level) = (queue.sync, queue.priority.level());
        let lag_ticks = self.level_slice_ticks(true, 0) - self.level_slice_ticks(sync, level);
        now_ticks + others * lag_ticks - residual_ticks
    }
}
