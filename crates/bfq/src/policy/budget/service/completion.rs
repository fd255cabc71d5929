// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request completes: what that says of the device, and of the present slot (spec 3.17).

use super::peak_rate::RateEvent;
use crate::{
    model::{
        Model,
        clock::Clock,
        device::Device,
        ids::{QueueId, RequestId},
    },
    policy::budget::{
        queue::Phase,
        state::{Budget, Scheduler},
    },
    why::{Decision, Observer, Reason},
};
use core::mem;

impl<O: Observer> Scheduler<O> {
    /// A request of a queue is complete.
    #[inline]
    pub(crate) fn complete_in_queue(&mut self, queue: QueueId, id: RequestId) {
        let (clock, device) = (&self.clock, &self.device);
        let event = self.policy.on_completion(&mut self.model, clock, device, queue, id);
        if let Some(event) = event {
            self.follow_rate(event);
        }
        let kept_idle = self.policy.slot.in_service == Some(queue) && self.continue_slot(queue);
        if self.model.load.in_flight == 0 && !kept_idle {
            self.want_kick();
        }
    }

    /// What the completion means for the slot of its queue (spec 3.17, step 7). Returns whether the
    /// disk is kept idle.
    #[inline]
    fn continue_slot(&mut self, queue: QueueId) -> bool {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot");
        let state = &mut self.model.queues[queue];
        let empty = state.is_empty();
        let (device, load) = (&self.device, &self.model.load);
        if empty && let Some(rule) = self.policy.better_to_idle(&self.tunables, device, load, state)
        {
            if state.in_flight == 0 {
                let slice_idle = self.tunables.slice_idle;
                let until = self.policy.start_waiting(&self.clock, slice_idle, state);
                self.tell(|_| Decision::Idling { queue, rule, until });
            }
            return true;
        }
        if self.policy.may_time_out(&self.clock, state) {
            self.expire(queue, Reason::BudgetTimeout, None);
        } else if empty {
            self.expire(queue, Reason::NoMoreRequests, None);
        }
        false
    }
}

impl Budget {
    /// What a completion says of the device, of its queue, and of injection into that; returns what
    /// the peak-rate estimator makes of it.
    #[inline]
    fn on_completion(
        &mut self,
        model: &mut Model<Budget>,
        clock: &Clock,
        device: &Device,
        queue: QueueId,
        id: RequestId,
    ) -> Option<RateEvent> {
        if self.sampling.request == Some(id) {
            let (in_flight, state) = (model.load.in_flight, &mut model.queues[queue]);
            self.learn_inject_limit(clock, in_flight, &mut state.policy);
        }
        self.detect_command_queueing(model, device);
        let Model { groups, queues, load, .. } = model;
        let state = &mut queues[queue];
        state.count_completion(load, clock.now);
        let drained = state.in_flight == 0;
        let shared = state.policy.merge.sharing.is_shared();
        self.last_completed = if shared { None } else { Some(queue) };
        if drained {
            self.note_drained(clock, state);
            if !state.policy.busy {
                state.policy.slot.phase = Phase::Quiet { since: clock.tick };
                self.stop_counting(groups, state);
            }
        }
        debug_assert!(clock.now >= self.disk.last_completion, "time goes back");
        let previous = mem::replace(&mut self.disk.last_completion, clock.now);
        self.disk.peak_rate.on_completion(clock.now, previous)
    }

    #[inline]
    fn detect_command_queueing(&mut self, model: &Model<Budget>, device: &Device) {
        let in_service = self.slot.in_service;
        let offered = || {
            let queue = &model.queues[in_service?];
            queue.policy.short_think_time.then(|| queue.in_flight + queue.waiting.len())
        };
        let (load, detector) = (&model.load, &mut self.disk.command_queueing);
        if detector.on_completion(load.in_flight, load.queued, offered) {
            let queues = !detector.is_known_not_to_queue();
            self.disk.is_flash_with_queueing = !device.rotational && queues;
        }
    }
}
