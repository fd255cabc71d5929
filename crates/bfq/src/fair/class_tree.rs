// SPDX-License-Identifier: MIT OR Apache-2.0
//! One class at one level: who is backlogged, who may still count as such, and the virtual time
//! V that both are measured by (spec 1.3, 1.4, 1.8).

use super::{
    entity::Entity,
    ids::EntityId,
    rules::{Choice, InService, Rules},
    service::Service,
    standing::Place,
    virtual_time::{advance, earlier, is_later, later},
};
use crate::store::{
    arena::Arena,
    sorted::Sorted,
    tree::{LEFT, Node},
};

#[derive(Debug)]
pub(super) struct ClassTree {
    /// Always a tree if the walk of the reference is wanted, for the shape decides what that finds,
    /// or its jump, which asks for the earliest start time of all.
    pub active: Sorted<EntityId>,
    idle: Sorted<EntityId>,
    /// Where several are in service: those of them that are not on the active tree, by start time.
    pub serving: Sorted<EntityId>,
    /// What the reference takes for the entity of greatest finish time on the idle tree, where
    /// that is not just the last one.
    reference_last_idle: Option<EntityId>,
    /// V, the virtual time.
    pub virtual_time: u64,
    /// W: the weights of all entities that belong here: active, idle or in service.
    pub weight_sum: u64,
}

impl ClassTree {
    pub const fn new<S: InService>(rules: Rules<S>) -> Self {
        ClassTree {
            active: match rules {
                Rules { choice: Choice::Exact, jump_ignores_wrap: false, .. } => Sorted::new(),
                _ => Sorted::always_tree(),
            },
            idle: Sorted::new(),
            serving: Sorted::new(),
            reference_last_idle: None,
            virtual_time: 0,
            weight_sum: 0,
        }
    }

    /// Sorts `id` into the active tree by its finish time, behind its equals.
    #[inline]
    pub fn insert_active(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        self.active.insert(entities, id, |a, b| is_later(b.finish(), a.finish()));
    }

    /// Sorts `id` into the tree of those in service by its start time.
    pub fn insert_serving(&mut self, entities: &mut Arena<EntityId, Entity>, id: EntityId) {
        debug_assert!(entities[id].is_in_service(), "{id:?} is not in service");
        debug_assert_eq!(entities[id].place(), Place::Serving, "its place is set before");
        self.serving.insert(entities, id, |a, b| is_later(b.start(), a.start()));
    }

    /// Sorts `id` into the idle tree by its finish time.
    #[inline(always)]
    pub fn insert_idle<S: InService>(
        &mut self,
        rules: Rules<S>,
        entities: &mut Arena<EntityId, Entity>,
        id: EntityId,
    ) {
        debug_assert!(!entities[id].is_in_service(), "{id:?} is served and idle");
        debug_assert_eq!(entities[id].place(), Place::Idle, "its place is set before");
        if rules.forgets_last_idle_among_equals {
            let last_finish = self.reference_last_idle.map(|last| entities[last].finish());
            if last_finish.is_none_or(|last| is_later(entities[id].finish(), last)) {
                self.reference_last_idle = Some(id);
            }
        }
        self.idle.insert(entities, id, |a, b| is_later(b.finish(), a.finish()));
    }

    /// Takes `id`, which was between these `neighbours`, out of the idle tree.
    #[inline(always)]
    pub fn remove_idle<S: InService>(
        &mut self,
        rules: Rules<S>,
        entities: &mut Arena<EntityId, Entity>,
        id: EntityId,
        neighbours: [Option<EntityId>; 2],
    ) {
        if rules.forgets_last_idle_among_equals && self.reference_last_idle == Some(id) {
            self.reference_last_idle = neighbours[LEFT];
        }
        self.idle.remove_between(entities, id, neighbours);
    }

    /// The entity of greatest finish time on the idle tree.
    fn last_idle<S: InService>(&self, rules: Rules<S>) -> Option<EntityId> {
        if rules.forgets_last_idle_among_equals {
            self.reference_last_idle
        } else {
            self.idle.last()
        }
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
        debug_assert!(self.weight_sum > 0, "no entity of this tree is served");
        self.virtual_time =
            self.virtual_time.wrapping_add(advance(service, self.weight_sum.max(1)));
    }

    /// The forget step (spec 1.8): the entity to forget now, at most one. It is off the idle tree;
    /// the caller takes its weight away.
    #[inline]
    pub fn forget_step<S: InService>(
        &mut self,
        rules: Rules<S>,
        entities: &mut Arena<EntityId, Entity>,
    ) -> Option<EntityId> {
        let first = self.first_idle()?;
        if is_later(entities[first].finish(), self.virtual_time) {
            return None;
        }
        self.forget_passed(rules, entities, first)
    }

    /// The same if V has reached the least finish time on the idle tree, that of `first`.
    #[inline(never)]
    fn forget_passed<S: InService>(
        &mut self,
        rules: Rules<S>,
        entities: &mut Arena<EntityId, Entity>,
        first: EntityId,
    ) -> Option<EntityId> {
        if self.active.is_empty()
            && (!S::SEVERAL || self.serving.is_empty())
            && let Some(last) = self.last_idle(rules)
        {
            let finish = entities[last].finish();
            debug_assert!(
                rules.forgets_last_idle_among_equals || !is_later(entities[first].finish(), finish),
                "{last:?} is not the last one: {first:?} finishes later"
            );
            if !is_later(finish, self.virtual_time) {
                self.virtual_time = finish;
            }
        }
        if is_later(entities[first].finish(), self.virtual_time) {
            return None;
        }
        let gap = entities[first].leave_tree();
        debug_assert_eq!(gap.place, Place::Idle, "{first:?} is not remembered");
        self.remove_idle(rules, entities, first, gap.neighbours);
        Some(first)
    }

    /// The entity to serve next, and V′: virtual time, moved forward to the earliest start time if
    /// all start later. None if the active tree is empty.
    pub fn next<S: InService>(
        &self,
        rules: Rules<S>,
        entities: &Arena<EntityId, Entity>,
    ) -> Option<(Option<EntityId>, u64)> {
        let Some(root) = self.active.root() else { return self.next_of_list(entities) };
        let least = entities[root].times.least_start();
        debug_assert!(!is_later(least, entities[root].start()), "{root:?} starts before all");
        let beyond = if rules.jump_ignores_wrap {
            least > self.virtual_time
        } else {
            is_later(least, self.virtual_time)
        };
        let virtual_time = if beyond { least } else { self.virtual_time };
        Some((self.choose(rules.choice, entities, root, virtual_time), virtual_time))
    }

    /// The same while the active tree is a list.
    #[inline]
    fn next_of_list(&self, entities: &Arena<EntityId, Entity>) -> Option<(Option<EntityId>, u64)> {
        let mut earliest: Option<(EntityId, u64)> = None;
        for id in self.active.iter(entities) {
            let start = entities[id].start();
            if !is_later(start, self.virtual_time) {
                return Some((Some(id), self.virtual_time));
            }
            if earliest.is_none_or(|(_, least)| is_later(least, start)) {
                earliest = Some((id, start));
            }
        }
        earliest.map(|(id, start)| (Some(id), start))
    }

    /// How far V itself moves when it could move to `jump`, where several are in service: not
    /// beyond the start time of any of them.
    pub fn lasting_jump(&self, jump: u64, entities: &Arena<EntityId, Entity>) -> u64 {
        match self.serving.first() {
            Some(first) => later(self.virtual_time, earlier(jump, entities[first].start())),
            None => jump,
        }
    }

    /// Of a tree of active entities, the eligible one (its start time is not later than
    /// `virtual_time`) to serve next.
    fn choose(
        &self,
        choice: Choice,
        entities: &Arena<EntityId, Entity>,
        root: EntityId,
        virtual_time: u64,
    ) -> Option<EntityId> {
        let is_eligible = |time: u64| !is_later(time, virtual_time);
        let mut found = None;
        let mut next = Some(root);
        while let Some(id) = next {
            let entity = &entities[id];
            let eligible = is_eligible(entity.start());
            if eligible && choice == Choice::ReferenceWalk {
                found = Some(id);
            }
            let left = entity.links().left();
            if left.is_some_and(|left| is_eligible(entities[left].times.least_start())) {
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
    pub fn check(&self, entities: &Arena<EntityId, Entity>) {
        self.active.check(entities, |a, b| is_later(a.finish(), b.finish()));
        // The idle tree's augmentation is not used, but it is kept, so the same check holds.
        self.idle.check(entities, |a, b| is_later(a.finish(), b.finish()));
        for id in self.active.iter(entities) {
            assert!(entities[id].place() == Place::Active && entities[id].is_scheduled());
        }
        self.serving.check(entities, |a, b| is_later(a.start(), b.start()));
        for id in self.serving.iter(entities) {
            assert!(entities[id].place() == Place::Serving && entities[id].is_in_service());
        }
        let mut weights: u64 = 0;
        for id in self.idle.iter(entities) {
            let entity = &entities[id];
            assert!(entity.place() == Place::Idle && entity.is_scheduled());
            weights += u64::from(entity.weight());
        }
        assert!(weights <= self.weight_sum);
    }
}
