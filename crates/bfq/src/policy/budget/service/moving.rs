// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues change their group: with their process, or because the group goes (spec 6.4–6.6).

use crate::{
    fair::Owner,
    model::{
        Model,
        clock::Clock,
        ids::{GroupId, ProcessId, QueueId},
    },
    policy::budget::state::{Budget, Scheduler},
    quirks::Quirk,
    units::Class,
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// The sync queue of a process that lives in another group now.
    pub(crate) fn take_sync_queue_along(
        &mut self,
        process: ProcessId,
        queue: QueueId,
        group: GroupId,
    ) {
        let state = &self.model.queues[queue];
        debug_assert!(state.sync, "an async queue stays in its group");
        if !state.policy.merge.sharing.is_shared() && state.policy.merge.target.is_none() {
            if state.group != group {
                self.move_queue(queue, group);
            }
            return;
        }
        let target = |&queue: &QueueId| self.model.queues[queue].policy.merge.target;
        let chain = core::iter::successors(Some(queue), target);
        let elsewhere = chain.into_iter().any(|queue| self.model.queues[queue].group != group);
        if elsewhere {
            let actuator = self.model.queues[queue].actuator;
            self.link(process, None, true, actuator);
            self.drop_chain_references(queue);
            self.release_from_process(queue);
        }
    }

    /// Moves a queue to another group (spec 6.5).
    pub(crate) fn move_queue(&mut self, queue: QueueId, group: GroupId) {
        debug_assert_ne!(self.model.queues[queue].group, group, "it is there");
        // It must not be freed while it moves.
        self.model.queues[queue].references.pins += 1;
        let state = &mut self.model.queues[queue];
        let was_pending = state.policy.counted.pending;
        self.policy.competition.unmark_pending(&mut self.model.groups, state);
        if self.policy.slot.in_service == Some(queue) {
            self.expire_in_favour_of(queue, None);
        }
        let entity = self.model.queues[queue].policy.entity;
        debug_assert!(!self.policy.fair.entity(entity).is_in_service(), "its slot has ended");
        let forgotten = if self.model.queues[queue].policy.busy {
            let changed = self.policy.fair.deactivate(entity, false, self.clock.tick);
            self.follow_up(changed)
        } else {
            self.policy.fair.forget_idle(entity)
        };
        self.model.leave_positions(queue);
        let from = self.model.queues[queue].group;
        self.model.groups[from].policy.forget_created(queue);
        let old = self.change_group(queue, group);
        self.policy.fair.rehang_leaf(entity, self.model.groups[group].policy.level);
        self.policy.join_group(&mut self.model, &self.clock, queue, was_pending);
        let forgotten = if self.model.queues[queue].policy.busy {
            let changed = self.policy.fair.activate(entity, false, self.clock.tick);
            forgotten.and(self.follow_up(changed))
        } else {
            forgotten
        };
        if self.policy.slot.in_service.is_none() && self.model.load.in_flight == 0 {
            self.want_kick();
        }
        self.free_forgotten(forgotten);
        self.model.queues[queue].references.pins -= 1;
        self.free_if_unreferenced(queue);
        self.drop_group_reference(old);
    }

    /// The queues of a group that goes move to the root group, class by class: those that wait in
    /// the order of their finish times, then the one in service, whatever its class; the others
    /// stay until their next request, but are scheduled no more (spec 6.6).
    pub(crate) fn empty_group(&mut self, group: GroupId) {
        debug_assert!(!self.model.groups[group].online, "{group:?} stays");
        for class in Class::ALL {
            self.empty_class(group, class);
        }
        if let Some(entity) = self.model.groups[group].policy.entity {
            let changed = self.policy.fair.deactivate(entity, false, self.clock.tick);
            let forgotten = self.follow_up(changed);
            self.free_forgotten(forgotten);
        }
    }

    fn empty_class(&mut self, group: GroupId, class: Class) {
        let level = self.model.groups[group].policy.level;
        while let Some(leaf) = self.policy.fair.first_active(level, class) {
            self.move_queue(self.policy.queue_of(leaf), self.model.root);
        }
        let of_group = |&queue: &QueueId| self.model.queues[queue].group == group;
        if let Some(queue) = self.policy.slot.in_service.filter(of_group) {
            self.move_queue(queue, self.model.root);
        }
        let mut forgotten = None;
        while let Some(changed) = self.policy.fair.forget_first_idle(level, class) {
            forgotten = Some(self.follow_up(changed));
        }
        debug_assert!(self.policy.fair.first_active(level, class).is_none(), "some came back");
        if let Some(forgotten) = forgotten {
            self.free_forgotten(forgotten);
        }
    }
}

impl Budget {
    /// A queue is in its new group: it counts there, and has a position if it is busy.
    fn join_group(
        &mut self,
        model: &mut Model<Budget>,
        clock: &Clock,
        queue: QueueId,
        was_pending: bool,
    ) {
        let state = &mut model.queues[queue];
        debug_assert_eq!(self.leaf(state).level(), model.groups[state.group].policy.level);
        let busy = state.policy.busy;
        if !busy && !self.quirks.has(Quirk::SlotMovesAlong) {
            state.policy.slot.continues = false;
        }
        let pending = if self.quirks.has(Quirk::PendingMovesAlong) {
            was_pending
        } else {
            busy || state.in_flight > 0
        };
        if pending {
            self.competition.mark_pending(&mut model.groups, state);
        }
        if busy {
            self.update_position(model, clock, queue);
        }
    }
}
