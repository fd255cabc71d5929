// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the model's calls ask of Time Fair Queueing.

use super::{
    alone::AloneCost,
    cache::Pace,
    company::Company,
    expected::Returns,
    loan::Pool,
    pattern::Pattern,
    read_ahead::ReadAhead,
    state::{Scheduler, TimeFair, TimeGroup, TimeQueue},
};
use crate::{
    model::{
        allowance::Allowance,
        clock::Clock,
        device::Device,
        ids::{GroupId, ProcessId, QueueId, RequestId},
        request::{Content, NewRequest, Operation},
    },
    quirks::Behaviour,
    scheduler::{Groups, Inspection, NewQueue, Policy, Queues, Redirection},
    statistics::StatisticInfo,
    store::arena::OutOfMemory,
    tunables::{Tunable, Tunables},
    units::{Ioprio, Sector, Sectors, Span, Time, Weight},
    why::Observer,
};

impl Policy for TimeFair {
    const NAME: &'static str = "tfq";

    fn new(clock: &Clock, device: &Device, _: Behaviour) -> Result<Self, OutOfMemory> {
        TimeFair::of_device(clock, device)
    }

    fn arrived<O: Observer>(
        s: &mut Scheduler<O>,
        queue: QueueId,
        id: RequestId,
        new: &NewRequest,
        _: bool,
    ) {
        s.request_came(queue, id, &Content::of(new));
    }

    fn grown<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, by: Sectors) {
        if let Some(loan) = &mut s.model.queues[queue].policy.loan {
            loan.grew(by);
        }
    }

    fn withdrawn<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, id: RequestId) {
        s.take_out(queue, id);
        let state = &s.model.queues[queue];
        s.policy.backlogged -= u64::from(state.is_empty());
        if state.is_empty() && state.in_flight == 0 {
            s.give_up(queue);
        }
        if s.model.load.queued == 0 {
            s.policy.allowances.favour.end(s.clock.now);
        }
    }

    fn dispatch<O: Observer>(s: &mut Scheduler<O>) -> Option<RequestId> {
        s.next_request()
    }

    fn last_position(&self) -> Sector {
        self.last_position
    }

    fn bypassed<O: Observer>(s: &mut Scheduler<O>, _: QueueId, id: RequestId) {
        s.policy.in_device.add(s.sectors_of(id));
        s.policy.in_device.alone = None;
        s.policy.rotation.bypassed(s.clock.now, s.model.load.in_flight);
    }

    fn completed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, id: RequestId) {
        s.request_done(queue, id);
    }

    fn next_timer(&self) -> Option<Time> {
        let hold = self.hold.and_then(|hold| hold.until);
        let Some(probe) = &self.probe else { return hold };
        let latest = probe.latest();
        Some(hold.map_or(latest, |until| until.min(latest)))
    }

    fn on_timer<O: Observer>(s: &mut Scheduler<O>) {
        let now = s.clock.now;
        if s.policy.probe.as_ref().is_some_and(|probe| probe.is_late(now)) {
            s.end_probe();
        }
        if let Some(hold) = s.policy.hold
            && hold.until.is_some_and(|until| until <= now)
        {
            s.policy.hold = Some(super::state::Hold { until: None, ..hold });
        }
        s.want_kick();
    }

    fn limits_sync_reads<O: Observer>(s: &Scheduler<O>) -> bool {
        s.is_pool_scarce()
    }

    fn allowed_requests<O: Observer>(
        s: &mut Scheduler<O>,
        process: Option<ProcessId>,
        _: Operation,
        sync: bool,
    ) -> Allowance {
        s.places_of(process, sync)
    }
}

impl Groups for TimeFair {
    fn root_group(&self) -> TimeGroup {
        TimeGroup { node: None, level: self.shares.root(), pool: Pool::new() }
    }

    fn new_group(&mut self, parent: &TimeGroup) -> Result<TimeGroup, OutOfMemory> {
        let (node, level) = self.shares.add_group(parent.level, Weight::DEFAULT_GROUP)?;
        Ok(TimeGroup { node: Some(node), level, pool: Pool::new() })
    }

    fn drop_group(&mut self, state: &TimeGroup) {
        if let Some(node) = state.node {
            self.shares.remove(node);
        }
    }

    fn set_group_weight(&mut self, state: &mut TimeGroup, weight: Weight) {
        if let Some(node) = state.node {
            self.shares.set_weight(node, weight);
        }
    }

    fn group_weight(&self, state: &TimeGroup) -> Weight {
        state.node.map_or(Weight::DEFAULT_GROUP, |node| self.shares.weight(node))
    }

    fn move_queue<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, group: GroupId) {
        let node = s.node_of(queue);
        let level = s.model.groups[group].policy.level;
        s.policy.shares.move_queue(node, level);
        s.rehome(queue, group);
    }

    fn group_removed<O: Observer>(s: &mut Scheduler<O>, group: GroupId) {
        // Those that want nothing now follow their processes, as under BFQ (spec 6.6).
        let level = s.model.groups[group].policy.level;
        while let Some(node) = s.policy.shares.first_queue_below(level) {
            Self::move_queue(s, s.queue_of(node), s.model.root);
        }
    }
}

impl Queues for TimeFair {
    fn new_queue(
        &mut self,
        _: &Clock,
        queue: NewQueue<'_, TimeGroup>,
    ) -> Result<TimeQueue, OutOfMemory> {
        let node = self.shares.add_queue(queue.group.level, queue.class, queue.weight)?;
        let (returns, cost) = (Returns::new(), AloneCost::new());
        Ok(TimeQueue {
            node,
            alive: true,
            returns,
            cost,
            pattern: Pattern::new(),
            pace: Pace::new(),
            random_in_flight: 0,
            advanced: Span::ZERO,
            visits: None,
            read_ahead: ReadAhead::new(),
            company: Company::None,
            loan: None,
        })
    }

    fn queue_created(&mut self, state: &mut TimeQueue, queue: QueueId) {
        self.shares.set_owner(state.node, queue.index() as u32);
    }

    fn ioprio_changed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, ioprio: Ioprio) {
        let node = s.node_of(queue);
        s.policy.shares.set_weight(node, ioprio.weight());
        s.policy.shares.set_class(node, ioprio.class());
    }

    fn process_leaves<O: Observer>(s: &mut Scheduler<O>, queue: QueueId) {
        let state = &mut s.model.queues[queue];
        if state.sync {
            state.policy.alive = false;
            if state.is_empty() && state.in_flight == 0 {
                s.give_up(queue);
            }
        }
    }

    fn holds<O: Observer>(s: &Scheduler<O>, queue: QueueId) -> bool {
        s.policy.shares.is_active(s.node_of(queue))
    }

    fn queue_freed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId) {
        if s.policy.probe.as_ref().is_some_and(|probe| probe.queue == queue) {
            s.end_probe();
        }
        s.policy.hold.take_if(|hold| hold.queue == queue);
        s.policy.rotation.forget(queue);
        s.policy.cache.forget(queue);
        let node = s.node_of(queue);
        s.policy.shares.remove(node);
    }
}

impl Redirection for TimeFair {}

impl Inspection for TimeFair {
    const TUNABLES: &'static [Tunable] =
        &[Tunable::Strict, Tunable::LowLatency, Tunable::SliceIdle, Tunable::SliceIdleUs];

    fn tunable_changed<O: Observer>(s: &mut Scheduler<O>, tunable: Tunable, _: &Tunables) {
        if tunable == Tunable::LowLatency && !s.tunables.low_latency {
            s.end_loans();
        }
        if tunable == Tunable::Strict {
            s.policy.allowances.favour.end(s.clock.now);
        }
        s.want_kick();
    }

    fn statistics<O: Observer>(
        s: &Scheduler<O>,
    ) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        s.own_statistics()
    }

    fn next_pieces_bytes(&self) -> [[usize; 2]; 3] {
        let [nodes, levels] = self.shares.next_pieces_bytes();
        [nodes, levels, [0; 2]]
    }

    fn check<O: Observer>(s: &Scheduler<O>) {
        s.policy.shares.check();
        s.policy.learnt.check();
        let backlogged = s.model.queues.iter().filter(|(_, queue)| !queue.is_empty()).count();
        assert_eq!(s.policy.backlogged, backlogged as u64, "queues with requests that wait");
        for (id, queue) in s.model.queues.iter() {
            let node = queue.policy.node;
            assert_eq!(s.policy.shares.owner(node) as usize, id.index(), "the owner of {node:?}");
            assert!(
                queue.is_empty() || s.policy.shares.is_active(node),
                "{id:?} has something waiting and no turn"
            );
        }
    }
}
