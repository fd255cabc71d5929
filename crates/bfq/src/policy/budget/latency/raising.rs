// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raises: when they start, how they change, when they end (spec 4.2–4.4, 4.6, 4.9).

use super::raise::{
    Cause, INTERACTIVE_COEFFICIENT, MIN_ASYNC_GAP, MIN_IDLE, SOFT_RT_COEFFICIENT, SOFT_RT_PERIOD,
};
use crate::{
    fair::{Owner, Service},
    model::{
        ids::{GroupId, QueueId},
        request::NewRequest,
    },
    policy::budget::{counters::Counter, merge::AFTER_SPLIT, queue::BudgetQueue, state::Scheduler},
    quirks::Quirk,
    units::{Ioprio, Span, Time},
    why::{Decision, Observer, RaiseKind},
};

/// What an arrival at a queue that is not busy looks like (spec 4.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Soon enough after the last completion to go on where the queue stopped.
    pub in_time: bool,
    /// Long enough without anything to do to be a fresh interaction.
    pub idle_for_long: bool,
    /// A user waits for it.
    pub interactive: bool,
    /// It keeps the pace of a player.
    soft_rt: bool,
    /// It may be raised, or is.
    pub deserves: bool,
}

impl<O: Observer> Scheduler<O> {
    /// Classifies a request that comes for a queue at rest.
    pub(crate) fn classify_arrival(&mut self, queue: QueueId, new: &NewRequest) -> Arrival {
        let asked = self.asked(new);
        let (ticks, durations) = (self.clock.ticks, self.policy.durations);
        let notes_batch =
            self.tunables.low_latency && !self.policy.quirks.has(Quirk::PausesAreTheSchedulers);
        let state = &mut self.model.queues[queue];
        let last_completion = state.history.last_completion;
        if notes_batch {
            state.policy.note_batch(ticks, &durations, ticks.coarse(last_completion));
        }
        let leaf = self.policy.fair.entity(state.policy.entity);
        let idle_for_long = state.in_flight == 0
            && asked.is_more_than(MIN_IDLE, state.policy.slot.phase.last_busy());
        let ordinary = !state.policy.burst.in_large_burst
            && leaf.requested_base_weight() == Ioprio::DEFAULT.weight();
        let interactive = ordinary && idle_for_long;
        let soft_rt = ordinary && state.keeps_pace(asked);
        let is_stably_merged = || {
            let at = |process| self.model.processes.at(process, state.actuator);
            new.process.is_some_and(|process| at(process).policy.stably_merged)
        };
        let one_process = state.sync && (state.is_singly_owned() || is_stably_merged());
        let candidate = one_process && (interactive || soft_rt);
        let deserves = self.tunables.low_latency && (leaf.coefficient() > 1 || candidate);
        let in_time = !self.clock.now.is_more_than(durations.in_time, last_completion);
        Arrival { in_time, idle_for_long, interactive, soft_rt, deserves }
    }

    /// Starts, changes or ends the raise of a queue that becomes busy, and is raised or deserves it
    /// (spec 4.3).
    pub(crate) fn update_raise(&mut self, queue: QueueId, arrival: Arrival) {
        if !self
            .clock
            .tick
            .is_more_than(AFTER_SPLIT, self.model.queues[queue].policy.merge.split_at)
        {
            return;
        }
        let before = self.coefficient(queue);
        if before == 1 {
            self.start_raise(queue, arrival.interactive);
        } else if arrival.interactive {
            self.set_raise(queue, RaiseKind::Interactive);
        } else if self.model.queues[queue].policy.burst.in_large_burst {
            self.set_coefficient(queue, 1);
        } else if arrival.soft_rt {
            let tick = self.clock.tick;
            let raise = &mut self.model.queues[queue].policy.raise;
            if !raise.is_soft_rt() {
                raise.interactive_origin = Some(raise.stamp);
            }
            raise.stamp = tick;
            self.set_raise(queue, RaiseKind::SoftRealTime);
        }
    }

    fn start_raise(&mut self, queue: QueueId, interactive: bool) {
        if interactive {
            self.model.queues[queue].policy.raise.service = Service::ZERO;
            self.set_raise(queue, RaiseKind::Interactive);
        } else {
            self.model.queues[queue].policy.raise.interactive_origin = None;
            self.set_raise(queue, RaiseKind::SoftRealTime);
        }
        let entity = self.model.queues[queue].policy.entity;
        let budget = self.policy.fair.entity(entity).budget();
        self.policy.fair.set_budget(entity, budget.min(self.policy.disk.budgets.min().times(2)));
    }

    fn set_raise(&mut self, queue: QueueId, kind: RaiseKind) {
        let (coefficient, period) = match kind {
            RaiseKind::SoftRealTime => {
                (SOFT_RT_COEFFICIENT, self.clock.ticks.rounded_up(SOFT_RT_PERIOD))
            }
            RaiseKind::Interactive | RaiseKind::Async => {
                (INTERACTIVE_COEFFICIENT, self.interactive_period())
            }
        };
        let before = self.coefficient(queue);
        self.model.queues[queue].policy.raise.cause = Some(match kind {
            RaiseKind::SoftRealTime => Cause::SoftRealTime,
            RaiseKind::Interactive | RaiseKind::Async => Cause::Interactive { period },
        });
        if before != coefficient {
            self.set_coefficient(queue, coefficient);
            self.policy.counters.count(match kind {
                RaiseKind::Interactive => Counter::InteractiveRaises,
                RaiseKind::SoftRealTime => Counter::SoftRtRaises,
                RaiseKind::Async => Counter::AsyncRaises,
            });
            let period_ms = period.as_ms();
            self.tell(|_| Decision::Raised { queue, kind, coefficient, period_ms });
        }
    }

    /// Sets ρ; the weight follows when it is next applied.
    pub(crate) fn set_coefficient(&mut self, queue: QueueId, coefficient: u32) {
        let state = &mut self.model.queues[queue];
        if core::mem::replace(&mut state.policy.coefficient, coefficient) != coefficient {
            self.policy.fair.set_coefficient(state.policy.entity, coefficient);
            self.tell(|_| Decision::Coefficient { queue, coefficient });
        }
    }

    /// Raises a busy queue that is not raised if its async request comes after a pause since the
    /// `last` one (spec 4.6).
    pub(crate) fn consider_async_raise(&mut self, queue: QueueId, last: Time) {
        if self.clock.tick.is_more_than(MIN_ASYNC_GAP, last) {
            self.set_raise(queue, RaiseKind::Async);
            self.policy.competition.busy.change_raised(1);
        }
    }

    /// After a dispatch from the queue in service: does its raise go on (spec 4.4)?
    pub(crate) fn check_raise(&mut self, queue: QueueId) {
        if self.is_raised(queue) {
            self.tell_raise(queue);
            self.check_raise_end(queue);
        }
        let leaf = self.leaf(queue);
        if (leaf.weight() > leaf.base_weight()) != (leaf.coefficient() > 1) {
            let entity = self.model.queues[queue].policy.entity;
            let changed = self.policy.fair.apply_weight(entity);
            let forgotten = self.follow_up(changed);
            self.free_forgotten(forgotten);
        }
    }

    fn tell_raise(&mut self, queue: QueueId) {
        self.tell(|s| {
            let leaf = s.leaf(queue);
            let raise = &s.model.queues[queue].policy.raise;
            Decision::RaiseChecked {
                queue,
                age_ms: s.clock.tick.since(raise.stamp).as_ms(),
                period_ms: raise.period().as_ms(),
                coefficient: leaf.coefficient(),
                weight: leaf.weight().get(),
                base_weight: leaf.base_weight().get(),
            }
        });
    }

    fn check_raise_end(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue].policy;
        match state.course_of_raise(self.clock.tick, || self.interactive_period()) {
            Course::GoesOn => {}
            Course::BecomesInteractive => {
                let is_served = state.raise.is_served();
                self.switch_back_to_interactive(queue);
                if is_served {
                    self.end_raise(queue);
                }
            }
            Course::Ends => self.end_raise(queue),
        }
    }

    /// A soft real-time raise ends while the interactive one would still be running.
    pub(crate) fn switch_back_to_interactive(&mut self, queue: QueueId) {
        let period = self.interactive_period();
        let raise = &mut self.model.queues[queue].policy.raise;
        raise.cause = Some(Cause::Interactive { period });
        raise.stamp = raise.interactive_origin.unwrap_or(Time::LONG_AGO);
        self.set_coefficient(queue, INTERACTIVE_COEFFICIENT);
    }

    /// Ends a raise.
    pub(crate) fn end_raise(&mut self, queue: QueueId) {
        let tick = self.clock.tick;
        let state = &mut self.model.queues[queue];
        if !state.policy.raise.is_soft_rt() {
            state.policy.raise.soft_rt_next_start = tick;
        }
        state.policy.raise.cause = None;
        state.policy.raise.stamp = tick;
        if state.policy.busy {
            self.policy.competition.busy.change_raised(-1);
        }
        self.set_coefficient(queue, 1);
        self.tell(|_| Decision::RaiseEnded { queue });
    }

    /// The end of a slot as raising sees it (spec 3.7, steps 3 and 4).
    pub(crate) fn note_expiration_for_raising(&mut self, queue: QueueId, raised: bool) {
        if !self.tunables.low_latency {
            return;
        }
        if !raised {
            self.model.queues[queue].policy.raise.stamp = self.clock.tick;
        }
        self.note_batch_end_as_reference(queue);
    }

    /// `low_latency` is turned off: all raises end (spec 4.9, mended).
    pub(crate) fn end_all_raises(&mut self) {
        if self.policy.quirks.has(Quirk::EndsSupposedRaises) {
            self.end_raises_as_reference();
            return;
        }
        let mut next = self.model.queues.next_key(None);
        while let Some(queue) = next {
            if self.is_raised(queue) {
                self.end_raise(queue);
            }
            next = self.model.queues.next_key(Some(queue));
        }
    }

    /// The reference ends a raise of every queue that is in a tree, raised or not, then of every
    /// async queue, and of the root group's once more; not of the one in service, which is in no
    /// tree (spec 10.2, row 6).
    fn end_raises_as_reference(&mut self) {
        let mut next = self.model.queues.next_key(None);
        while let Some(queue) = next {
            if self.leaf(queue).is_in_tree() {
                self.end_supposed_raise(queue);
            }
            next = self.model.queues.next_key(Some(queue));
        }
        let mut next = self.model.groups.next_key(None);
        while let Some(group) = next {
            self.end_raises_of_async_queues(group);
            next = self.model.groups.next_key(Some(group));
        }
        self.end_raises_of_async_queues(self.model.root);
    }

    fn end_raises_of_async_queues(&mut self, group: GroupId) {
        for at in 0..self.model.groups[group].async_queues().len() {
            if let Some(queue) = self.model.groups[group].async_queues()[at] {
                self.end_supposed_raise(queue);
            }
        }
    }

    /// Ends the raise that the reference takes a queue to have. If it has none, one too many
    /// is counted off.
    fn end_supposed_raise(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue].policy;
        if state.busy && !state.is_raised() {
            self.policy.competition.busy.miscount_raised();
        }
        self.end_raise(queue);
    }

    /// A queue idle for very long is forgiven its burst (spec 4.7).
    pub(crate) fn forgive_burst(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        if !state.policy.burst.just_created
            && self
                .clock
                .tick
                .is_more_than(super::burst::FORGIVE, state.policy.slot.phase.last_busy())
        {
            self.policy.burst.unlist(&mut self.model.queues, queue);
            self.model.queues[queue].policy.burst.in_large_burst = false;
        }
    }

    /// A queue that was just created gets a request: is it part of a burst (spec 4.7)?
    pub(crate) fn handle_burst(&mut self, queue: QueueId) {
        let state = &self.model.queues[queue];
        if self.policy.burst.lists(&self.model.queues, queue)
            || state.policy.burst.in_large_burst
            || !self.clock.tick.is_more_than(super::burst::AFTER_SPLIT, state.policy.merge.split_at)
        {
            return;
        }
        let (tick, window) = (self.clock.tick, self.policy.durations.burst_window);
        let any_busy = self.policy.competition.busy.total() > 0;
        let (now, observer) = (self.clock.now, &mut self.observer);
        let counters = &mut self.policy.counters;
        self.policy.burst.on_creation(
            &mut self.model.queues,
            queue,
            tick,
            window,
            any_busy,
            |queue| {
                counters.count(Counter::LargeBurstQueues);
                if observer.is_watching() {
                    observer.decided(now, &Decision::InLargeBurst { queue });
                }
            },
        );
    }
}

/// How a raise goes on after a dispatch (spec 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    GoesOn,
    /// The interactive raise that it interrupted goes on in its place.
    BecomesInteractive,
    Ends,
}

impl BudgetQueue {
    /// How its raise goes on; `interactive_period` is how long an interactive one lasts.
    fn course_of_raise(&self, tick: Time, interactive_period: impl FnOnce() -> Span) -> Course {
        let raise = &self.raise;
        let is_soft_rt = raise.is_soft_rt();
        let is_over = tick.is_more_than(raise.period(), raise.stamp);
        if self.burst.in_large_burst {
            Course::Ends
        } else if is_over && is_soft_rt && !raise.is_interactive_over(tick, interactive_period()) {
            Course::BecomesInteractive
        } else if is_over || (!is_soft_rt && raise.is_served()) {
            Course::Ends
        } else {
            Course::GoesOn
        }
    }
}

#[cfg(test)]
#[path = "raising_tests.rs"]
mod tests;
