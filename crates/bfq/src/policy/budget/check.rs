// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every invariant of Budget Fair Queueing's own state.

use alloc::vec::Vec;

use super::state::{Durations, Scheduler};
use crate::{model::ids::QueueId, quirks::Quirk, units::Class, why::Observer};

impl<O: Observer> Scheduler<O> {
    /// Asserts every invariant of the policy's own.
    pub(crate) fn check_policy(&self) {
        self.policy.fair.check();
        let mut totals = Totals::default();
        for (queue, _) in self.model.queues.iter() {
            self.check_queue(queue, &mut totals);
        }
        self.check_totals(&totals);
        self.check_pins();
        self.check_groups_of_policy();
        self.check_saved();
    }

    /// What is saved belongs to a process that exists.
    fn check_saved(&self) {
        let actuators = 0..self.device.actuators as u8;
        let states = self.model.processes.iter().flat_map(|(_, process)| {
            actuators.clone().filter(|&actuator| process.at(actuator).policy.saved.is_some())
        });
        assert_eq!(states.count(), self.policy.saved.len(), "saved states");
    }

    fn check_queue(&self, queue: QueueId, totals: &mut Totals) {
        let state = &self.model.queues[queue];
        let leaf = self.leaf(queue);
        let serving = self.policy.slot.in_service == Some(queue);
        assert_eq!(self.queue_of(state.policy.entity), queue, "{queue:?}");
        assert_eq!(leaf.coefficient(), state.policy.coefficient(), "{queue:?}");
        assert_eq!(
            leaf.level(),
            self.model.groups[state.group].policy.level,
            "{queue:?} and its group differ"
        );
        assert!(state.is_empty() || state.policy.busy, "{queue:?} has requests but is not busy");
        assert!(!serving || state.policy.busy, "{queue:?} is in service but not busy");
        let active = self.policy.fair.is_active(state.policy.entity);
        assert!(!state.policy.busy || active || serving, "{queue:?} is busy but not in a tree");
        assert!(state.policy.busy || !active, "{queue:?} is active but not busy");
        let counted = state.policy.busy || state.in_flight > 0;
        if !self.policy.quirks.has(Quirk::PendingMovesAlong) {
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
            assert!(
                self.model.queues.contains(target) && target != queue,
                "{queue:?}'s target is gone"
            );
        }
        if let Some(waker) = state.policy.waking.waker {
            assert!(self.model.queues.contains(waker), "{queue:?}'s waker is gone");
            let mut woken = self.model.queues[waker].policy.waking.woken.iter(&self.model.queues);
            assert!(woken.any(|woken| woken == queue), "{queue:?} is not on its waker's list");
        }
        totals.raised += u32::from(state.policy.busy && leaf.coefficient() > 1);
        totals.pending += u32::from(state.policy.counted.pending);
        totals.counted += u32::from(state.policy.counted.weight.is_some());
        if state.policy.busy {
            totals.busy[leaf.class().index()] += 1;
        }
    }

    fn check_totals(&self, totals: &Totals) {
        let (slice_idle, quirks) = (self.tunables.slice_idle, self.policy.quirks);
        let durations = Durations::new(self.clock.ticks, slice_idle, quirks);
        assert_eq!(self.policy.durations, durations, "what was computed of the tunables");
        assert_eq!(
            self.policy.competition.busy.total(),
            totals.busy.iter().sum::<u32>(),
            "busy queues"
        );
        let classes = totals.busy.iter().filter(|&&busy| busy > 0).count();
        assert_eq!(
            self.policy.competition.busy.classes() as usize,
            classes,
            "classes with busy queues"
        );
        for class in Class::ALL {
            assert_eq!(
                self.policy.competition.busy.of(class),
                totals.busy[class.index()],
                "busy {class:?} queues"
            );
        }
        let raised = self.policy.competition.busy.counted_raised();
        assert!(raised.is_none_or(|raised| raised == totals.raised as i32), "raised busy queues");
        let pending: u32 =
            self.model.groups.iter().map(|(_, group)| group.policy.pending_queues).sum();
        assert_eq!(pending, totals.pending, "pending queues");
        let pending_groups =
            self.model.groups.iter().filter(|(_, group)| group.policy.pending_queues > 0);
        assert_eq!(
            self.policy.competition.pending_groups,
            pending_groups.count() as u32,
            "pending groups"
        );
        assert_eq!(self.policy.competition.weights.total(), totals.counted, "counted weights");
        if let Some(queue) = self.policy.slot.in_service {
            assert!(self.model.queues.contains(queue));
            let state = &self.model.queues[queue];
            assert_eq!(
                self.policy.slot.idle_timer.is_some(),
                state.policy.slot.waits_for_request,
                "idle timer"
            );
        } else {
            assert!(self.policy.slot.idle_timer.is_none(), "the idle timer runs for no queue");
        }
    }

    /// Queues are pinned by those that may be merged into them, and by nothing else between calls.
    fn check_pins(&self) {
        let mut pins: Vec<QueueId> = Vec::new();
        for (process, _) in self.model.processes.iter() {
            for actuator in 0..self.device.actuators as u8 {
                let state = &self.model.processes.at(process, actuator).policy;
                pins.extend(state.stable_candidate);
            }
        }
        for (queue, state) in self.model.queues.iter() {
            let counted = pins.iter().filter(|&&pinned| pinned == queue).count();
            assert_eq!(state.references.pins as usize, counted, "{queue:?}");
        }
        let last = self.policy.last_completed;
        assert!(last.is_none_or(|queue| self.model.queues.contains(queue)));
    }

    fn check_groups_of_policy(&self) {
        for (id, group) in self.model.groups.iter() {
            let state = &group.policy;
            state.positions.check(&self.model.queues);
            let scheduled = state.entity.is_some_and(|e| self.policy.fair.entity(e).is_scheduled());
            assert!(group.online || !scheduled, "{id:?} is gone but scheduled");
            let last = state.last_created;
            assert!(last.is_none_or(|queue| self.model.queues.contains(queue)), "{id:?}");
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
