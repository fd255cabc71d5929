// SPDX-License-Identifier: MIT OR Apache-2.0
//! The raise of one queue: how it starts, changes and ends (spec 4.3, 4.4, 4.6).

use super::{
    arrival::Arrival,
    raise::{Cause, INTERACTIVE, INTERACTIVE_COEFFICIENT, Raise, SOFT_RT_COEFFICIENT},
};
use crate::{
    fair::Service,
    model::{clock::Clock, device::Device, ids::QueueId},
    policy::budget::{
        counters::Counter,
        queue::BudgetQueue,
        state::{Budget, REFERENCE_DURATIONS, REFERENCE_RATES},
    },
    units::{Span, Time},
    why::{Decision, Observer, RaiseKind},
};

/// A queue, and what its raise hangs on.
#[derive(Debug)]
pub(crate) struct Raising<'a, O> {
    pub(super) queue: QueueId,
    pub(super) state: &'a mut BudgetQueue,
    pub(super) policy: &'a mut Budget,
    pub(super) clock: &'a Clock,
    pub(super) device: &'a Device,
    pub(super) observer: &'a mut O,
}

impl<O: Observer> Raising<'_, O> {
    /// Starts, changes or ends the raise of a queue that becomes busy, if it is time to (spec 4.3).
    pub fn follow_arrival(&mut self, arrival: Arrival) {
        debug_assert!(!self.state.busy && arrival.may_change_raise);
        if !self
            .clock
            .tick
            .is_more_than(self.policy.durations.after_split, self.state.merge.split_at)
        {
            return;
        }
        if !self.state.is_raised() {
            self.start(arrival.interactive);
        } else if arrival.interactive {
            self.set(RaiseKind::Interactive);
        } else if arrival.in_large_burst {
            self.set_coefficient(1);
        } else if arrival.soft_rt {
            let raise = &mut self.state.raise;
            if !raise.is_soft_rt() {
                raise.interactive_origin = Some(raise.stamp);
            }
            raise.stamp = self.clock.tick;
            self.set(RaiseKind::SoftRealTime);
        }
    }

    fn start(&mut self, interactive: bool) {
        debug_assert!(!self.state.is_raised(), "it is raised already");
        if interactive {
            self.state.raise.service = Service::ZERO;
            self.set(RaiseKind::Interactive);
        } else {
            self.state.raise.interactive_origin = None;
            self.set(RaiseKind::SoftRealTime);
        }
        let (entity, fair) = (self.state.entity, &mut self.policy.fair);
        let most = self.policy.disk.budgets.min().times(2);
        fair.set_budget(entity, fair.entity(entity).budget().min(most));
    }

    fn set(&mut self, kind: RaiseKind) {
        let (coefficient, period) = match kind {
            RaiseKind::SoftRealTime => (SOFT_RT_COEFFICIENT, self.policy.durations.latency.soft_rt),
            RaiseKind::Interactive | RaiseKind::Async => {
                (INTERACTIVE_COEFFICIENT, self.interactive_period())
            }
        };
        self.state.raise.cause = Some(match kind {
            RaiseKind::SoftRealTime => Cause::SoftRealTime,
            RaiseKind::Interactive | RaiseKind::Async => Cause::Interactive { period },
        });
        if self.state.coefficient() != coefficient {
            self.set_coefficient(coefficient);
            self.policy.counters.count(match kind {
                RaiseKind::Interactive => Counter::InteractiveRaises,
                RaiseKind::SoftRealTime => Counter::SoftRtRaises,
                RaiseKind::Async => Counter::AsyncRaises,
            });
            let (queue, period) = (self.queue, self.clock.ticks.shown(period));
            self.tell(|_| Decision::Raised { queue, kind, coefficient, period });
        }
    }

    /// Sets ρ, and counts the queue as raised or not, if it is busy; its weight follows when it is
    /// next applied.
    pub fn set_coefficient(&mut self, coefficient: u32) {
        let before = self.state.set_coefficient(&mut self.policy.fair, coefficient);
        if before == coefficient {
            return;
        }
        if self.state.busy {
            let change = i32::from(coefficient > 1) - i32::from(before > 1);
            self.policy.competition.busy.change_raised(change);
        }
        let queue = self.queue;
        self.tell(|_| Decision::Coefficient { queue, coefficient });
    }

    /// Raises a busy queue that is not raised if its async request comes after a pause since the
    /// `last` one (spec 4.6).
    pub fn consider_async(&mut self, last: Time) {
        debug_assert!(self.state.busy && !self.state.is_raised());
        if self.clock.tick.is_more_than(self.policy.durations.latency.min_async_gap, last) {
            self.set(RaiseKind::Async);
        }
    }

    /// After a dispatch: does the raise, if there is one, go on (spec 4.4)?
    pub fn go_on_or_end(&mut self) {
        if !self.state.is_raised() {
            return;
        }
        self.tell(Self::checked);
        match self.state.course_of_raise(
            self.clock.tick,
            self.policy.durations.latency.soft_rt,
            || self.interactive_period(),
        ) {
            Course::GoesOn => {}
            Course::BecomesInteractive { since } => {
                let is_served = self.state.raise.is_served();
                self.switch_back(since);
                if is_served {
                    self.end();
                }
            }
            Course::Ends => self.end(),
        }
    }

    fn checked(&self) -> Decision {
        let leaf = self.policy.fair.entity(self.state.entity);
        let (raise, ticks) = (&self.state.raise, self.clock.ticks);
        Decision::RaiseChecked {
            queue: self.queue,
            age: ticks.shown(self.clock.tick.since(raise.stamp)),
            period: ticks.shown(raise.period(self.policy.durations.latency.soft_rt)),
            coefficient: leaf.coefficient(),
            weight: leaf.weight(),
            base_weight: leaf.base_weight(),
        }
    }

    /// A soft real-time raise ends while the interactive one, begun at `since`, would still be
    /// running.
    fn switch_back(&mut self, since: Time) {
        debug_assert!(self.state.is_soft_rt_raised(), "no raise to switch from");
        let period = self.interactive_period();
        let raise = &mut self.state.raise;
        raise.cause = Some(Cause::Interactive { period });
        raise.stamp = since;
        self.set_coefficient(INTERACTIVE_COEFFICIENT);
    }

    /// Ends the raise: the queue has its base weight again.
    pub fn end(&mut self) {
        let tick = self.clock.tick;
        let raise = &mut self.state.raise;
        if !raise.is_soft_rt() {
            raise.soft_rt_next_start = tick;
        }
        raise.cause = None;
        raise.stamp = tick;
        self.set_coefficient(1);
        let queue = self.queue;
        self.tell(|_| Decision::RaiseEnded { queue });
    }

    /// Ends the raise that the reference takes the queue to have. If it has none, one too many
    /// is counted off.
    pub fn end_supposed(&mut self) {
        if self.state.busy && !self.state.is_raised() {
            let busy = &mut self.policy.competition.busy;
            busy.miscount_raised();
            busy.change_raised(-1);
        }
        self.end();
    }

    /// A soft real-time queue shows itself totally seeky (spec 4.5).
    pub fn leave_soft_rt(&mut self) {
        debug_assert!(self.state.is_soft_rt_raised(), "it is not there to leave");
        match self.interrupted() {
            Some(since) => self.switch_back(since),
            None => self.end(),
        }
    }

    /// A raise that was restored may be over by now (spec 5.7).
    pub fn end_if_over(&mut self) {
        let raise = &self.state.raise;
        let period = raise.period(self.policy.durations.latency.soft_rt);
        let is_over = self.clock.tick.is_more_than(period, raise.stamp);
        let in_large_burst = self.state.burst.in_large_burst;
        if !self.state.is_raised() || !(in_large_burst || is_over) {
            return;
        }
        let is_soft_rt = raise.is_soft_rt() && !in_large_burst;
        match self.interrupted().filter(|_| is_soft_rt) {
            Some(since) => self.switch_back(since),
            None => self.set_coefficient(1),
        }
    }

    /// The queue is raised as another one that is merged into it was, unless it is raised (spec
    /// 5.4, step 4).
    pub fn inherit(&mut self, coefficient: u32, from: &Raise) {
        debug_assert!(coefficient > 1, "no raise to inherit");
        if !self.state.is_raised() {
            let raise = &mut self.state.raise;
            raise.cause = from.cause;
            raise.stamp = from.stamp;
            raise.interactive_origin = from.interactive_origin;
            self.set_coefficient(coefficient);
        }
    }

    fn interrupted(&self) -> Option<Time> {
        self.state.raise.interrupted(self.clock.tick, self.interactive_period())
    }

    fn interactive_period(&self) -> Span {
        self.policy.interactive_period(self.clock, self.device)
    }

    /// Reports a decision, as [`Scheduler::tell`](crate::Scheduler::tell) does.
    #[inline(always)]
    fn tell(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        if self.observer.is_watching() {
            self.tell_watcher(decision);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_watcher(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        let decision = decision(self);
        self.observer.decided(self.clock.now, &decision);
    }
}

impl Budget {
    /// Duration of an interactive raise: what starting a large application takes on a device as
    /// fast as this one (spec 4.1).
    pub(crate) fn interactive_period(&self, clock: &Clock, device: &Device) -> Span {
        let kind = usize::from(device.rotational);
        let rate = self.disk.peak_rate.rate();
        let period = rate.time_of(REFERENCE_RATES[kind], REFERENCE_DURATIONS[kind]);
        let (least, most) = self.durations.latency.interactive;
        clock.ticks.rounded_up(period.min(INTERACTIVE.1)).clamp(least, most)
    }
}

/// How a raise goes on after a dispatch (spec 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    GoesOn,
    /// The interactive raise that it interrupted goes on in its place.
    BecomesInteractive {
        since: Time,
    },
    Ends,
}

impl BudgetQueue {
    /// How its raise goes on; `soft_rt` is how long a soft real-time one lasts, and
    /// `interactive_period` an interactive one.
    fn course_of_raise(
        &self,
        tick: Time,
        soft_rt: Span,
        interactive_period: impl FnOnce() -> Span,
    ) -> Course {
        debug_assert!(self.is_raised(), "there is no raise to go on");
        let raise = &self.raise;
        let is_soft_rt = raise.is_soft_rt();
        let is_over = tick.is_more_than(raise.period(soft_rt), raise.stamp);
        if self.burst.in_large_burst {
            Course::Ends
        } else if is_over
            && is_soft_rt
            && let Some(since) = raise.interrupted(tick, interactive_period())
        {
            Course::BecomesInteractive { since }
        } else if is_over || (!is_soft_rt && raise.is_served()) {
            Course::Ends
        } else {
            Course::GoesOn
        }
    }
}
