// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a slot: what it is charged, what is learnt from it, and whether the queue stays
//! backlogged (spec 3.7, 3.9).

use super::busy::Leaving;
use crate::{
    fair::{EntityId, Owner, Service},
    model::ids::QueueId,
    policy::budget::{
        counters::Counter,
        queue::{BudgetQueue, Phase, Sharing},
        state::{Budget, Scheduler},
    },
    quirks::Quirk,
    units::{Span, Time},
    why::{Decision, Observer, Reason},
};

/// Slots shorter than this are too short to be measured.
const MEASURABLE: Span = Span::from_ms(1);
/// From here on slowness is judged by service, not by seekiness, under every behaviour.
const LONG: Span = Span::from_ms(20);
/// What a slot too short to be measured is charged at least: flash, rotational.
const SHORT_CHARGE: [Span; 2] = [Span::from_ms(2), Span::from_ms(8)];

/// How a slot is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    slow: bool,
    /// Too short to be measured: its length is a guess.
    is_guess: bool,
    length: Span,
}

impl<O: Observer> Scheduler<O> {
    /// Ends the slot of the queue in service (spec 3.7). `idle_since` is when idling began, if
    /// the idle timer is the cause: that time is not held against the queue, unless its slot is
    /// short and slow.
    pub(crate) fn expire(&mut self, queue: QueueId, reason: Reason, idle_since: Option<Time>) {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot to end");
        let verdict = self.judge_slot(queue, idle_since);
        let state = &self.model.queues[queue].policy;
        let (entity, raised) = (state.entity, state.is_raised());
        let leaf = self.policy.fair.entity(entity);
        let little_used =
            reason == Reason::BudgetTimeout && leaf.budget_left() >= leaf.budget().over(3);
        if !raised && (verdict.slow || little_used) {
            self.charge_time(queue, entity, verdict.length);
        }
        if self.tunables.low_latency {
            self.policy.note_slot_end(&self.clock, &mut self.model.queues[queue], raised);
        }
        self.policy.sampling.pending = false;
        self.policy.sampling.injected = false;
        self.policy.sampling.request = None;
        self.policy.counters.count(Counter::of_reason(reason));
        if verdict.slow {
            self.policy.counters.count(Counter::SlowSlots);
        }
        self.tell(|s| Decision::Expired {
            queue,
            reason,
            slow: verdict.slow,
            in_flight: s.model.queues[queue].in_flight,
            short_think_time: s.model.queues[queue].policy.short_think_time,
        });
        self.feed_back_budget(queue, reason, verdict.slow && verdict.is_guess);
        if self.end_slot(queue, reason) {
            self.policy.settle_service(&mut self.model.queues[queue].policy, reason);
        }
    }

    /// Slow test (spec 3.9).
    fn judge_slot(&mut self, queue: QueueId, idle_since: Option<Time>) -> Verdict {
        let state = &self.model.queues[queue];
        if !state.sync {
            return Verdict { slow: false, is_guess: false, length: Span::ZERO };
        }
        let seeky = state.history.seeks.is_seeky();
        let end = idle_since.unwrap_or(self.clock.now);
        let length = end.since(self.policy.slot.start);
        if length < MEASURABLE {
            let length = SHORT_CHARGE[usize::from(self.device.rotational)];
            return Verdict { slow: seeky, is_guess: true, length };
        }
        let length = length.whole_us();
        let (slow, length) = if length > LONG {
            (self.leaf(queue).service() < self.policy.disk.budgets.max().over(2), length)
        } else if !self.measures_short_slots() {
            (seeky, length)
        } else {
            // What it is charged includes the idle time at its end.
            let half = self.policy.service_at_full_speed(length).over(2);
            (
                seeky || self.leaf(queue).service() < half,
                self.clock.now.since(self.policy.slot.start).whole_us(),
            )
        };
        self.tell(|_| Decision::Slow { queue, slow });
        Verdict { slow, is_guess: false, length }
    }

    /// Whether slots of less than 20 ms are judged by service, too (docs/decisions.md, "A short
    /// slot can be slow as well").
    fn measures_short_slots(&self) -> bool {
        !self.policy.quirks.has(Quirk::ShortSlotsBySeekiness)
            && self.device.rotational
            && self.tunables.slice_idle > Span::ZERO
    }

    /// Charges a queue for the time of its slot as if it had used the device at full speed
    /// (spec 3.9): slow queues share time, fast ones sectors.
    fn charge_time(&mut self, queue: QueueId, entity: EntityId, length: Span) {
        let length = length.min(self.policy.durations.default_timeout).whole_ms();
        let by_time = self.policy.service_at_full_speed(length);
        let leaf = self.policy.fair.entity(entity);
        let service = leaf.service();
        let target = by_time.max(service);
        if target > leaf.budget() {
            self.policy.fair.set_budget(entity, target);
        }
        let charged = target - service;
        debug_assert!(charged >= Service::ZERO, "time gives back {charged}");
        self.serve(queue, charged);
        self.tell(|_| Decision::ChargedTime { queue, length, charged });
    }

    /// Steps 7 and 8: the queue leaves the disk. Returns whether it still exists.
    pub(crate) fn end_slot(&mut self, queue: QueueId, reason: Reason) -> bool {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot to end");
        let state = &mut self.model.queues[queue];
        if state.policy.merge.sharing.is_shared() && state.history.seeks.is_seeky() {
            state.policy.merge.sharing = Sharing::Parting;
        }
        state.policy.slot.waits_for_request = false;
        let entity = state.policy.entity;
        if self.model.detailed.on {
            self.note_slot_ends(queue, self.policy.slot.start);
        }
        let kept = reason == Reason::Preempted
            && (self.needed(&self.model.queues[queue]).is_some() || self.keeps_its_place(queue));
        let forgotten = if self.model.queues[queue].is_empty() && !kept {
            let state = &mut self.model.queues[queue];
            if state.in_flight == 0 {
                state.policy.slot.phase = Phase::Quiet { since: self.clock.tick };
            }
            self.make_idle(queue, Leaving::Expired)
        } else {
            let changed = self.policy.fair.requeue_expired(entity, self.clock.tick);
            let forgotten = self.follow_up(changed);
            self.update_position(queue);
            forgotten
        };
        self.policy.slot.idle_timer = None;
        self.policy.slot.in_service = None;
        self.free_forgotten(forgotten);
        if self.model.queues.contains(queue) {
            self.free_if_unreferenced(queue);
            return self.model.queues.contains(queue);
        }
        false
    }

    /// Whether a preempted queue stays in the trees although nothing of it waits
    /// (docs/decisions.md, "A reader that was preempted keeps its place").
    ///
    /// A sequential reader of one read at a time has nothing waiting while its read is on the way.
    /// Out of the trees, it would come back as a queue that becomes busy and preempt its successor,
    /// which has a read on the way by then and comes back in turn: a seek for each read, until a
    /// budget is used up. In the trees, it gets the disk back by its timestamps.
    fn keeps_its_place(&self, queue: QueueId) -> bool {
        let state = &self.model.queues[queue];
        !self.policy.quirks.has(Quirk::PreemptedReaderLeaves)
            && self.device.rotational
            && state.in_flight > 0
            && state.is_sequential_and_bound()
    }
}

impl Budget {
    /// What the disk delivers at its peak rate in such a time: the largest budget within the
    /// default timeout. The length must be below 2³² µs.
    fn service_at_full_speed(&self, length: Span) -> Service {
        // The largest budget is below 2³¹, so the product is below 2⁶³.
        debug_assert!(length < Span::from_us(1 << 32));
        let product = self.disk.budgets.max().amount() * length.as_us();
        Service::of(product / self.durations.default_timeout.as_us())
    }

    /// Steps 9 and 10: what the slot leaves behind.
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
