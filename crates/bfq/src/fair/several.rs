// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several leaves in service at once: what is otherwise than in spec 1, where one is.
//!
//! * A leaf in service is on no active tree, so it is not chosen again; a group is on the active
//!   tree as long as a member is. What is in service and not active is kept apart, by start time.
//! * A leaf that is chosen is promised what is left of its budget, and so is each group above it.
//!   A group that is sorted in starts behind what it was promised and has not been given yet: as if
//!   it had been given it. So the slots that begin before the first one ends are shared by weight,
//!   too. What a slot leaves of its promise is taken back when it ends.
//! * The service of a group is folded into its start time, and cleared, whenever the group changes
//!   its place: there is nothing left at the end of a slot to be cleared.
//! * V is the least start time of all who are backlogged, in service or not, if it is not later
//!   already: the forward jump (spec 1.9) stops at those in service, and takes place whether or not
//!   there are any.
//! * The candidate of a level is always on an active tree; there is one if anything is. So the
//!   upward walks go on where a level comes to have none, and a choice updates all levels.

use super::{
    entities::{Entities, Promise},
    hierarchy::Hierarchy,
    ids::EntityId,
    rules::InService,
    service::Service,
    standing::Place,
    step::Occasion,
    virtual_time::advance,
};
use crate::units::Time;

impl<S: InService> Entities<S> {
    /// The start time of an entity is that of what it has been given, not of what it is promised.
    pub(super) fn put_back(&mut self, id: EntityId) {
        let ahead = core::mem::take(&mut self.promises[id].ahead);
        self.arena[id].times.put_back(ahead);
    }

    /// Puts off the start time of a group for what it is promised.
    pub(super) fn put_off(&mut self, id: EntityId) {
        self.put_back(id);
        let (entity, promise) = (&mut self.arena[id], &mut self.promises[id]);
        if !entity.is_leaf() {
            promise.ahead = advance(Service::of(promise.service), u64::from(entity.weight()));
            entity.times.put_off(promise.ahead);
        }
    }
}

impl<S: InService> Hierarchy<S> {
    /// Sets the next leaf in service beside those that are.
    pub(super) fn choose_beside_others(&mut self, now: Time) -> Option<EntityId> {
        let mut level = self.root();
        let leaf = loop {
            let id = self.levels[level].candidate?;
            debug_assert_eq!(self.entities[id].place(), Place::Active, "{id:?} does not wait");
            match self.entities[id].members() {
                Some(members) => level = members,
                None => break id,
            }
        };
        let promised = self.entities[leaf].budget_left().amount();
        let mut next = Some(leaf);
        while let Some(id) = next {
            let offers = self.offers_something(id);
            self.entities.promises[id].service += promised;
            let entity = &mut self.entities[id];
            entity.standing.begin_slot();
            let (level, is_leaf) = (&mut self.levels[entity.level()], entity.is_leaf());
            level.in_service += 1;
            if is_leaf {
                level.remove_active(&mut self.entities, id);
                level.insert_serving(&mut self.entities, id);
            } else {
                level.requeue(&mut self.entities, id, Occasion::Ordinary, offers);
            }
            level.update_candidate(&mut self.entities, None, now);
            next = level.entity;
        }
        Some(leaf)
    }

    /// Whether an entity that is backlogged is one to choose. Where several are in service, a group
    /// is not if all of its members are.
    #[inline]
    pub(super) fn offers_something(&self, id: EntityId) -> bool {
        if !S::SEVERAL {
            return true;
        }
        let members = self.entities[id].members();
        members.is_none_or(|members| self.levels[members].active_members > 0)
    }

    /// A leaf is given service: that much of what it was promised is no promise any more.
    pub(super) fn keep_promise(&mut self, leaf: EntityId, service: Service) {
        let kept = self.entities.promises[leaf].service.min(service.amount());
        self.lower_promise(leaf, kept);
    }

    /// The slot of a leaf ends.
    #[inline]
    pub(super) fn take_back_promise(&mut self, leaf: EntityId) {
        if S::SEVERAL {
            self.lower_promise(leaf, self.entities.promises[leaf].service);
        }
    }

    fn lower_promise(&mut self, leaf: EntityId, by: u64) {
        let mut next = Some(leaf).filter(|_| by > 0);
        while let Some(id) = next {
            self.entities.promises[id].service -= by;
            next = self.parent(id);
        }
    }

    /// Asserts what holds where several are in service.
    pub(super) fn check_several(&self) {
        for (id, entity) in self.entities.arena.iter() {
            let serves_only = entity.is_in_service() && entity.place() != Place::Active;
            assert_eq!(entity.place() == Place::Serving, serves_only, "{id:?}");
            let promise = self.entities.promises[id];
            assert!(entity.is_in_service() || promise == Promise::NONE, "{id:?}");
            let Some(members) = entity.members() else {
                assert!(entity.standing.slots() <= 1 && promise.ahead == 0, "{id:?}");
                continue;
            };
            let level = &self.levels[members];
            assert_eq!(entity.place() == Place::Active, level.active_members > 0, "{id:?}");
            let below = || self.entities.arena.iter().filter(|(_, below)| below.level() == members);
            let promised = below().map(|(below, _)| self.entities.promises[below].service);
            assert_eq!(promise.service, promised.sum(), "{id:?}");
        }
        let mut next = self.levels.next_key(None);
        while let Some(id) = next {
            let level = &self.levels[id];
            let waits =
                level.candidate.is_some_and(|id| self.entities[id].place() == Place::Active);
            assert_eq!(level.candidate.is_some(), waits, "{id:?}");
            assert!(waits == (level.active_members > 0), "{id:?} has the wrong candidate");
            next = self.levels.next_key(Some(id));
        }
    }
}
