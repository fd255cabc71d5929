// SPDX-License-Identifier: MIT OR Apache-2.0
//! When is it worth keeping the disk idle for the queue in service (spec 3.12, 3.13)?

use crate::{
    model::{ids::QueueId, queue::Queue},
    policy::budget::{
        counters::Counter,
        state::{Budget, Scheduler},
    },
    units::{Class, Span},
    why::{Decision, IdlingRule, Observer, Reason},
};

/// Idling for a seeky queue is kept this short.
const SEEKY_IDLE: Span = Span::from_ms(2);
/// A raised queue is waited for at least this long.
const RAISED_IDLE: Span = Span::from_ms(20);
/// This number of requests of others in the device gets in a raised queue's way.
const FOREIGN_IN_FLIGHT: u32 = 4;

impl<O: Observer> Scheduler<O> {
    /// Idling for the queue raises throughput, without side effects.
    pub(crate) fn boosts(&self, state: &Queue<Budget>) -> bool {
        if self.policy.disk.is_flash_with_queueing
            || self.policy.competition.busy.raised() != 0
            || state.references.processes == 0
        {
            return false;
        }
        (self.device.rotational && self.policy.disk.command_queueing.is_known_not_to_queue())
            || state.is_sequential_and_bound()
    }

    /// The guarantee that idling for the queue is needed for, if any.
    #[inline]
    pub(crate) fn needed(&self, state: &Queue<Budget>) -> Option<IdlingRule> {
        if state.references.processes == 0 {
            return None;
        }
        let others_busy = || {
            i64::from(self.policy.competition.busy.raised())
                < i64::from(self.policy.competition.busy.total())
        };
        let foreign = || self.model.load.in_flight >= state.in_flight + FOREIGN_IN_FLIGHT;
        if state.policy.is_raised() && (others_busy() || foreign()) {
            Some(IdlingRule::ProtectsRaised)
        } else if self.policy.is_asymmetric(state) {
            Some(IdlingRule::Asymmetric)
        } else if self.policy.competition.busy.total() == 1 {
            Some(IdlingRule::OnlyBusyQueue)
        } else {
            None
        }
    }

    /// Whether to wait for the queue's next request rather than to serve others, and why.
    pub(crate) fn better_to_idle(&self, state: &Queue<Budget>) -> Option<IdlingRule> {
        if state.references.processes == 0 {
            return None;
        }
        if self.tunables.strict_guarantees {
            return Some(IdlingRule::Strict);
        }
        let class = || self.policy.fair.entity(state.policy.entity).class();
        if self.tunables.slice_idle == Span::ZERO || !state.sync || class() == Class::Idle {
            return None;
        }
        if self.boosts(state) {
            return Some(IdlingRule::BoostsThroughput);
        }
        self.needed(state)
    }

    /// Arms the idle timer for the queue in service (spec 3.13).
    pub(crate) fn start_waiting(&mut self, queue: QueueId, rule: IdlingRule) {
        debug_assert_eq!(self.policy.slot.in_service, Some(queue), "it has no slot to wait in");
        let slice_idle = self.tunables.slice_idle;
        let state = &self.model.queues[queue];
        let raised = state.policy.is_raised();
        let seeky = state.history.seeks.is_seeky();
        let idle = if seeky && !raised && !self.policy.is_asymmetric(state) {
            slice_idle.min(SEEKY_IDLE)
        } else if raised {
            slice_idle.max(RAISED_IDLE)
        } else {
            slice_idle
        };
        self.model.queues[queue].policy.slot.waits_for_request = true;
        self.policy.slot.idling_since = self.clock.now;
        self.policy.counters.count(Counter::Idlings);
        let until = self.clock.now + idle;
        self.policy.slot.idle_timer = Some(until);
        self.tell(|_| Decision::Idling { queue, rule, until });
    }

    /// No request came while the disk was kept idle.
    pub(crate) fn idled_for_long(&mut self) {
        self.policy.slot.idle_timer = None;
        let Some(queue) = self.policy.slot.in_service else { return };
        debug_assert!(self.model.queues[queue].policy.slot.waits_for_request, "the timer ran");
        self.model.queues[queue].policy.slot.waits_for_request = false;
        let state = &self.model.queues[queue];
        let since = Some(self.policy.slot.idling_since);
        if self.has_timed_out(state) {
            self.expire(queue, Reason::BudgetTimeout, since);
        } else if state.is_empty() {
            self.expire(queue, Reason::TooIdle, since);
        }
        self.want_kick();
    }
}
