// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which arrivals end another queue's turn (peers.md §5.8).

use super::Cfq;
use super::expiry::Expiry;
use super::generation::Generation;
use super::queue_id::QueueId;
use super::seek::SEEKY_DISTANCE_SECTORS;
use super::service_tree::{End, Workload};
use base::Class;

/// What counts of the request that arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub queue: QueueId,
    pub sector: u64,
    pub sync: bool,
    pub metadata: bool,
}

impl Cfq {
    /// A request has arrived for a queue that is not the active one.
    pub(super) fn preempt_for(&mut self, now_ticks: i64, arrival: Arrival) {
        let Some(active) = self.active else { return };
        let preempts = match self.tunables.generation {
            Generation::Linux2_6_32 => self.preempts_a(now_ticks, active, arrival),
            Generation::Linux2_6_35 => self.preempts_b(now_ticks, active, arrival),
        };
        if preempts {
            self.expire(now_ticks, Expiry::Preempted);
            self.enter_service(now_ticks, arrival.queue, End::Front);
            self.kick = true;
        }
    }

    /// Generation A; the first rule that speaks decides.
    fn preempts_a(&mut self, now_ticks: i64, active: QueueId, arrival: Arrival) -> bool {
        let (current, new) = (&self.queues[active], &self.queues[arrival.queue]);
        if current.slice.is_used_up(now_ticks) {
            return true;
        }
        if new.priority.class() == Class::Idle {
            return false;
        }
        if current.priority.class() == Class::Idle
            || arrival.sync && !current.sync
            || arrival.metadata && current.metadata_waiting == 0
            || new.priority.class() == Class::RealTime
                && current.priority.class() != Class::RealTime
        {
            return true;
        }
        let near_sectors = self.process(current.process).map(|process| process.seek.near_sectors());
        let is_near = self.head_sector.abs_diff(arrival.sector)
            <= near_sectors.unwrap_or(SEEKY_DISTANCE_SECTORS);
        let cooperates = self.idle_timer_ticks.is_some() && is_near && !new.cooperates;
        self.queues[arrival.queue].cooperates |= cooperates;
        cooperates
    }

    /// Generation B; the first rule that speaks decides.
    fn preempts_b(&self, now_ticks: i64, active: QueueId, arrival: Arrival) -> bool {
        let (current, new) = (&self.queues[active], &self.queues[arrival.queue]);
        let (Some(here), Some(there)) = (current.location, new.location) else { return false };
        if new.priority.class() == Class::Idle {
            return false;
        }
        if current.priority.class() == Class::Idle {
            return true;
        }
        if current.priority.class() == Class::RealTime && new.priority.class() != Class::RealTime {
            return false;
        }
        if arrival.sync && !current.sync {
            return true;
        }
        if here.group != there.group {
            return false;
        }
        if current.slice.is_used_up(now_ticks) {
            return true;
        }
        let together = here.workload == Workload::SyncNoIdle
            && there.workload == Workload::SyncNoIdle
            && self.groups[there.group].tree(there.class, there.workload).len() == 2
            && current.waiting == 0;
        let is_near = self.head_sector.abs_diff(arrival.sector) <= SEEKY_DISTANCE_SECTORS;
        together
            || arrival.metadata && current.metadata_waiting == 0
            || new.priority.class() == Class::RealTime
                && current.priority.class() != Class::RealTime
            || self.idle_timer_ticks.is_some() && is_near
    }
}
