// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a slot: what it is charged, what is learnt from it, and whether the queue stays
//! backlogged (spec 3.7).

use super::busy::Leaving;
use crate::{
    fair::{Owner, Service},
    model::{device::Device, ids::QueueId, load::Load, queue::Queue},
    policy::budget::{
        counters::Counter,
        queue::{BudgetQueue, Phase, Sharing},
        state::{Budget, Scheduler},
    },
    quirks::Quirk,
    units::{Span, Time},
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// Ends the slot of the queue in service (spec 3.7). `idle_since` is when idling began, if
    /// the idle timer is the cause: that time is not held against the queue, unless its slot is
    /// short and slow.
    pub(crate) fn expire(&mut self, queue: QueueId, reason: Reason, idle_since: Option<Time>) {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot to end");
        let state = &self.model.queues[queue];
        let slice_idle = self.tunables.slice_idle;
        let verdict =
            self.policy.judge_slot(&self.clock, &self.device, slice_idle, state, idle_since);
        let slow = verdict.is_some_and(|verdict| verdict.slow);
        let is_guess = verdict.is_some_and(|verdict| verdict.is_guess);
        let raised = state.policy.is_raised();
        let leaf = self.policy.leaf(state);
        let little_used =
            reason == Reason::BudgetTimeout && leaf.budget_left() >= leaf.budget().over(3);
        if verdict.is_some() && !is_guess {
            self.tell(|_| Decision::Slow { queue, slow });
        }
        if !raised && (slow || little_used) {
            self.charge_slot(queue, verdict.map_or(Span::ZERO, |verdict| verdict.length));
        }
        if self.tunables.low_latency {
            self.policy.note_slot_end(&self.clock, &mut self.model.queues[queue], raised);
        }
        self.policy.sampling.end();
        self.policy.counters.count(Counter::of_reason(reason));
        if slow {
            self.policy.counters.count(Counter::SlowSlots);
        }
        self.tell(|s| Decision::Expired {
            queue,
            reason,
            slow,
            in_flight: s.model.queues[queue].in_flight,
            short_think_time: s.model.queues[queue].policy.short_think_time,
        });
        self.feed_back_budget(queue, reason, slow && is_guess);
        if self.end_slot(queue, reason) {
            self.policy.settle_service(&mut self.model.queues[queue].policy, reason);
        }
    }

    /// Charges the queue in service for the length of its slot.
    fn charge_slot(&mut self, queue: QueueId, length: Span) {
        let length = length.min(self.policy.durations.default_timeout).whole_ms();
        let state = &mut self.model.queues[queue].policy;
        let (charged, forgotten) = self.policy.charge_time(self.clock.tick, state, length);
        self.free_forgotten(forgotten);
        self.tell(|_| Decision::ChargedTime { queue, length, charged });
    }

    /// Steps 7 and 8: the queue leaves the disk. Returns whether it still exists.
    pub(crate) fn end_slot(&mut self, queue: QueueId, reason: Reason) -> bool {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot to end");
        if self.model.detailed.on {
            self.note_slot_ends(queue, self.policy.slot.start);
        }
        let state = &mut self.model.queues[queue];
        self.policy.slot.stop_waiting(&mut state.policy);
        if state.policy.merge.sharing.is_shared() && state.history.seeks.is_seeky() {
            state.policy.merge.sharing = Sharing::Parting;
        }
        let entity = state.policy.entity;
        let kept = reason == Reason::Preempted
            && self.policy.stays_preempted(&self.device, &self.model.load, state);
        let forgotten = if state.is_empty() && !kept {
            if state.in_flight == 0 {
                state.policy.slot.phase = Phase::Quiet { since: self.clock.tick };
            }
            self.make_idle(queue, Leaving::Expired)
        } else {
            let changed = self.policy.fair.requeue_expired(entity, self.clock.tick);
            let forgotten = self.follow_up(changed);
            self.policy.update_position(&mut self.model, &self.clock, queue);
            forgotten
        };
        self.policy.slot.in_service = None;
        self.free_forgotten(forgotten);
        if self.model.queues.contains(queue) {
            self.free_if_unreferenced(queue);
            return self.model.queues.contains(queue);
        }
        false
    }
}

impl Budget {
    /// Whether a preempted queue stays in the trees although nothing of it waits.
    #[inline]
    fn stays_preempted(&self, device: &Device, load: &Load, state: &Queue<Budget>) -> bool {
        self.needed(load, state).is_some() || self.keeps_its_place(device, state)
    }

    /// Whether a preempted queue is a reader that gets the disk back in its turn
    /// (docs/decisions.md, "A reader that was preempted keeps its place").
    ///
    /// A sequential reader of one read at a time has nothing waiting while its read is on the way.
    /// Out of the trees, it would come back as a queue that becomes busy and preempt its successor,
    /// which has a read on the way by then and comes back in turn: a seek for each read, until a
    /// budget is used up. In the trees, it gets the disk back by its timestamps.
    #[inline]
    fn keeps_its_place(&self, device: &Device, state: &Queue<Budget>) -> bool {
        !self.quirks.has(Quirk::PreemptedReaderLeaves)
            && device.rotational
            && state.in_flight > 0
            && state.is_sequential_and_bound()
    }

    /// Steps 9 and 10: what the slot leaves behind.
    #[inline]
    fn settle_service(&mut self, state: &mut BudgetQueue, reason: Reason) {
        debug_assert!(!self.fair.entity(state.entity).is_in_service(), "its slot goes on");
        let may_continue =
            matches!(reason, Reason::TooIdle | Reason::NoMoreRequests | Reason::Preempted);
        if !state.busy && may_continue {
            state.slot.continues = true;
        } else {
            self.fair.set_service(state.entity, Service::ZERO);
        }
        self.fair.clear_service_of_ancestors(state.entity);
    }
}
