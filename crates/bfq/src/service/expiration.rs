//! The end of a slot: what it is charged, what is learnt from it, and whether the queue stays
//! backlogged (spec 3.7, 3.9).

use super::busy::Leaving;
use crate::{
    queue::QueueId,
    scheduler::Scheduler,
    statistics::Counter,
    units::{NS_PER_MS, Time},
    why::{Decision, Observer, Reason},
};

/// Slots shorter than this are too short to be measured.
const MEASURABLE_US: u64 = 1000;
/// From here on slowness is judged by service, not by seekiness, under every behaviour.
const LONG_US: u64 = 20_000;
/// What a slot too short to be measured is charged at least: flash, rotational.
const SHORT_CHARGE_MS: [u64; 2] = [2, 8];

/// How a slot is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    slow: bool,
    /// Too short to be measured: its length is a guess.
    is_guess: bool,
    length_ms: u64,
}

impl<O: Observer> Scheduler<O> {
    /// Ends the slot of the queue in service (spec 3.7). `idle_since` is when idling began, if the
    /// idle timer is the cause: that time is not held against the queue, unless its slot is short and
    /// slow.
    pub(crate) fn expire(&mut self, queue: QueueId, reason: Reason, idle_since: Option<Time>) {
        let verdict = self.judge_slot(queue, idle_since);
        let leaf = self.leaf(queue);
        let little_used =
            reason == Reason::BudgetTimeout && leaf.budget_left() >= leaf.budget() / 3;
        let raised = self.is_raised(queue);
        if !raised && (verdict.slow || little_used) {
            self.charge_time(queue, verdict.length_ms);
        }
        self.note_expiration_for_raising(queue, raised);
        self.sampling.pending = false;
        self.sampling.injected = false;
        self.sampling.request = None;
        self.counters.count(Counter::of_reason(reason));
        if verdict.slow {
            self.counters.count(Counter::SlowSlots);
        }
        self.tell(|s| Decision::Expired {
            queue,
            reason,
            slow: verdict.slow,
            in_flight: s.queues[queue].in_flight,
            short_think_time: s.queues[queue].short_think_time,
        });
        self.feed_back_budget(queue, reason, verdict.slow && verdict.is_guess);
        if self.end_slot(queue, reason) {
            self.settle_service(queue, reason);
        }
        self.free_forgotten();
    }

    /// Slow test (spec 3.9).
    fn judge_slot(&mut self, queue: QueueId, idle_since: Option<Time>) -> Verdict {
        if !self.queues[queue].sync {
            return Verdict { slow: false, is_guess: false, length_ms: 0 };
        }
        let end = idle_since.unwrap_or(self.now);
        let length_us = end.since_ns(self.slot_start) / 1000;
        let seeky = self.queues[queue].seeks.is_seeky();
        if length_us < MEASURABLE_US {
            let length_ms = SHORT_CHARGE_MS[usize::from(self.rotational)];
            return Verdict { slow: seeky, is_guess: true, length_ms };
        }
        let (slow, length_us) = if length_us > LONG_US {
            (self.leaf(queue).service() < self.budgets.max() / 2, length_us)
        } else if !self.measures_short_slots() {
            (seeky, length_us)
        } else {
            // What it is charged includes the idle time at its end.
            let half = self.sectors_at_full_speed(length_us) / 2;
            (
                seeky || (self.leaf(queue).service() as u64) < half,
                self.now.since_ns(self.slot_start) / 1000,
            )
        };
        self.tell(|_| Decision::Slow { queue, slow });
        Verdict { slow, is_guess: false, length_ms: length_us / 1000 }
    }

    /// Whether slots of less than 20 ms are judged by service, too (docs/decisions.md, "A short slot
    /// can be slow as well").
    fn measures_short_slots(&self) -> bool {
        !self.behaviour.is_reference() && self.rotational && self.tunables.slice_idle_ns > 0
    }

    /// What the disk delivers at its peak rate in such a time: the largest budget within the
    /// default timeout. The length must be below 2³² µs.
    fn sectors_at_full_speed(&self, length_us: u64) -> u64 {
        // The largest budget is below 2³¹, so the product is below 2⁶³.
        debug_assert!(length_us < 1 << 32);
        self.budgets.max() as u64 * length_us / (self.durations.default_timeout_ns / 1000)
    }

    /// Charges a queue for the time of its slot as if it had used the device at full speed
    /// (spec 3.9): slow queues share time, fast ones sectors.
    fn charge_time(&mut self, queue: QueueId, length_ms: u64) {
        let default_timeout_ms = self.durations.default_timeout_ns / NS_PER_MS;
        let length_ms = length_ms.min(default_timeout_ms);
        let by_time = self.sectors_at_full_speed(length_ms * 1000);
        let leaf = self.leaf(queue);
        let service = leaf.service();
        let target = (by_time as i32).max(service);
        if target > leaf.budget() {
            let entity = self.queues[queue].entity;
            self.fair.set_budget(entity, target);
        }
        let charged = target - service;
        self.serve(queue, charged);
        self.tell(|_| Decision::ChargedTime { queue, length_ms, charged });
    }

    /// Steps 7 and 8: the queue leaves the disk. Returns whether it still exists.
    pub(crate) fn end_slot(&mut self, queue: QueueId, reason: Reason) -> bool {
        let state = &self.queues[queue];
        if state.shared && state.seeks.is_seeky() {
            self.queues[queue].to_be_split = true;
        }
        if self.detailed_statistics {
            self.note_slot_ends(queue);
        }
        let entity = self.queues[queue].entity;
        let kept = reason == Reason::Preempted
            && (self.needed(queue).is_some() || self.keeps_its_place(queue));
        if self.queues[queue].is_empty() && !kept {
            if self.queues[queue].in_flight == 0 {
                self.queues[queue].deadline_or_quiesce = self.tick;
            }
            self.make_idle(queue, Leaving::Expired);
        } else {
            let class = self.class(queue);
            self.fair.requeue_expired(entity, self.tick);
            self.tell_finishes();
            self.recount(queue, class);
            self.update_position(queue);
        }
        self.fair.end_slot(entity);
        self.queues[queue].waits_for_request = false;
        self.idle_timer = None;
        self.in_service = None;
        self.free_forgotten();
        if self.queues.contains(queue) {
            self.free_if_unreferenced(queue);
        }
        self.queues.contains(queue)
    }

    /// Whether a preempted queue stays in the trees although nothing of it waits
    /// (docs/decisions.md, "A reader that was preempted keeps its place").
    ///
    /// A sequential reader of one read at a time has nothing waiting while its read is on the way.
    /// Out of the trees, it would come back as a queue that becomes busy and preempt its successor,
    /// which has a read on the way by then and comes back in turn: a seek for each read, until a
    /// budget is used up. In the trees, it gets the disk back by its timestamps.
    fn keeps_its_place(&self, queue: QueueId) -> bool {
        let state = &self.queues[queue];
        !self.behaviour.is_reference()
            && self.rotational
            && state.in_flight > 0
            && state.is_sequential_and_bound()
    }

    /// Steps 9 and 10: what the slot leaves behind.
    fn settle_service(&mut self, queue: QueueId, reason: Reason) {
        let entity = self.queues[queue].entity;
        let may_continue =
            matches!(reason, Reason::TooIdle | Reason::NoMoreRequests | Reason::Preempted);
        if !self.queues[queue].busy && may_continue {
            self.queues[queue].continues = true;
        } else {
            self.fair.set_service(entity, 0);
        }
        self.fair.clear_service_of_ancestors(entity);
    }
}
