// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the model's calls ask of Budget Fair Queueing: each question goes to the part that knows.

use super::{
    queue::{BudgetGroup, BudgetQueue, Sharing},
    state::{Budget, Durations, Scheduler},
};
use crate::{
    model::{
        Model,
        allowance::Allowance,
        clock::Clock,
        device::Device,
        ids::{GroupId, ProcessId, QueueId, RequestId},
        request::{NewRequest, Operation},
    },
    quirks::{Behaviour, Quirk},
    scheduler::{Groups, Inspection, NewQueue, Policy, Queues, Redirection},
    statistics::StatisticInfo,
    store::arena::OutOfMemory,
    tunables::{Tunable, Tunables},
    units::{Ioprio, Sector, Time, Weight},
    why::Observer,
};

impl Policy for Budget {
    const NAME: &'static str = "bfq";

    fn new(clock: &Clock, device: &Device, behaviour: Behaviour) -> Result<Self, OutOfMemory> {
        Budget::of_device(clock, device, behaviour)
    }

    #[inline(always)]
    fn arrived<O: Observer>(
        s: &mut Scheduler<O>,
        queue: QueueId,
        id: RequestId,
        new: &NewRequest,
        is_lone: bool,
    ) {
        s.request_arrived(queue, id, new, is_lone);
    }

    fn next_changed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId) {
        if s.policy.slot.in_service != Some(queue) {
            s.update_next_budget(queue);
        }
        s.policy.update_position(&mut s.model, &s.clock, queue);
    }

    fn withdrawn<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, id: RequestId) {
        s.remove_waiting(queue, id);
    }

    #[inline(always)]
    fn dispatch<O: Observer>(s: &mut Scheduler<O>) -> Option<RequestId> {
        s.dispatch_scheduled()
    }

    #[inline]
    fn last_position(&self) -> Sector {
        self.disk.last_position.or_first()
    }

    fn bypassed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, _: RequestId) {
        if !s.policy.quirks.has(Quirk::DirectRequestsDoNotCount) {
            let Model { queues, groups, .. } = &mut s.model;
            s.policy.start_counting(groups, &mut queues[queue]);
        }
    }

    #[inline(always)]
    fn completed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, id: RequestId) {
        s.complete_in_queue(queue, id);
    }

    fn next_timer(&self) -> Option<Time> {
        self.slot.idle_timer
    }

    fn on_timer<O: Observer>(s: &mut Scheduler<O>) {
        s.idled_for_long();
    }

    fn schedules_nobody(&self) -> bool {
        !self.quirks.has(Quirk::NobodyGoesFirst)
    }

    fn limits_sync_reads<O: Observer>(s: &Scheduler<O>) -> bool {
        s.policy.holds_sync_reads(&s.model, &s.device)
    }

    fn allowed_requests<O: Observer>(
        s: &mut Scheduler<O>,
        process: Option<ProcessId>,
        operation: Operation,
        sync: bool,
    ) -> Allowance {
        s.share_of_pool(process, operation, sync)
    }
}

impl Groups for Budget {
    fn root_group(&self) -> BudgetGroup {
        BudgetGroup::new(self.fair.root(), None)
    }

    fn new_group(&mut self, parent: &BudgetGroup) -> Result<BudgetGroup, OutOfMemory> {
        let (entity, level) = self.fair.add_group(parent.level, Weight::DEFAULT_GROUP, 0)?;
        Ok(BudgetGroup::new(level, Some(entity)))
    }

    fn drop_group(&mut self, state: &BudgetGroup) {
        if let Some(entity) = state.entity {
            self.fair.remove_group(entity);
        }
    }

    fn set_group_weight(&mut self, state: &mut BudgetGroup, weight: Weight) {
        if let Some(entity) = state.entity {
            self.fair.request_weight(entity, weight);
        }
    }

    fn group_weight(&self, state: &BudgetGroup) -> Weight {
        match state.entity {
            Some(entity) => self.fair.entity(entity).requested_base_weight(),
            None => Weight::DEFAULT_GROUP,
        }
    }

    fn move_queue<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, group: GroupId) {
        s.move_queue(queue, group);
    }

    fn process_moved<O: Observer>(
        s: &mut Scheduler<O>,
        process: ProcessId,
        queue: QueueId,
        group: GroupId,
    ) {
        s.take_sync_queue_along(process, queue, group);
    }

    fn group_removed<O: Observer>(s: &mut Scheduler<O>, group: GroupId) {
        s.empty_group(group);
    }

    fn group_freed<O: Observer>(s: &mut Scheduler<O>, group: GroupId) {
        s.policy.burst.forget_group(group);
    }
}

impl Queues for Budget {
    fn new_queue(
        &mut self,
        clock: &Clock,
        queue: NewQueue<'_, BudgetGroup>,
    ) -> Result<BudgetQueue, OutOfMemory> {
        let NewQueue { group, sync, actuator, class, weight } = queue;
        let entity = self.fair.add_leaf(group.level, class, weight, actuator, 0)?;
        let budget = self.disk.budgets.initial();
        let mut state = BudgetQueue::new(entity, sync, budget, clock);
        if self.quirks.has(Quirk::NewcomerEndsMeasurement) {
            // Its first request resets the limit, which ends a measurement of another queue.
            state.injection.lowered_at = Time::LONG_AGO;
        }
        Ok(state)
    }

    fn queue_created(&mut self, state: &mut BudgetQueue, queue: QueueId) {
        self.fair.set_owner(state.entity, queue.index() as u32);
    }

    fn ioprio_changed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId, ioprio: Ioprio) {
        let entity = s.model.queues[queue].policy.entity;
        s.policy.fair.request_weight(entity, ioprio.weight());
        s.policy.fair.request_class(entity, ioprio.class());
    }

    fn process_ends<O: Observer>(s: &mut Scheduler<O>, process: ProcessId, actuator: u8) {
        s.cancel_stable_merge(process, actuator);
        if s.model.processes[process].is_gone() {
            let state = &mut s.model.processes.at_mut(process, actuator).policy;
            s.policy.saved.forget(&mut state.saved);
        }
    }

    fn process_leaves<O: Observer>(s: &mut Scheduler<O>, queue: QueueId) {
        s.end_of_process(queue);
    }

    #[inline]
    fn holds<O: Observer>(s: &Scheduler<O>, queue: QueueId) -> bool {
        s.model.queues[queue].policy.counted.weight.is_some()
            || s.policy.slot.in_service == Some(queue)
            || s.policy.leaf(&s.model.queues[queue]).is_scheduled()
    }

    fn queue_freed<O: Observer>(s: &mut Scheduler<O>, queue: QueueId) {
        s.policy.forget_queue(&mut s.model, queue);
    }
}

impl Redirection for Budget {
    fn sync_queue<O: Observer>(s: &mut Scheduler<O>, process: ProcessId, new: QueueId) -> QueueId {
        s.consider_stable_merge(process, new)
    }

    #[inline(always)]
    fn is_parting(state: &BudgetQueue) -> bool {
        state.merge.sharing == Sharing::Parting
    }

    fn queue_for_next<O: Observer>(
        s: &mut Scheduler<O>,
        process: ProcessId,
        linked: QueueId,
    ) -> QueueId {
        if s.model.leaves(process, linked) { s.split_and_restore(process, linked) } else { linked }
    }

    #[inline(always)]
    fn awaits_requests(state: &BudgetQueue) -> bool {
        state.burst.just_created
    }

    #[inline(always)]
    fn allocated<O: Observer>(s: &mut Scheduler<O>, queue: QueueId) {
        if s.policy.burst.size() > 0 || s.policy.competition.busy.total() == 0 {
            s.handle_burst(queue);
        }
    }

    #[inline(always)]
    fn leads_on(state: &BudgetQueue) -> bool {
        state.merge.target.is_some()
    }

    #[inline(always)]
    fn seeks_others(&self) -> bool {
        !self.disk.is_flash_with_queueing
    }

    #[inline(never)]
    fn redirect<O: Observer>(
        s: &mut Scheduler<O>,
        process: ProcessId,
        queue: QueueId,
        new: &NewRequest,
    ) -> QueueId {
        let target = s.find_cooperator(queue, process, new.start());
        target.map_or(queue, |target| s.follow_merge(process, queue, target))
    }

    #[inline(always)]
    fn redirect_bio<O: Observer>(
        s: &mut Scheduler<O>,
        process: ProcessId,
        queue: QueueId,
        bio: &NewRequest,
    ) -> QueueId {
        match s.find_cooperator(queue, process, bio.start()) {
            Some(target) => s.merge_for_bio(process, queue, target, bio.sync),
            None => queue,
        }
    }

    #[inline(always)]
    fn may_be_owned(state: &BudgetQueue) -> bool {
        state.merge.target.is_none()
    }

    fn orphaned(state: &mut BudgetQueue) {
        // No queue will follow it any more, and the target may go first.
        state.merge.target = None;
    }

    fn count_references<O: Observer>(s: &Scheduler<O>, count: &mut impl FnMut(QueueId)) {
        for (_, state) in s.model.queues.iter() {
            if let Some(target) = state.policy.merge.target {
                // Taken in advance, for the processes that are on their way.
                (0..state.references.processes).for_each(|_| count(target));
            }
        }
    }
}

impl Inspection for Budget {
    const TUNABLES: &'static [Tunable] = &Tunable::OF_BFQ;
    const HAS_BEHAVIOURS: bool = true;

    fn behaviour(&self) -> Option<Behaviour> {
        Some(self.behaviour)
    }

    fn tunable_changed<O: Observer>(s: &mut Scheduler<O>, tunable: Tunable, before: &Tunables) {
        let slice_idle = s.tunables.slice_idle;
        if slice_idle != before.slice_idle {
            s.policy.durations = Durations::new(s.clock.ticks, slice_idle, s.policy.quirks);
        }
        match tunable {
            Tunable::MaxBudget => s.tune_max_budget(),
            Tunable::TimeoutSync if s.tunables.max_budget.is_none() => s.tune_max_budget(),
            Tunable::LowLatency if before.low_latency && !s.tunables.low_latency => {
                s.end_all_raises();
            }
            _ => {}
        }
    }

    fn observed(&mut self, by_somebody: bool) {
        self.fair.report_finishes(by_somebody);
    }

    fn statistics<O: Observer>(
        s: &Scheduler<O>,
    ) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        s.policy.statistics_of(&s.model)
    }

    fn serving(&self) -> Option<QueueId> {
        self.slot.in_service
    }

    fn next_pieces_bytes(&self) -> [[usize; 2]; 3] {
        let [entities, levels] = self.fair.next_pieces_bytes();
        [entities, levels, self.saved.next_pieces_bytes()]
    }

    fn check<O: Observer>(s: &Scheduler<O>) {
        s.policy.check_all(&s.model, &s.clock, &s.device, s.tunables.slice_idle);
    }
}
