// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every invariant of Budget Fair Queueing's own state.

use alloc::vec::Vec;

use super::state::{Budget, Durations};
use crate::{
    model::{Model, clock::Clock, device::Device, ids::QueueId},
    quirks::Quirk,
    units::{Class, Span},
};

impl Budget {
    /// Asserts every invariant of the policy's own.
    pub(crate) fn check_all(
        &self,
        model: &Model<Budget>,
        clock: &Clock,
        device: &Device,
        slice_idle: Span,
    ) {
        self.fair.check();
        let durations = Durations::new(clock.ticks, slice_idle, self.quirks);
        assert_eq!(self.durations, durations, "what was computed of the tunables");
        let mut totals = Totals::default();
        for (queue, _) in model.queues.iter() {
            self.check_queue(model, queue, &mut totals);
        }
        self.check_totals(model, &totals);
        self.check_pins(model, device);
        self.check_groups(model);
        self.check_saved(model, device);
    }

    /// What is saved belongs to a process that exists.
    fn check_saved(&self, model: &Model<Budget>, device: &Device) {
        let actuators = 0..device.actuators as u8;
        let states = model.processes.iter().flat_map(|(_, process)| {
            actuators.clone().filter(|&actuator| process.at(actuator).policy.saved.is_some())
        });
        assert_eq!(states.count(), self.saved.len(), "saved states");
    }

    fn check_queue(&self, model: &Model<Budget>, queue: QueueId, totals: &mut Totals) {
        let state = &model.queues[queue];
        let leaf = self.leaf(state);
        let serving = self.slot.in_service == Some(queue);
        assert_eq!(self.queue_of(state.policy.entity), queue, "{queue:?}");
        assert_eq!(leaf.coefficient(), state.policy.coefficient(), "{queue:?}");
        assert_eq!(
            leaf.level(),
            model.groups[state.group].policy.level,
            "{queue:?} and its group differ"
        );
        assert!(state.is_empty() || state.policy.busy, "{queue:?} has requests but is not busy");
        assert!(!serving || state.policy.busy, "{queue:?} is in service but not busy");
        let active = self.fair.is_active(state.policy.entity);
        assert!(!state.policy.busy || active || serving, "{queue:?} is busy but not in a tree");
        assert!(state.policy.busy || !active, "{queue:?} is active but not busy");
        let counted = state.policy.busy || state.in_flight > 0;
        if !self.quirks.has(Quirk::PendingMovesAlong)
            && !self.quirks.has(Quirk::DirectRequestsDoNotCount)
        {
            assert_eq!(state.policy.counted.pending, counted, "{queue:?} pending");
        }
        assert!(
            state.policy.counted.weight.is_none_or(|weight| weight == leaf.weight()),
            "{queue:?}"
        );
        assert!(
            !state.policy.slot.waits_for_request || serving,
            "{queue:?} is waited for out of service"
        );
        if let Some(target) = state.policy.merge.target {
            assert!(model.queues.contains(target) && target != queue, "{queue:?}'s target is gone");
        }
        if let Some(waker) = state.policy.waking.waker {
            assert!(model.queues.contains(waker), "{queue:?}'s waker is gone");
            let mut woken = model.queues[waker].policy.waking.woken.iter(&model.queues);
            assert!(woken.any(|woken| woken == queue), "{queue:?} is not on its waker's list");
        }
        totals.raised += u32::from(state.policy.busy && leaf.coefficient() > 1);
        totals.pending += u32::from(state.policy.counted.pending);
        totals.counted += u32::from(state.policy.counted.weight.is_some());
        if state.policy.busy {
            totals.busy[leaf.class().index()] += 1;
        }
    }

    fn check_totals(&self, model: &Model<Budget>, totals: &Totals) {
        assert_eq!(self.competition.busy.total(), totals.busy.iter().sum::<u32>(), "busy queues");
        let classes = totals.busy.iter().filter(|&&busy| busy > 0).count();
        assert_eq!(self.competition.busy.classes() as usize, classes, "classes with busy queues");
        for class in Class::ALL {
            assert_eq!(
                self.competition.busy.of(class),
                totals.busy[class.index()],
                "busy {class:?} queues"
            );
        }
        let raised = self.competition.busy.counted_raised();
        assert!(raised.is_none_or(|raised| raised == totals.raised as i32), "raised busy queues");
        let pending: u32 = model.groups.iter().map(|(_, group)| group.policy.pending_queues).sum();
        assert_eq!(pending, totals.pending, "pending queues");
        let pending_groups =
            model.groups.iter().filter(|(_, group)| group.policy.pending_queues > 0);
        assert_eq!(
            self.competition.pending_groups,
            pending_groups.count() as u32,
            "pending groups"
        );
        assert_eq!(self.competition.weights.total(), totals.counted, "counted weights");
        if let Some(queue) = self.slot.in_service {
            assert!(model.queues.contains(queue));
            let state = &model.queues[queue];
            assert_eq!(
                self.slot.idle_timer.is_some(),
                state.policy.slot.waits_for_request,
                "idle timer"
            );
        } else {
            assert!(self.slot.idle_timer.is_none(), "the idle timer runs for no queue");
        }
    }

    /// Queues are pinned by those that may be merged into them, and by nothing else between calls.
    fn check_pins(&self, model: &Model<Budget>, device: &Device) {
        let mut pins: Vec<QueueId> = Vec::new();
        for (process, _) in model.processes.iter() {
            for actuator in 0..device.actuators as u8 {
                let state = &model.processes.at(process, actuator).policy;
                pins.extend(state.stable_candidate);
            }
        }
        for (queue, state) in model.queues.iter() {
            let counted = pins.iter().filter(|&&pinned| pinned == queue).count();
            assert_eq!(state.references.pins as usize, counted, "{queue:?}");
        }
        let last = self.last_completed;
        assert!(last.is_none_or(|queue| model.queues.contains(queue)));
    }

    fn check_groups(&self, model: &Model<Budget>) {
        for (id, group) in model.groups.iter() {
            let state = &group.policy;
            state.positions.check(&model.queues);
            let scheduled = state.entity.is_some_and(|e| self.fair.entity(e).is_scheduled());
            assert!(group.online || !scheduled, "{id:?} is gone but scheduled");
            let last = state.last_created;
            assert!(last.is_none_or(|queue| model.queues.contains(queue)), "{id:?}");
        }
    }
}

/// What the counters should say.
#[derive(Default)]
struct Totals {
    raised: u32,
    pending: u32,
    counted: u32,
    busy: [u32; 3],
}
