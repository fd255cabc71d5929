//! When is it worth keeping the disk idle for the queue in service (spec 3.12, 3.13)?

use crate::{
    queue::QueueId,
    scheduler::Scheduler,
    statistics::Counter,
    units::{Class, NS_PER_MS, Time},
    why::{Decision, IdlingRule, Observer, Reason},
};

/// Idling for a seeky queue is kept this short.
const SEEKY_IDLE_NS: u64 = 2 * NS_PER_MS;
/// A raised queue is waited for at least this long.
const RAISED_IDLE_NS: u64 = 20 * NS_PER_MS;
/// So many requests of others in the device get in a raised queue's way.
const FOREIGN_IN_FLIGHT: u32 = 4;

impl<O: Observer> Scheduler<O> {
    /// Idling for the queue raises throughput, without side effects.
    pub(crate) fn boosts(&self, queue: QueueId) -> bool {
        let state = &self.queues[queue];
        if self.flash_with_queueing || self.busy.raised != 0 || state.process_references == 0 {
            return false;
        }
        (self.rotational && self.command_queueing.is_known_not_to_queue())
            || state.is_sequential_and_bound()
    }

    /// The guarantee that idling for the queue is needed for, if any.
    #[inline]
    pub(crate) fn needed(&self, queue: QueueId) -> Option<IdlingRule> {
        let state = &self.queues[queue];
        if state.process_references == 0 {
            return None;
        }
        let others_busy = || i64::from(self.busy.raised) < i64::from(self.busy.total());
        let foreign = || self.in_flight >= state.in_flight + FOREIGN_IN_FLIGHT;
        if state.is_raised() && (others_busy() || foreign()) {
            Some(IdlingRule::ProtectsRaised)
        } else if self.is_asymmetric(Some(queue)) {
            Some(IdlingRule::Asymmetric)
        } else if self.busy.total() == 1 {
            Some(IdlingRule::OnlyBusyQueue)
        } else {
            None
        }
    }

    /// Whether to wait for the queue's next request rather than to serve others, and why.
    pub(crate) fn better_to_idle(&self, queue: QueueId) -> Option<IdlingRule> {
        let state = &self.queues[queue];
        if state.process_references == 0 {
            return None;
        }
        if self.tunables.strict_guarantees {
            return Some(IdlingRule::Strict);
        }
        if self.tunables.slice_idle_ns == 0 || !state.sync || self.class(queue) == Class::Idle {
            return None;
        }
        if self.boosts(queue) {
            return Some(IdlingRule::BoostsThroughput);
        }
        self.needed(queue)
    }

    /// Arms the idle timer for the queue in service (spec 3.13).
    pub(crate) fn start_waiting(&mut self, queue: QueueId, rule: IdlingRule) {
        let slice_idle_ns = self.tunables.slice_idle_ns;
        let raised = self.is_raised(queue);
        let seeky = self.queues[queue].seeks.is_seeky();
        let idle_ns = if seeky && !raised && !self.is_asymmetric(Some(queue)) {
            slice_idle_ns.min(SEEKY_IDLE_NS)
        } else if raised {
            slice_idle_ns.max(RAISED_IDLE_NS)
        } else {
            slice_idle_ns
        };
        self.queues[queue].waits_for_request = true;
        self.idling_since = self.now;
        self.counters.count(Counter::Idlings);
        let until = self.now + idle_ns;
        self.idle_timer = Some(until);
        self.tell(|_| Decision::Idling { queue, rule, until });
    }

    /// When [`Scheduler::on_timer`] wants to be called.
    pub fn next_timer(&self) -> Option<Time> {
        self.idle_timer
    }

    /// The timer set by [`Scheduler::next_timer`] fires. A call before its time does nothing.
    pub fn on_timer(&mut self, now: Time) {
        self.at(now);
        if self.idle_timer.is_none_or(|timer| self.now < timer) {
            return;
        }
        self.idle_timer = None;
        let Some(queue) = self.in_service else { return };
        self.queues[queue].waits_for_request = false;
        let since = Some(self.idling_since);
        if self.has_timed_out(queue) {
            self.expire(queue, Reason::BudgetTimeout, since);
        } else if self.queues[queue].is_empty() {
            self.expire(queue, Reason::TooIdle, since);
        }
        self.want_kick();
    }

    /// Asks the host to run dispatching again, if anything waits.
    pub(crate) fn want_kick(&mut self) {
        if self.queued > 0 {
            self.tell(|_| Decision::Kick);
            self.kick = true;
        }
    }

    /// Whether the host is asked to run dispatching again; asking clears it.
    pub fn take_kick(&mut self) -> bool {
        core::mem::take(&mut self.kick)
    }
}
