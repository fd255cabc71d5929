// SPDX-License-Identifier: MIT OR Apache-2.0
//! Serving others while the queue in service has nothing to do (spec 3.19).

use super::inject_limit::PAUSE;
use crate::{
    model::ids::{ProcessId, QueueId},
    policy::budget::{counters::Counter, state::Scheduler},
    units::{Sectors, Span},
    why::{Decision, InjectionRule, Observer},
};

/// On flash, a request this large is injected only into an idle device.
const LARGE: Sectors = Sectors::of(64);
/// An actuator with fewer requests in flight has too little to do (spec 9).
const ACTUATOR_LOAD: u32 = 4;

impl<O: Observer> Scheduler<O> {
    /// Starts measuring the service time of the next request of the queue in service, if the
    /// moment is right.
    #[inline]
    pub(crate) fn consider_sampling(&mut self, queue: QueueId) {
        let injection = &self.model.queues[queue].policy.injection;
        let comparable = injection.baseline.is_some()
            && self.policy.sampling.injected
            && self.model.load.in_flight > 0;
        if self.policy.slot.in_service != Some(queue)
            || !(self.model.load.in_flight == 0 || comparable)
            || !self.clock.tick.is_at_least(PAUSE, injection.lowered_at)
        {
            return;
        }
        self.policy.sampling.start = Some(self.clock.now);
        self.policy.sampling.pending = true;
        if self.model.load.in_flight == 0 {
            self.policy.sampling.injected = false;
        }
    }

    /// The sampled request of the queue in service is complete.
    pub(crate) fn learn_inject_limit(&mut self, queue: QueueId) {
        let start = self.policy.sampling.start;
        debug_assert!(start.is_some(), "a request was sampled, so its time is measured");
        let total = start.map_or(Span::ZERO, |start| self.clock.now.since(start));
        let most = self.policy.disk.command_queueing.most_in_flight();
        let (tick, injected, in_flight) =
            (self.clock.tick, self.policy.sampling.injected, self.model.load.in_flight);
        let state = &mut self.model.queues[queue];
        state.policy.injection.learn(tick, total, injected, in_flight, most);
        self.policy.sampling.request = None;
        self.policy.sampling.injected = false;
    }

    /// The queue to serve while the one in service has nothing.
    pub(crate) fn choose_injected(&mut self, queue: QueueId) -> Option<QueueId> {
        let (other, rule) = self.find_injected(queue)?;
        if rule == InjectionRule::Limit {
            self.policy.sampling.injected = true;
        }
        self.policy.counters.count(Counter::of_injection(rule));
        self.tell(|_| Decision::Injected { queue: other, into: queue, rule });
        Some(other)
    }

    fn find_injected(&self, queue: QueueId) -> Option<(QueueId, InjectionRule)> {
        let state = &self.model.queues[queue];
        if let Some(own) = self.own_async_queue(queue) {
            return Some((own, InjectionRule::OwnAsync));
        }
        if let Some(waker) = state.policy.waking.waker.filter(|&waker| self.is_injectable(waker)) {
            return Some((waker, InjectionRule::Waker));
        }
        if let Some(woken) =
            state.policy.waking.woken.front().filter(|&woken| self.is_injectable(woken))
        {
            return Some((woken, InjectionRule::Woken));
        }
        let raised = state.policy.is_raised();
        let bears =
            !raised || self.policy.competition.busy.raised > 1 || !state.policy.short_think_time;
        if self.boosts(state) || !bears || self.model.load.in_flight >= state.policy.injection.limit
        {
            return None;
        }
        let only_raised = raised && state.policy.short_think_time;
        let mut lanes =
            (0..self.device.actuators).flat_map(|lane| self.policy.fair.active_leaves(lane));
        let found = lanes.find_map(|leaf| {
            let other = self.queue_of(leaf);
            let next = self.model.queues[other].waiting.next.filter(|_| self.fits(other))?;
            let large = self.model.requests[next].what.sectors >= LARGE;
            let welcome = !only_raised || self.is_raised(other);
            let harmless = self.device.rotational || !large || self.model.load.in_flight == 0;
            (welcome && harmless).then_some(other)
        });
        found.map(|other| (other, InjectionRule::Limit))
    }

    /// The async queue of the process that owns `queue`, if its next request is that process's.
    fn own_async_queue(&self, queue: QueueId) -> Option<QueueId> {
        let state = &self.model.queues[queue];
        let owner: ProcessId = state.owner.filter(|_| state.is_singly_owned())?;
        let own = self.model.processes.at(owner, state.actuator).asynchronous?;
        let next = self.model.queues[own].waiting.next?;
        let same = self.model.requests[next].what.process == Some(owner);
        (same && self.is_injectable(own)).then_some(own)
    }

    fn is_injectable(&self, queue: QueueId) -> bool {
        self.model.queues[queue].policy.busy && self.fits(queue)
    }

    /// The queue's next request fits into what is left of its budget.
    fn fits(&self, queue: QueueId) -> bool {
        let state = &self.model.queues[queue];
        let left = || self.policy.fair.entity(state.policy.entity).budget_left();
        state.waiting.next.is_some_and(|next| self.charge(state, next) <= left())
    }

    /// A queue to serve because an actuator of the device has too little to do (spec 9), if it is
    /// not the one in service anyway. For devices with several.
    #[inline(never)]
    pub(crate) fn feed_underused_actuator(&mut self, queue: QueueId) -> Option<QueueId> {
        let serving = usize::from(self.model.queues[queue].actuator);
        for lane in 0..self.device.actuators {
            let load = self.model.load.in_flight_by_actuator[lane];
            let behind =
                self.model.load.in_flight_by_actuator[..self.device.actuators].get(lane + 1);
            if load >= ACTUATOR_LOAD || behind.is_some_and(|&next| load >= next) {
                continue;
            }
            if lane == serving {
                return None;
            }
            let mut leaves = self.policy.fair.active_leaves(lane).map(|leaf| self.queue_of(leaf));
            let found = leaves.find(|&other| self.fits(other));
            drop(leaves);
            if let Some(other) = found {
                let rule = InjectionRule::Actuator;
                self.policy.counters.count(Counter::of_injection(rule));
                self.tell(|_| Decision::Injected { queue: other, into: queue, rule });
                return Some(other);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Behaviour, Class, Config, Ioprio, NewRequest, ProcessAttributes, RequestId, Time,
        tunables::Tunable,
    };

    /// Whether the newcomer, the second of two processes, is served while the first one, which is
    /// heavier, thinks after its second read (from 12 to 20 ms).
    fn newcomer_is_injected(behaviour: Behaviour) -> bool {
        let ms = |ms: u64| Time::from_ns(ms * 1_000_000);
        let config = Config { behaviour, ..Config::new(true, 64) };
        let mut bfq = Scheduler::new(ms(0), config).expect("memory");
        bfq.set_tunable(ms(0), Tunable::LowLatency, 0);
        let [first, newcomer] = [0, 7].map(|level| {
            let attributes = ProcessAttributes::with_ioprio(Ioprio::new(Class::BestEffort, level));
            bfq.add_process(ms(0), bfq.root_group(), attributes).expect("memory")
        });
        let read = |bfq: &mut Scheduler, tag: usize, process, at| {
            let read = NewRequest::read(process, 8 + 8 * tag as u64, 8, ms(at));
            bfq.insert(ms(at), RequestId::from_index(tag), &read, false).expect("a free tag");
        };
        for (tag, start, end) in [(0, 0, 8), (1, 12, 20)] {
            read(&mut bfq, tag, first, start);
            assert_eq!(bfq.dispatch(ms(start)), Some(RequestId::from_index(tag)));
            if tag == 1 {
                read(&mut bfq, 32, newcomer, 15);
            }
            bfq.complete(ms(end), RequestId::from_index(tag)).expect("dispatched");
        }
        bfq.dispatch(ms(20)).is_some()
    }

    #[test]
    fn in_6_1_the_first_request_of_a_queue_ends_a_measurement_of_another() {
        for (behaviour, injected) in [
            (Behaviour::Linux6_1, false),
            (Behaviour::Linux6_12, true),
            (Behaviour::Improved, true),
        ] {
            assert_eq!(newcomer_is_injected(behaviour), injected, "{behaviour:?}");
        }
    }
}
