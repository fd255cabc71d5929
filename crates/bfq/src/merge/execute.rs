//! A process moves from its queue to the one that it is merged into (spec 5.4).

use crate::{
    queue::{ProcessId, QueueId},
    scheduler::Scheduler,
    statistics::Counter,
    why::{Decision, Observer},
};

impl<O: Observer> Scheduler<O> {
    /// Moves `process` from `queue` to `target`, step by step along the chain of scheduled merges:
    /// references were taken for it in advance at each of them.
    pub(crate) fn merge_queues(&mut self, process: ProcessId, queue: QueueId, target: QueueId) {
        let mut queue = queue;
        while queue != target {
            let next = self.queues[queue].target.unwrap_or(target);
            self.merge_into(process, queue, next);
            queue = next;
        }
    }

    fn merge_into(&mut self, process: ProcessId, queue: QueueId, target: QueueId) {
        self.counters.count(Counter::Merges);
        self.tell(|_| Decision::Merged { queue, target, process });
        self.save_state(queue);
        self.save_state(target);
        let io_bound = self.queues[queue].io_bound.is_io_bound;
        self.queues[target].io_bound.is_io_bound |= io_bound;
        self.queues[queue].io_bound.is_io_bound = false;
        self.inherit_waker(queue, target);
        self.inherit_raise(queue, target);
        let actuator = self.queues[queue].actuator;
        self.link(process, Some(target), true, actuator);
        if self.processes.seat(process, actuator).stable_candidate == Some(target) {
            self.cancel_stable_merge(process, actuator);
        }
        self.queues[target].shared = true;
        self.set_owner(target, None);
        self.set_owner(queue, None);
        let group = self.queues[queue].group;
        if self.groups[group].last_created == Some(queue) {
            self.groups[group].last_created = Some(target);
        }
        self.release_from_process(queue);
    }

    fn inherit_waker(&mut self, queue: QueueId, target: QueueId) {
        if let Some(waker) = self.queues[queue].waker
            && self.queues[target].waker.is_none()
            && waker != target
        {
            self.set_waker(target, Some(waker));
            self.queues[target].waker_detection.clear();
        }
    }

    /// The target takes over the raise of a queue that is merged into it (spec 5.4, steps 4 and 5).
    fn inherit_raise(&mut self, queue: QueueId, target: QueueId) {
        let coefficient = self.coefficient(queue);
        if coefficient == 1 {
            return;
        }
        if !self.is_raised(target) {
            let from = self.queues[queue].raise;
            let to = &mut self.queues[target].raise;
            to.period_ns = from.period_ns;
            to.stamp = from.stamp;
            to.interactive_origin = from.interactive_origin;
            self.set_coefficient(target, coefficient);
            if self.queues[target].busy {
                self.busy.raised += 1;
            }
        }
        self.set_coefficient(queue, 1);
        if self.queues[queue].busy {
            self.busy.raised -= 1;
        }
    }

    /// A process gives up a queue: if nothing is left in it, it leaves scheduling.
    pub(crate) fn release_from_process(&mut self, queue: QueueId) {
        let state = &self.queues[queue];
        if state.busy && state.is_empty() && self.in_service != Some(queue) {
            self.make_idle(queue, crate::service::busy::Leaving::Emptied);
            self.leave_positions(queue);
            self.free_forgotten();
        }
        if self.queues.contains(queue) {
            self.drop_process_reference(queue);
        }
    }

    /// Drops the references that were taken in advance along the chain of merges of `queue`.
    pub(crate) fn drop_chain_references(&mut self, queue: QueueId) {
        let mut next = self.queues[queue].target;
        while let Some(target) = next {
            next = self.queues[target].target;
            self.drop_process_reference(target);
        }
    }
}
