// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hierarchy as its users see it: levels and entities come and go, weights change, service is
//! accounted. The upward and downward walks are in `path`.

use super::{
    changed::{Changed, Forgotten, Reweighed},
    entities::{Entities, LANES, Limits},
    entity::Entity,
    finishes::{Finish, Finishes},
    ids::{EntityId, LevelId},
    level::Level,
    rules::{InService, One, Rules},
    service::Service,
    standing::Place,
};
use crate::{
    store::arena::{Arena, Key, OutOfMemory},
    units::{Class, Time, Weight},
};

/// All levels and entities of a device.
#[derive(Debug)]
pub struct Hierarchy<S: InService = One> {
    pub(super) entities: Entities<S>,
    pub(super) levels: Arena<LevelId, Level<S>>,
}

impl<S: InService> Hierarchy<S> {
    /// A hierarchy with just the root level.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(rules: Rules<S>, limits: Limits, now: Time) -> Result<Self, OutOfMemory> {
        let mut levels = Arena::new();
        levels.insert(Level::new(rules, now))?;
        Ok(Hierarchy { entities: Entities::new(rules, limits), levels })
    }

    /// For entities, then for levels: the figures of [`crate::Scheduler::next_pieces_bytes`].
    pub fn next_pieces_bytes(&self) -> [[usize; 2]; 2] {
        [self.entities.arena.next_pieces_bytes(), self.levels.next_pieces_bytes()]
    }

    /// The level of the root group, which always exists.
    pub fn root(&self) -> LevelId {
        Key::from_index(0)
    }

    /// Adds a group below `parent`; returns its entity and the level of its members. `owner` is
    /// what [`Entity::owner`] gives back.
    ///
    /// # Errors
    /// [`OutOfMemory`], with nothing changed.
    pub fn add_group(
        &mut self,
        parent: LevelId,
        weight: Weight,
        owner: u32,
    ) -> Result<(EntityId, LevelId), OutOfMemory> {
        let level = self.levels.insert(Level::new(self.entities.rules, Time::LONG_AGO))?;
        let entity = Entity::group(parent, level, weight, owner);
        match self.entities.insert(entity) {
            Ok(entity) => {
                self.levels[level].entity = Some(entity);
                Ok((entity, level))
            }
            Err(error) => {
                self.levels.remove(level);
                Err(error)
            }
        }
    }

    /// Removes a group that has no members and is not scheduled.
    pub fn remove_group(&mut self, entity: EntityId) {
        debug_assert!(!self.entities[entity].is_scheduled(), "{entity:?} has backlogged members");
        if let Some(level) = self.entities[entity].members() {
            debug_assert_eq!(self.levels[level].active_members, 0, "a group with members goes");
            self.levels.remove(level);
        }
        self.entities.active_groups -= u32::from(self.entities[entity].standing.uncount_active());
        self.entities.remove(entity);
    }

    /// Adds a leaf, not backlogged, to a level. `lane` (below 8) selects its list of active leaves.
    ///
    /// # Errors
    /// [`OutOfMemory`], with nothing changed.
    pub fn add_leaf(
        &mut self,
        level: LevelId,
        class: Class,
        weight: Weight,
        lane: u8,
        owner: u32,
    ) -> Result<EntityId, OutOfMemory> {
        debug_assert!(usize::from(lane) < LANES, "lane {lane}");
        self.entities.insert(Entity::leaf(level, class, weight, lane % LANES as u8, owner))
    }

    /// Removes a leaf that is not scheduled.
    pub fn remove_leaf(&mut self, leaf: EntityId) {
        debug_assert!(!self.entities[leaf].is_scheduled(), "{leaf:?} is still backlogged");
        if self.entities[leaf].is_in_forgotten_list() {
            self.entities.forgotten.remove(&mut self.entities.arena, leaf);
        }
        self.entities.remove(leaf);
    }

    /// Renames what a leaf stands for.
    pub fn set_owner(&mut self, leaf: EntityId, owner: u32) {
        self.entities[leaf].owner = owner;
    }

    /// Hangs a leaf that is not scheduled below another level.
    pub fn rehang_leaf(&mut self, leaf: EntityId, level: LevelId) {
        self.entities[leaf].standing.set_level(level);
    }

    /// An entity, to look at.
    #[inline]
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id]
    }

    /// Virtual time V of a class at a level.
    pub fn virtual_time(&self, level: LevelId, class: Class) -> u64 {
        self.levels[level].trees[class.index()].virtual_time
    }

    /// Weight sum W of a class at a level.
    pub fn weight_sum(&self, level: LevelId, class: Class) -> u64 {
        self.levels[level].trees[class.index()].weight_sum
    }

    /// The entity that the level would serve next.
    pub fn candidate(&self, level: LevelId) -> Option<EntityId> {
        self.levels[level].candidate
    }

    /// The entity of the group that the level belongs to; `None` for the root's.
    pub fn group_of(&self, level: LevelId) -> Option<EntityId> {
        self.levels[level].entity
    }

    /// The entity that schedules `id`'s level one step up.
    pub fn parent(&self, id: EntityId) -> Option<EntityId> {
        self.levels[self.entities[id].level()].entity
    }

    /// Number of group entities that were activated and not yet un-counted (version 6.1's measure
    /// of activity, spec 11).
    pub fn active_groups(&self) -> u32 {
        self.entities.active_groups
    }

    /// Un-counts the idle ancestors of a leaf that has become idle altogether (spec 11, 6.1).
    pub fn uncount_idle_ancestors(&mut self, leaf: EntityId) {
        let mut level = &self.levels[self.entities[leaf].level()];
        while let Some(group) = level.entity
            && level.candidate.is_none()
            && level.in_service == 0
        {
            let group = &mut self.entities.arena[group];
            debug_assert!(group.place() != Place::Active, "an active group is idle");
            self.entities.active_groups -= u32::from(group.standing.uncount_active());
            level = &self.levels[group.level()];
        }
    }

    /// Leaves on active trees of one lane, newest first.
    pub fn active_leaves(&self, lane: usize) -> impl Iterator<Item = EntityId> + use<'_, S> {
        self.entities.active_leaves[lane].iter(&self.entities.arena)
    }

    /// Sets the budget of a leaf; takes effect at its next (re)insertion.
    pub fn set_budget(&mut self, leaf: EntityId, budget: Service) {
        self.entities[leaf].account.set_budget(budget);
    }

    /// Sets the budget of a leaf, and clears what it has received.
    pub fn renew_budget(&mut self, leaf: EntityId, budget: Service) {
        let account = &mut self.entities[leaf].account;
        account.set_budget(budget);
        account.set_service(Service::ZERO);
    }

    /// Sets the service received in the current slot.
    pub fn set_service(&mut self, id: EntityId, service: Service) {
        self.entities[id].account.set_service(service);
    }

    /// Clears the service of all groups above a leaf whose slot has just ended. Where several are
    /// in service there is nothing to clear.
    pub fn clear_service_of_ancestors(&mut self, leaf: EntityId) {
        let mut next = self.parent(leaf);
        while let Some(group) = next {
            self.entities[group].account.set_service(Service::ZERO);
            next = self.parent(group);
        }
    }

    /// Accounts `service` to a leaf and its ancestors, and moves virtual time on (spec 1.7).
    #[inline(always)]
    pub fn serve(&mut self, leaf: EntityId, service: Service) -> Forgotten {
        if S::SEVERAL {
            self.keep_promise(leaf, service);
        }
        let mut next = Some(leaf);
        while let Some(id) = next {
            let entity = &mut self.entities[id];
            debug_assert!(entity.is_scheduled(), "{id:?} is served and waits for nothing");
            entity.account.charge(service);
            let class = entity.class();
            let level = &mut self.levels[entity.level()];
            level.serve(&mut self.entities, class, service);
            next = level.entity;
        }
        Forgotten::new()
    }

    /// Asks for another base weight, from the entity's next insertion on (spec 1.15).
    pub fn request_weight(&mut self, id: EntityId, base_weight: Weight) {
        let entity = &mut self.entities[id];
        let class = entity.class();
        entity.share.request_weight(base_weight, class);
    }

    /// Asks for another class, from the entity's next insertion on (spec 1.15).
    pub fn request_class(&mut self, id: EntityId, class: Class) {
        self.entities[id].share.request_class(class);
    }

    /// Sets the raise coefficient; the weight follows at the next insertion, or at
    /// [`Hierarchy::apply_weight`].
    pub fn set_coefficient(&mut self, leaf: EntityId, coefficient: u32) {
        self.entities[leaf].share.set_coefficient(coefficient);
    }

    /// Applies a pending change of weight, but not of class, to an entity in service.
    pub fn apply_weight(&mut self, id: EntityId) -> Changed {
        debug_assert!(self.entities[id].is_in_service(), "{id:?} is to wait for its insertion");
        let entity = &self.entities[id];
        if entity.share.is_to_change() {
            let level = &mut self.levels[entity.level()];
            level.change_weight(&mut self.entities, id, false);
        }
        Changed::new()
    }

    /// The leaf whose weight or class has changed since the last call, if one's has.
    #[inline]
    pub(super) fn take_reweighed(&mut self) -> Option<Reweighed> {
        self.entities.reweighed.take()
    }

    /// Whether [`Hierarchy::take_forgotten`] has anything to return.
    #[inline]
    pub(super) fn has_forgotten(&self) -> bool {
        !self.entities.forgotten.is_empty()
    }

    /// A leaf that stopped being scheduled and was not returned by this function since; it may be
    /// scheduled again.
    #[inline]
    pub(super) fn take_forgotten(&mut self) -> Option<EntityId> {
        self.entities.forgotten.pop_front(&mut self.entities.arena)
    }

    /// From now on finish times are kept for [`Owner::finish_computed`](super::Owner), or are not.
    pub fn report_finishes(&mut self, wanted: bool) {
        self.entities.finishes = Finishes::new(wanted);
    }

    /// The finish times computed for leaves since the last call, the earlier one first.
    pub(super) fn take_finishes(&mut self) -> [Option<Finish>; 2] {
        self.entities.finishes.take()
    }

    /// Forgets a leaf that stays on an idle tree; does nothing for others.
    pub fn forget_idle(&mut self, leaf: EntityId) -> Forgotten {
        let entity = &self.entities[leaf];
        if entity.place() == Place::Idle {
            self.levels[entity.level()].forget_idle(&mut self.entities, leaf);
        }
        Forgotten::new()
    }

    /// The entity of least finish time on the active tree of a class.
    pub fn first_active(&self, level: LevelId, class: Class) -> Option<EntityId> {
        self.levels[level].trees[class.index()].active.first()
    }

    /// Forgets the entity of least finish time on the idle tree of a class, as one that is
    /// deactivated; none if nothing is there.
    pub fn forget_first_idle(&mut self, level: LevelId, class: Class) -> Option<Changed> {
        let level = &mut self.levels[level];
        let first = level.trees[class.index()].first_idle()?;
        level.deactivate(&mut self.entities, first, false).then(Changed::new)
    }

    /// Whether a leaf waits on an active tree.
    pub fn is_active(&self, id: EntityId) -> bool {
        self.entities[id].place() == Place::Active
    }
}
