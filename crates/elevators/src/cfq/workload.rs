// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose turn it is: in generation A the first queue of the best class, in B group, class, kind of
//! load and then the first queue (peers.md §5.4, §5.5).

use blk::GroupId;

use super::Cfq;
use super::generation::Generation;
use super::groups::{Serving, Unfinished};
use super::lengths::TARGET_LATENCY_TICKS;
use super::queue_id::QueueId;
use super::service_tree::Workload;
use base::Class;

/// The shortest time that a kind of load is served, ticks.
const LEAST_WORKLOAD_TICKS: i64 = 2;
/// How long the idle class is served before the others are looked at again, ticks.
const IDLE_CLASS_TICKS: i64 = 1;

impl Cfq {
    /// The queue whose turn it is.
    pub(super) fn next_queue(&mut self, now_ticks: i64) -> Option<QueueId> {
        let group = match self.tunables.generation {
            Generation::Linux2_6_32 => GroupId::ROOT,
            Generation::Linux2_6_35 => self.groups.first()?,
        };
        let has_busy = |class: &Class| self.groups[group].busy_of_class(*class) > 0;
        let class = Class::ALL.into_iter().find(has_busy)?;
        let workload = match self.tunables.generation {
            Generation::Linux2_6_32 => Workload::Sync,
            Generation::Linux2_6_35 => self.choose_workload(now_ticks, group, class)?,
        };
        self.groups[group].tree(class, workload).first()
    }

    /// The kind of load to serve in a class of a group: what was not finished last time, otherwise
    /// the one whose first queue is due first.
    fn choose_workload(
        &mut self,
        now_ticks: i64,
        group: GroupId,
        class: Class,
    ) -> Option<Workload> {
        let (workload, slice_ticks) = match self.groups[group].unfinished.take() {
            _ if class == Class::Idle => (Workload::Sync, IDLE_CLASS_TICKS),
            Some(Unfinished { class: of, workload, left_ticks })
                if of == class && self.groups[group].tree(class, workload).len() > 0 =>
            {
                (workload, left_ticks)
            }
            _ => {
                let first_key = |workload: &Workload| {
                    self.groups[group].tree(class, *workload).first_key_ticks()
                };
                let busy =
                    Workload::ALL.into_iter().filter(|workload| first_key(workload).is_some());
                let workload = busy.min_by_key(first_key)?;
                (workload, self.workload_slice_ticks(group, class, workload))
            }
        };
        let until_ticks = now_ticks + slice_ticks;
        self.serving = Some(Serving { group, class, workload, until_ticks });
        Some(workload)
    }

    /// How long a kind of load is served: its part of the group's time, by queues.
    pub(super) fn workload_slice_ticks(
        &self,
        group_id: GroupId,
        class: Class,
        workload: Workload,
    ) -> i64 {
        let group = &self.groups[group_id];
        let queues = group.tree(class, workload).len() as i64;
        let busy = group.smoothed_busy(class).max(group.busy_of_class(class) as i64);
        let slice_ticks =
            self.groups.slice_ticks(group_id, TARGET_LATENCY_TICKS) * queues / busy.max(1);
        let slice_ticks = match workload {
            Workload::Async => {
                let all_busy = self.groups.busy_queues() as i64;
                let cap_ticks = TARGET_LATENCY_TICKS * queues / all_busy.max(1);
                let tunables = &self.tunables;
                slice_ticks.min(cap_ticks) * tunables.base_slice_ticks(false)
                    / tunables.base_slice_ticks(true)
            }
            Workload::Sync | Workload::SyncNoIdle => {
                slice_ticks.max(2 * self.tunables.slice_idle_ticks())
            }
        };
        slice_ticks.max(LEAST_WORKLOAD_TICKS)
    }

    /// A queue's turn ends: its group is charged, and remembers what is left for its kind of load.
    pub(super) fn charge_turn(&mut self, now_ticks: i64, id: QueueId) {
        let queue = &self.queues[id];
        let Some(location) = queue.location else { return };
        let used_ticks = if queue.sync || self.groups[location.group].has_busy_sync() {
            queue.slice.used_ticks(now_ticks)
        } else {
            let whole = queue.slice.length_ticks();
            whole.unwrap_or_else(|| self.level_slice_ticks(false, queue.priority.level()))
        };
        self.groups.charge(location.group, used_ticks);
        if let Some(serving) = self.serving.take() {
            let Serving { group, class, workload, until_ticks } = serving;
            let left_ticks = until_ticks - now_ticks;
            let unfinished = Unfinished { class, workload, left_ticks };
            self.groups[group].unfinished = (left_ticks > 0).then_some(unfinished);
        }
    }
}
