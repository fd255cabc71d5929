// SPDX-License-Identifier: MIT OR Apache-2.0
//! One class at one level: who is backlogged, who may still count as such, and the virtual time
//! V that both are measured by (spec 1.3, 1.4, 1.8).

use super::{
    entity::{Entity, Place},
    ids::EntityId,
    rules::{Choice, Rules},
    service::Service,
    virtual_time::{advance, earlier, is_later, later},
};
use crate::store::{arena::Arena, sorted::Sorted, tree::Node};

#[derive(Debug)]
pub(super) struct ClassTree {
    /// Always a tree if the walk of the reference is wanted: the shape decides what that finds.
    pub active: Sorted<EntityId>,
    idle: Sorted<EntityId>,
    /// Where several are in service: those of them that are not on the active tree, by start time.
    serving: Sorted<EntityId>,
    /// The entity of greatest finish time on the idle tree, or what the reference takes for it.
    last_idle: Option<EntityId>,
    /// V, the virtual time.
    pub virtual_time: u64,
    /// W: the weights of all entities that belong here: active, idle or in service.
    pub weight_sum: u64,
}

impl ClassTree {
    pub const fn new(rules: Rules) -> Self {
        ClassTree {
            active: match rules.choice {
                Choice::Exact => Sorted::new(),
                Choice::ReferenceWalk => Sorted::always_tree(),
            },
            idle: Sorted::new(),
            serving: Sorted::new(),
            last_idle: None,
            virtual_time: 0,
            weight_sum: 0,
        }
    }

    /// Sorts `id` into the active tree by its finish time, behind its equals.
    #[inline]
    pub fn insert_active(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        self.active.insert(entities, id, |a, b| is_later(b.finish, a.finish));
    }

    /// Takes `id` out of the active tree.
    #[inline]
    pub fn remove_active(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        self.active.remove(entities, id);
    }

    /// Sorts `id` into the tree of those in service by its start time.
    pub fn insert_serving(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        entities[id].place = Place::Serving;
        self.serving.insert(entities, id, |a, b| is_later(b.start, a.start));
    }

    /// Takes `id` out of the tree of those in service.
    pub fn remove_serving(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        entities[id].place = Place::Neither;
        self.serving.remove(entities, id);
    }

    /// Sorts `id` into the idle tree by its finish time.
    pub fn insert_idle(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        let last_finish = self.last_idle.map(|last| entities[last].finish);
        let entity = &mut entities[id];
        entity.place = Place::Idle;
        if last_finish.is_none_or(|last| is_later(entity.finish, last)) {
            self.last_idle = Some(id);
        }
        self.idle.insert(entities, id, |a, b| is_later(b.finish, a.finish));
    }

    /// Takes `id` out of the idle tree.
    pub fn remove_idle(
        &mut self,
        rules: Rules,
        entities: &mut Arena<EntityId, Entity>,
        id: EntityId,
    ) {
        let was_last = self.last_idle == Some(id);
        if was_last && rules.forgets_last_idle_among_equals {
            self.last_idle = self.idle.previous(entities, id);
        }
        self.idle.remove(entities, id);
        if was_last && !rules.forgets_last_idle_among_equals {
            self.last_idle = self.idle.last();
        }
        entities[id].place = Place::Neither;
    }

    /// Entities on the idle tree, in order.
    pub fn idle_entities<'a>(
        &self,
        entities: &'a Arena<EntityId, Entity>,
    ) -> impl Iterator<Item = EntityId> + use<'a> {
        self.idle.iter(entities)
    }

    /// The entity on the idle tree with the least finish time.
    pub fn first_idle(&self) -> Option<EntityId> {
        self.idle.first()
    }

    /// Moves V on for `service` given to one of the tree's entities.
    #[inline]
    pub fn serve(&mut self, service: Service) {
        self.virtual_time =
            self.virtual_time.wrapping_add(advance(service, self.weight_sum.max(1)));
    }

    /// The forget step (spec 1.8): the entity to forget now, at most one. It is off the idle tree;
    /// the caller takes its weight away.
    #[inline]
    pub fn forget_step(
        &mut self,
        rules: Rules,
        entities: &mut Arena<EntityId, Entity>,
    ) -> Option<EntityId> {
        if self.idle.is_empty() { None } else { self.forget_passed(rules, entities) }
    }

    #[inline(never)]
    fn forget_passed(
        &mut self,
        rules: Rules,
        entities: &mut Arena<EntityId, Entity>,
    ) -> Option<EntityId> {
        let first = self.first_idle()?;
        if self.active.is_empty()
            && self.serving.is_empty()
            && let Some(last) = self.last_idle
        {
            let finish = entities[last].finish;
            if !is_later(finish, self.virtual_time) {
                self.virtual_time = finish;
            }
        }
        if is_later(entities[first].finish, self.virtual_time) {
            return None;
        }
        self.remove_idle(rules, entities, first);
        Some(first)
    }

    /// V′: virtual time, moved forward to the earliest start time if all start later.
    pub fn jump(&self, rules: Rules, entities: &Arena<EntityId, Entity>) -> u64 {
        let Some(first) = self.active.first() else { return self.virtual_time };
        let least = match self.active.root() {
            Some(root) => entities[root].least_start,
            None if !is_later(entities[first].start, self.virtual_time) => self.virtual_time,
            None => {
                let starts = self.active.iter(entities).map(|id| entities[id].start);
                starts.fold(entities[first].start, |a, b| if is_later(a, b) { b } else { a })
            }
        };
        let beyond = if rules.jump_ignores_wrap {
            least > self.virtual_time
        } else {
            is_later(least, self.virtual_time)
        };
        if beyond { least } else { self.virtual_time }
    }

    /// How far V itself moves when it could move to `jump`, where several are in service: not
    /// beyond the start time of any of them.
    pub fn lasting_jump(&self, jump: u64, entities: &Arena<EntityId, Entity>) -> u64 {
        match self.serving.first() {
            Some(first) => later(self.virtual_time, earlier(jump, entities[first].start)),
            None => jump,
        }
    }

    /// The eligible entity (start time not later than `virtual_time`) to serve next.
    pub fn choose(
        &self,
        choice: Choice,
        entities: &Arena<EntityId, Entity>,
        virtual_time: u64,
    ) -> Option<EntityId> {
        let is_eligible = |time: u64| !is_later(time, virtual_time);
        let mut found = None;
        let mut next = self.active.root();
        if next.is_none() {
            return self.active.iter(entities).find(|&id| is_eligible(entities[id].start));
        }
        while let Some(id) = next {
            let entity = &entities[id];
            let eligible = is_eligible(entity.start);
            if eligible && choice == Choice::ReferenceWalk {
                found = Some(id);
            }
            let left = entity.links().left();
            if left.is_some_and(|left| is_eligible(entities[left].least_start)) {
                next = left;
            } else if eligible {
                return Some(id);
            } else if found.is_some() {
                return found;
            } else {
                next = entity.links().right();
            }
        }
        found
    }

    /// Asserts the order of all trees, the cached ends and the places of their entities.
    pub fn check(&self, rules: Rules, entities: &Arena<EntityId, Entity>) {
        self.active.check(entities, |a, b| is_later(a.finish, b.finish));
        // The idle tree's augmentation is not used, but it is kept, so the same check holds.
        self.idle.check(entities, |a, b| is_later(a.finish, b.finish));
        for id in self.active.iter(entities) {
            assert!(entities[id].place == Place::Active && entities[id].scheduled);
        }
        self.serving.check(entities, |a, b| is_later(a.start, b.start));
        for id in self.serving.iter(entities) {
            assert!(entities[id].place == Place::Serving && entities[id].is_in_service());
        }
        let mut weights: u64 = 0;
        for id in self.idle.iter(entities) {
            let entity = &entities[id];
            assert!(entity.place == Place::Idle && entity.scheduled);
            weights += u64::from(entity.weight);
        }
        assert!(weights <= self.weight_sum);
        if !rules.forgets_last_idle_among_equals {
            let finish = |id: EntityId| entities[id].finish;
            let last = self.idle.last().map(finish);
            assert_eq!(self.last_idle.map(finish), last);
        }
    }
}
