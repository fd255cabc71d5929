// SPDX-License-Identifier: MIT OR Apache-2.0
//! Serving others while the queue in service has nothing to do (spec 3.19).

use super::turn::Turn;
use crate::{
    model::{
        Model,
        clock::Clock,
        device::Device,
        ids::{ProcessId, QueueId},
        queue::Queue,
    },
    policy::budget::{queue::BudgetQueue, state::Budget},
    units::{Sectors, Span},
    why::InjectionRule,
};

/// On flash, a request this large is injected only into an idle device.
const LARGE: Sectors = Sectors::of(64);
/// An actuator with fewer requests in flight has too little to do (spec 9).
const ACTUATOR_LOAD: u32 = 4;

impl Budget {
    /// A request of another queue to serve while the one in service, which is this one, has
    /// nothing, and the rule by which that does no harm.
    // Out of line: within the selection, turns of the queue in service would go through memory.
    #[inline(never)]
    pub(super) fn find_injected(
        &self,
        model: &Model<Budget>,
        device: &Device,
        state: &Queue<Budget>,
    ) -> Option<(Turn, InjectionRule)> {
        debug_assert!(state.is_empty(), "it has a request of its own to serve");
        if let Some(turn) = self.turn_of_own_async_queue(model, state) {
            return Some((turn, InjectionRule::OwnAsync));
        }
        let injectable = |other: QueueId| self.injectable_turn(model, other);
        if let Some(turn) = state.policy.waking.waker.and_then(injectable) {
            return Some((turn, InjectionRule::Waker));
        }
        if let Some(turn) = state.policy.waking.woken.front().and_then(injectable) {
            return Some((turn, InjectionRule::Woken));
        }
        let raised = state.policy.is_raised();
        let bears = !raised || self.competition.busy.raised() > 1 || !state.policy.short_think_time;
        if self.boosts(device, state)
            || !bears
            || model.load.in_flight >= state.policy.injection.limit
        {
            return None;
        }
        let only_raised = raised && state.policy.short_think_time;
        let bears_large = device.rotational || model.load.in_flight == 0;
        for lane in 0..device.actuators {
            for leaf in self.fair.active_leaves(lane) {
                if only_raised && self.fair.entity(leaf).coefficient() == 1 {
                    continue;
                }
                let Some(turn) = self.fitting_turn(model, leaf) else { continue };
                if bears_large || model.requests[turn.request].sectors() < LARGE {
                    return Some((turn, InjectionRule::Limit));
                }
            }
        }
        None
    }

    /// The turn of the async queue of the process that owns a queue, if its next request is that
    /// process's.
    #[inline]
    fn turn_of_own_async_queue(
        &self,
        model: &Model<Budget>,
        state: &Queue<Budget>,
    ) -> Option<Turn> {
        let owner: ProcessId = state.owner.filter(|_| state.is_singly_owned())?;
        let own = model.processes.at(owner, state.actuator).asynchronous?;
        let next = model.queues[own].waiting.next?;
        let same = model.requests[next].process == Some(owner);
        if same { self.injectable_turn(model, own) } else { None }
    }

    /// The turn of another queue, if that is busy and its next request fits.
    // Out of line: most queues have neither a waker nor an async queue beside them.
    #[inline(never)]
    fn injectable_turn(&self, model: &Model<Budget>, queue: QueueId) -> Option<Turn> {
        let state = &model.queues[queue].policy;
        if state.busy { self.fitting_turn(model, state.entity) } else { None }
    }

    /// A request to serve because an actuator of the device has too little to do (spec 9), if it is
    /// not of the queue in service anyway. For devices with several.
    #[inline(never)]
    pub(super) fn find_for_actuator(
        &self,
        model: &Model<Budget>,
        device: &Device,
        queue: QueueId,
    ) -> Option<Turn> {
        debug_assert!(device.actuators > 1, "there is nothing to choose from");
        let serving = usize::from(model.queues[queue].actuator);
        let loads = &model.load.in_flight_by_actuator[..device.actuators];
        for (lane, &load) in loads.iter().enumerate() {
            let behind = loads.get(lane + 1);
            if load >= ACTUATOR_LOAD || behind.is_some_and(|&next| load >= next) {
                continue;
            }
            if lane == serving {
                return None;
            }
            let mut leaves = self.fair.active_leaves(lane);
            let found = leaves.find_map(|leaf| self.fitting_turn(model, leaf));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The sampled request of the queue in service is complete; `in_flight` counts it still.
    pub(super) fn learn_inject_limit(
        &mut self,
        clock: &Clock,
        in_flight: u32,
        state: &mut BudgetQueue,
    ) {
        let sampling = &mut self.sampling;
        debug_assert!(sampling.start.is_some(), "a request was sampled, so its time is measured");
        let total = sampling.start.map_or(Span::ZERO, |start| clock.now.since(start));
        let most = self.disk.command_queueing.most_in_flight();
        state.injection.learn(clock.tick, total, sampling.injected, in_flight, most);
        sampling.request = None;
        sampling.injected = false;
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Behaviour, Class, Config, Ioprio, NewRequest, ProcessAttributes, RequestId, Scheduler,
        Time, tunables::Tunable,
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
