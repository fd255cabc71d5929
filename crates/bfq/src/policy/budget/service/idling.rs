// SPDX-License-Identifier: MIT OR Apache-2.0
//! When is it worth keeping the disk idle for the queue in service, and for how long (spec 3.12,
//! 3.13)?

use crate::{
    model::{clock::Clock, device::Device, load::Load, queue::Queue},
    policy::budget::{counters::Counter, state::Budget},
    tunables::Tunables,
    units::{Class, Span, Time},
    why::IdlingRule,
};

/// Idling for a seeky queue is kept this short.
const SEEKY_IDLE: Span = Span::from_ms(2);
/// A raised queue is waited for at least this long.
const RAISED_IDLE: Span = Span::from_ms(20);
/// This number of requests of others in the device gets in a raised queue's way.
const FOREIGN_IN_FLIGHT: u32 = 4;

impl Budget {
    /// Idling for the queue raises throughput, without side effects.
    #[inline]
    pub(crate) fn boosts(&self, device: &Device, state: &Queue<Budget>) -> bool {
        if self.disk.is_flash_with_queueing
            || self.competition.busy.raised() != 0
            || state.references.processes == 0
        {
            return false;
        }
        (device.rotational && self.disk.command_queueing.is_known_not_to_queue())
            || state.is_sequential_and_bound()
    }

    /// The guarantee that idling for the queue is needed for, if any.
    #[inline]
    pub(super) fn needed(&self, load: &Load, state: &Queue<Budget>) -> Option<IdlingRule> {
        if state.references.processes == 0 {
            return None;
        }
        debug_assert!(state.in_flight <= load.in_flight, "it has more than all");
        let others_busy =
            || i64::from(self.competition.busy.raised()) < i64::from(self.competition.busy.total());
        let foreign = || load.in_flight >= state.in_flight + FOREIGN_IN_FLIGHT;
        if state.policy.is_raised() && (others_busy() || foreign()) {
            Some(IdlingRule::ProtectsRaised)
        } else if self.is_asymmetric(state) {
            Some(IdlingRule::Asymmetric)
        } else if self.competition.busy.total() == 1 {
            Some(IdlingRule::OnlyBusyQueue)
        } else {
            None
        }
    }

    /// Whether to wait for the queue's next request rather than to serve others, and why.
    #[inline]
    pub(super) fn better_to_idle(
        &self,
        tunables: &Tunables,
        device: &Device,
        load: &Load,
        state: &Queue<Budget>,
    ) -> Option<IdlingRule> {
        if state.references.processes == 0 {
            return None;
        }
        if tunables.strict_guarantees {
            return Some(IdlingRule::Strict);
        }
        let class = || self.leaf(state).class();
        if tunables.slice_idle == Span::ZERO || !state.sync || class() == Class::Idle {
            return None;
        }
        if self.boosts(device, state) {
            return Some(IdlingRule::BoostsThroughput);
        }
        self.needed(load, state)
    }

    /// Keeps the disk idle for the queue in service, which is this one (spec 3.13); returns until
    /// when.
    #[inline]
    pub(super) fn start_waiting(
        &mut self,
        clock: &Clock,
        slice_idle: Span,
        state: &mut Queue<Budget>,
    ) -> Time {
        debug_assert!(self.slot.in_service.is_some() && state.policy.busy, "it has no slot");
        debug_assert!(state.is_empty(), "it has a request to serve");
        let raised = state.policy.is_raised();
        let seeky = state.history.seeks.is_seeky();
        let idle = if seeky && !raised && !self.is_asymmetric(state) {
            slice_idle.min(SEEKY_IDLE)
        } else if raised {
            slice_idle.max(RAISED_IDLE)
        } else {
            slice_idle
        };
        state.policy.slot.waits_for_request = true;
        self.slot.idling_since = clock.now;
        self.counters.count(Counter::Idlings);
        let until = clock.now + idle;
        self.slot.idle_timer = Some(until);
        until
    }
}
