// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking at queues from outside: for tools and tests.

use crate::{
    fair::Service,
    model::ids::{GroupId, ProcessId, QueueId},
    policy::budget::state::Scheduler,
    units::Class,
    why::Observer,
};

/// A queue at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueState {
    /// The group it is in.
    pub group: GroupId,
    /// The class in force.
    pub class: Class,
    /// Whether it holds sync requests.
    pub sync: bool,
    /// It has requests, is in service, or is kept scheduled although empty.
    pub busy: bool,
    /// It is the queue in service.
    pub in_service: bool,
    /// Several processes share it.
    pub shared: bool,
    /// What its share hangs on.
    pub weight: QueueWeight,
    /// Its slot, in service or before.
    pub slot: QueueSlot,
    /// Number of requests waiting.
    pub waiting: u32,
    /// Requests in the device.
    pub in_flight: u32,
    /// What its process was found to be.
    pub found: QueueFindings,
}

/// The weight of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueWeight {
    /// In force: base weight times coefficient.
    pub effective: u32,
    /// The weight that it has when it is not raised.
    pub base: u32,
    /// Of its raise; 1 if it is not raised.
    pub coefficient: u32,
}

/// The slot of a queue, by B-WF2Q+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSlot {
    /// Its budget, in sectors.
    pub budget_sectors: Service,
    /// What it has got of that, in sectors.
    pub service_sectors: Service,
    /// Virtual start time (sectors over weight, 22 fractional bits).
    pub start: u64,
    /// Virtual finish time, in the unit of `start`.
    pub finish: u64,
}

/// What was found out about the process of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFindings {
    /// Most of its recent requests were seeks.
    pub seeky: bool,
    /// It comes back soon after a completion.
    pub short_think_time: bool,
    /// It is backlogged most of the time.
    pub io_bound: bool,
}

impl<O: Observer> Scheduler<O> {
    /// The queue in service.
    pub fn queue_in_service(&self) -> Option<QueueId> {
        self.policy.slot.in_service
    }

    /// Number of busy queues.
    pub fn busy_queues(&self) -> u32 {
        self.policy.competition.busy.total()
    }

    /// The queue that requests of a process go to at present (that of its first actuator), if it
    /// has one already.
    pub fn queue_of_process(&self, process: ProcessId, sync: bool) -> Option<QueueId> {
        self.known_process(process).ok()?;
        self.linked_queue(process, sync, 0)
    }

    /// What a queue looks like now; none if there is no such queue.
    pub fn queue_state(&self, queue: QueueId) -> Option<QueueState> {
        if !self.model.queues.contains(queue) {
            return None;
        }
        let state = &self.model.queues[queue];
        let leaf = self.policy.leaf(state);
        Some(QueueState {
            group: state.group,
            class: leaf.class(),
            sync: state.sync,
            busy: state.policy.busy,
            in_service: self.policy.slot.in_service == Some(queue),
            shared: state.policy.merge.sharing.is_shared(),
            weight: QueueWeight {
                effective: leaf.weight().get(),
                base: leaf.base_weight().get(),
                coefficient: leaf.coefficient(),
            },
            slot: QueueSlot {
                budget_sectors: leaf.budget(),
                service_sectors: leaf.service(),
                start: leaf.start(),
                finish: leaf.finish(),
            },
            waiting: state.waiting.len(),
            in_flight: state.in_flight,
            found: QueueFindings {
                seeky: state.history.seeks.is_seeky(),
                short_think_time: state.policy.short_think_time,
                io_bound: state.history.io_bound.is_io_bound,
            },
        })
    }
}
