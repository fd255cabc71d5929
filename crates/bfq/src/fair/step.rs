// SPDX-License-Identifier: MIT OR Apache-2.0
//! One step of a walk: an entity is activated, requeued or deactivated at its level, and the level
//! finds its candidate (spec 1.5, 1.9–1.11).

use super::{
    changed::Reweighed,
    entities::Entities,
    entity::Gap,
    ids::EntityId,
    level::Level,
    rules::InService,
    service::Service,
    standing::Place,
    virtual_time::{is_later, later},
};
use crate::units::{Class, Time};

/// Why a leaf changes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Its slot ends: nothing on its path is in service because of it any more.
    Expiration,
    /// Anything else, such as an arrival or another weight.
    Ordinary,
}

impl<S: InService> Level<S> {
    /// Activation of one entity (spec 1.5); it is sorted in if it `offers` something to choose.
    #[inline(always)]
    pub fn activate(
        &mut self,
        entities: &mut Entities<S>,
        id: EntityId,
        continues: bool,
        offers: bool,
    ) {
        let entity = &mut entities.arena[id];
        debug_assert!(!entity.is_in_service(), "{id:?} is requeued, not activated");
        debug_assert_eq!(entity.is_scheduled(), entity.place() == Place::Idle, "{id:?}");
        let tree = &mut self.trees[entity.class().index()];
        let backshifted = continues && is_later(tree.virtual_time, entity.finish());
        let from = if backshifted { entity.finish() } else { tree.virtual_time };
        if !entity.is_leaf() && entity.standing.count_active() {
            entities.active_groups += 1;
        }
        if entity.place() == Place::Idle {
            entity.times.start_at(later(from, entity.finish()));
            let gap = entity.leave_tree();
            tree.remove_idle(entities.rules, &mut entities.arena, id, gap.neighbours);
        } else {
            entity.times.start_at(from);
            entity.standing.join();
            tree.weight_sum += u64::from(entity.weight());
        }
        self.sort_in(entities, id, backshifted, offers);
    }

    /// Requeue of one entity in service, or reposition of one on the active tree (spec 1.5).
    #[inline(never)]
    pub fn requeue(
        &mut self,
        entities: &mut Entities<S>,
        id: EntityId,
        why: Occasion,
        offers: bool,
    ) {
        let rules = entities.rules;
        if S::SEVERAL {
            entities.put_back(id);
        }
        let entity = &mut entities.arena[id];
        debug_assert!(entity.is_scheduled(), "{id:?} is activated, not requeued");
        if entity.is_in_service() {
            entities.finishes.compute(id, entity, entity.service());
            entity.times.go_on();
            if !entity.is_leaf() && rules.in_service.clears_group_service() {
                entity.account.set_service(Service::ZERO);
            }
            if why == Occasion::Expiration {
                entity.standing.end_slot();
                self.in_service -= 1;
            }
        }
        let gap = entity.leave_tree();
        self.close_gap(entities, id, gap);
        self.sort_in(entities, id, false, offers);
    }

    /// Deactivation of one entity (spec 1.5); `false` if it was not scheduled.
    #[inline(always)]
    pub fn deactivate(&mut self, entities: &mut Entities<S>, id: EntityId, remember: bool) -> bool {
        if S::SEVERAL {
            entities.put_back(id);
        }
        let entity = &mut entities.arena[id];
        if !entity.is_scheduled() {
            return false;
        }
        entities.finishes.compute(id, entity, entity.service());
        let gap = entity.leave_tree();
        let tree = &self.trees[gap.class.index()];
        let is_remembered = remember && is_later(entity.finish(), tree.virtual_time);
        match entity.standing.end_slots() {
            0 => entity.account.set_service(Service::ZERO),
            slots => self.in_service -= slots,
        }
        // Its next place is set while the entity is at hand.
        if is_remembered {
            entity.standing.enter(Place::Idle);
        }
        let class = gap.class;
        self.close_gap(entities, id, gap);
        if is_remembered {
            self.tree(class).insert_idle(entities.rules, &mut entities.arena, id);
        } else {
            self.forget(entities, id);
        }
        true
    }

    /// Closes the gap that an entity has left in a tree, if it was in one.
    #[inline(always)]
    pub fn close_gap(&mut self, entities: &mut Entities<S>, id: EntityId, gap: Gap) {
        if gap.place == Place::Active {
            self.active_members -= 1;
            let active = &mut self.tree(gap.class).active;
            active.remove_between(&mut entities.arena, id, gap.neighbours);
            // Only leaves are in a list.
            debug_assert_eq!(gap.hook.is_linked(), entities.arena[id].is_leaf(), "{id:?}");
            if gap.hook.is_linked() {
                entities.active_leaves[gap.lane].close(&mut entities.arena, id, gap.hook);
            }
        } else if gap.place != Place::Neither {
            debug_assert!(!gap.hook.is_linked(), "{id:?} is listed and not active");
            self.close_other_gap(entities, id, gap.place, gap.class, gap.neighbours);
        }
    }

    // It takes the parts of the gap: to pass it by reference, each caller would put it in memory.
    #[inline(never)]
    fn close_other_gap(
        &mut self,
        entities: &mut Entities<S>,
        id: EntityId,
        place: Place,
        class: Class,
        neighbours: [Option<EntityId>; 2],
    ) {
        let (tree, arena) = (self.tree(class), &mut entities.arena);
        if S::SEVERAL && place == Place::Serving {
            tree.serving.remove_between(arena, id, neighbours);
        } else {
            debug_assert_eq!(place, Place::Idle, "{id:?} is served");
            tree.remove_idle(entities.rules, arena, id, neighbours);
        }
    }

    /// Sorts an entity in where its budget takes it from its start time; what is pending is applied
    /// first. A `backshifted` finish time is not left behind virtual time (spec 1.5, step 5); the
    /// more a leaf is raised, the less it is pushed up.
    #[inline(always)]
    fn sort_in(
        &mut self,
        entities: &mut Entities<S>,
        id: EntityId,
        backshifted: bool,
        offers: bool,
    ) {
        let mut entity = &mut entities.arena[id];
        if entity.share.is_to_change() {
            self.change_weight(entities, id, true);
            entity = &mut entities.arena[id];
        }
        if S::SEVERAL {
            entities.put_off(id);
            entity = &mut entities.arena[id];
        }
        entities.finishes.compute(id, entity, entity.budget());
        debug_assert!(!is_later(entity.start(), entity.finish()), "{id:?} ends before it starts");
        if backshifted {
            let virtual_time = self.tree(entity.class()).virtual_time;
            if is_later(virtual_time, entity.finish()) {
                let behind = virtual_time.wrapping_sub(entity.finish());
                let delta = behind / u64::from(entity.coefficient().max(1));
                entity.times.push_up(delta);
            }
        }
        if S::SEVERAL && !offers {
            return self.insert_serving(entities, id);
        }
        entity.standing.enter(Place::Active);
        let (class, lane, is_leaf) = (entity.class(), entity.lane(), entity.is_leaf());
        self.active_members += 1;
        self.tree(class).insert_active(&mut entities.arena, id);
        if is_leaf {
            entities.active_leaves[lane].push_front(&mut entities.arena, id);
        }
    }

    /// Applies what is pending; with `and_class` the entity may change its class tree, whose
    /// virtual time it then starts from.
    #[inline(never)]
    pub fn change_weight(&mut self, entities: &mut Entities<S>, id: EntityId, and_class: bool) {
        let entity = &mut entities.arena[id];
        let (old_weight, old_class) = (entity.weight(), entity.class());
        let class = entity.share.apply(old_class, and_class);
        let weight = entity.weight();
        entity.standing.set_class(class);
        if entity.is_scheduled() {
            let sum = &mut self.tree(old_class).weight_sum;
            debug_assert!(*sum >= u64::from(old_weight), "{id:?} is not in the sum of its class");
            *sum -= u64::from(old_weight);
            let tree = self.tree(class);
            tree.weight_sum += u64::from(weight);
            if class != old_class {
                entity.times.start_at(tree.virtual_time);
            }
        }
        if entity.is_leaf() && (weight, class) != (old_weight, old_class) {
            let before = Reweighed { leaf: id, weight: old_weight, class: old_class };
            entities.reweighed = Some(before);
        }
    }

    /// Accounts service to a member of a class and moves virtual time on (spec 1.7).
    #[inline]
    pub fn serve(&mut self, entities: &mut Entities<S>, class: Class, service: Service) {
        let tree = self.tree(class);
        tree.serve(service);
        if let Some(passed) = tree.forget_step(entities.rules, &mut entities.arena) {
            self.forget(entities, passed);
        }
    }

    /// Takes an entity's weight out of its class tree: it does not belong there any more.
    #[inline(never)]
    fn forget(&mut self, entities: &mut Entities<S>, id: EntityId) {
        let entity = &mut entities.arena[id];
        entity.standing.part();
        let sum = &mut self.tree(entity.class()).weight_sum;
        debug_assert!(*sum >= u64::from(entity.weight()), "{id:?} is not in the sum of its class");
        *sum -= u64::from(entity.weight());
        if entity.is_leaf() && !entity.is_in_forgotten_list() {
            entities.forgotten.push_front(&mut entities.arena, id);
        }
    }

    /// Forgets an entity that is on an idle tree.
    #[inline(never)]
    pub fn forget_idle(&mut self, entities: &mut Entities<S>, id: EntityId) {
        let gap = entities[id].leave_tree();
        debug_assert_eq!(gap.place, Place::Idle, "{id:?} is not remembered");
        self.close_gap(entities, id, gap);
        self.forget(entities, id);
    }

    /// Takes an entity out of the active tree.
    #[inline(always)]
    pub fn remove_active(&mut self, entities: &mut Entities<S>, id: EntityId) {
        let gap = entities[id].leave_tree();
        debug_assert_eq!(gap.place, Place::Active, "{id:?} does not wait");
        self.close_gap(entities, id, gap);
    }

    #[inline(never)]
    pub fn insert_serving(&mut self, entities: &mut Entities<S>, id: EntityId) {
        let entity = &mut entities.arena[id];
        entity.standing.enter(Place::Serving);
        let class = entity.class();
        self.tree(class).insert_serving(&mut entities.arena, id);
    }

    /// Brings the candidate up to date after `changed` was (re)inserted, or after something left
    /// (spec 1.11). Returns whether the parent's place may change.
    #[inline(always)]
    pub fn update_candidate(
        &mut self,
        entities: &mut Entities<S>,
        changed: Option<EntityId>,
        now: Time,
    ) -> bool {
        let before = self.candidate;
        let quick = changed.filter(|&id| Some(id) != before && self.precedes(entities, id, before));
        self.candidate = match quick {
            Some(id) => Some(id),
            None => self.examine(entities, now),
        };
        let Some(candidate) = self.candidate else { return S::SEVERAL && before.is_some() };
        let Some(group) = self.entity else { return before.is_none() };
        debug_assert!(group != candidate, "{group:?} is a member of itself");
        let budget = entities[candidate].budget();
        let old_budget = entities[group].account.set_budget(budget);
        before.is_none() || budget < old_budget
    }

    /// Whether `changed` can take the candidate's place without an examination of the level.
    #[inline(always)]
    fn precedes(
        &self,
        entities: &Entities<S>,
        changed: EntityId,
        candidate: Option<EntityId>,
    ) -> bool {
        let Some(candidate) = candidate else { return true };
        let (new, old) = (&entities[changed], &entities[candidate]);
        new.class() == old.class()
            && !is_later(new.start(), self.trees[new.class().index()].virtual_time)
            && is_later(old.finish(), new.finish())
    }

    /// Full examination: the entity to serve next by class and timestamps (spec 1.9, 1.10).
    #[inline(always)]
    fn examine(&mut self, entities: &mut Entities<S>, now: Time) -> Option<EntityId> {
        let class = self.next_class(now, entities.limits.idle_class_period)?;
        self.examine_class(entities, class)
    }

    #[inline(never)]
    fn examine_class(&mut self, entities: &mut Entities<S>, class: Class) -> Option<EntityId> {
        let (rules, free) = (entities.rules, self.in_service == 0);
        let tree = self.tree(class);
        let (chosen, virtual_time) = tree.next(rules, &entities.arena)?;
        debug_assert!(chosen.is_none_or(|id| entities[id].place() == Place::Active), "{chosen:?}");
        let virtual_time = match (S::SEVERAL, free) {
            (true, _) => tree.lasting_jump(virtual_time, &entities.arena),
            (false, true) => virtual_time,
            (false, false) => return chosen,
        };
        if virtual_time != tree.virtual_time {
            tree.virtual_time = virtual_time;
            if let Some(passed) = tree.forget_step(rules, &mut entities.arena) {
                self.forget(entities, passed);
            }
        }
        chosen
    }
}
