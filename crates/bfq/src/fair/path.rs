// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walks along the path between a leaf and the root: activation, requeue, deactivation,
//! candidates, and the choice of the next leaf (spec 1.5, 1.9–1.13).

use super::{
    changed::Changed,
    entity::{Entity, Place},
    hierarchy::Hierarchy,
    ids::{EntityId, LevelId},
    rules::InService,
    service::Service,
    virtual_time::{is_later, later},
};
use crate::units::Time;

/// Why a leaf changes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Its slot ends: nothing on its path is in service because of it any more.
    Expiration,
    /// Any other occasion.
    Ordinary,
}

impl Hierarchy {
    /// A leaf becomes backlogged. With `continues` it is treated as if it had never
    /// stopped (spec 1.6).
    pub fn activate(&mut self, leaf: EntityId, continues: bool, now: Time) -> Changed {
        self.activate_path(leaf, continues, Occasion::Ordinary, now);
        Changed::new()
    }

    /// A leaf on an active tree gets another place there because its budget changed.
    pub fn reposition(&mut self, leaf: EntityId, now: Time) -> Changed {
        self.activate_path(leaf, false, Occasion::Ordinary, now);
        Changed::new()
    }

    /// The slot of a leaf in service ends and it stays backlogged.
    pub fn requeue_expired(&mut self, leaf: EntityId, now: Time) -> Changed {
        self.take_back_promise(leaf);
        self.activate_path(leaf, false, Occasion::Expiration, now);
        Changed::new()
    }

    /// A leaf stops being backlogged. It is remembered on the idle tree until virtual time passes
    /// its finish time, unless `remember` forbids it.
    pub fn deactivate(&mut self, leaf: EntityId, remember: bool, now: Time) -> Changed {
        self.deactivate_path(leaf, remember, Occasion::Ordinary, now);
        Changed::new()
    }

    /// The slot of a leaf in service ends and it stops being backlogged.
    pub fn deactivate_expired(&mut self, leaf: EntityId, now: Time) -> Changed {
        self.take_back_promise(leaf);
        self.deactivate_path(leaf, true, Occasion::Expiration, now);
        Changed::new()
    }

    /// Sets the next leaf in service (spec 1.12). `None` if no leaf is backlogged that is not
    /// in service already.
    pub fn choose_next(&mut self, now: Time) -> Option<(EntityId, Changed)> {
        let leaf = match self.rules.in_service {
            InService::One { .. } => self.choose_alone(now)?,
            InService::Several => self.choose_beside_others(now)?,
        };
        Some((leaf, Changed::new()))
    }

    #[inline]
    fn choose_alone(&mut self, now: Time) -> Option<EntityId> {
        let mut level = self.root();
        debug_assert_eq!(self.levels[level].in_service, 0, "one at a time");
        let leaf = loop {
            let id = self.levels[level].candidate?;
            self.levels[level].in_service += 1;
            self.entities[id].slots += 1;
            let members = self.entities[id].members;
            if members.is_none_or(|members| self.levels[members].active_members == 1) {
                self.remove_active(id);
            }
            match members {
                Some(members) => level = members,
                None => break id,
            }
        };
        let mut next = Some(leaf);
        while let Some(id) = next {
            let level = self.entities[id].level;
            if !self.update_candidate(level, None, now) {
                break;
            }
            next = self.levels[level].entity;
        }
        Some(leaf)
    }

    fn activate_path(&mut self, leaf: EntityId, continues: bool, why: Occasion, now: Time) {
        let mut next = Some(leaf);
        while let Some(id) = next {
            let level = self.entities[id].level;
            let entity = &self.entities[id];
            if entity.is_in_service() || entity.place == Place::Active {
                self.requeue_one(id, why);
            } else {
                self.activate_one(id, continues);
            }
            if !self.update_candidate(level, Some(id), now) && why == Occasion::Ordinary {
                break;
            }
            next = self.levels[level].entity;
        }
    }

    fn deactivate_path(&mut self, leaf: EntityId, remember: bool, why: Occasion, now: Time) {
        let mut id = leaf;
        let mut remember = remember;
        let first_to_stay = loop {
            let level = self.entities[id].level;
            if !self.deactivate_one(id, remember) {
                return;
            }
            if self.levels[level].candidate == Some(id) {
                self.update_candidate(level, None, now);
            }
            let above = self.levels[level].entity;
            if self.levels[level].candidate.is_some() || self.levels[level].in_service > 0 {
                break above;
            }
            remember = true;
            match above {
                Some(above) => id = above,
                None => return,
            }
        };
        let mut next = first_to_stay;
        while let Some(id) = next {
            let level = self.entities[id].level;
            self.requeue_one(id, why);
            // A group that has nothing to offer is no candidate, where several are in service.
            let changed = Some(id).filter(|&id| self.is_active(id));
            if !self.update_candidate(level, changed, now) && why == Occasion::Ordinary {
                break;
            }
            next = self.levels[level].entity;
        }
    }

    /// Activation of one entity (spec 1.5).
    fn activate_one(&mut self, id: EntityId, continues: bool) {
        let entity = &mut self.entities[id];
        let tree = self.levels[entity.level].tree(entity.class);
        let backshifted = continues && is_later(tree.virtual_time, entity.finish);
        let from = if backshifted { entity.finish } else { tree.virtual_time };
        if !entity.is_leaf() && !core::mem::replace(&mut entity.counted_active, true) {
            self.active_groups += 1;
        }
        if entity.place == Place::Idle {
            tree.remove_idle(self.rules, &mut self.entities, id);
            let entity = &mut self.entities[id];
            entity.start = later(from, entity.finish);
        } else {
            entity.start = from;
            entity.scheduled = true;
            tree.weight_sum += u64::from(entity.weight);
        }
        self.sort_in(id, backshifted);
    }

    /// Sorts an entity into the active tree, where its budget takes it from its start time; what is
    /// pending is applied first. A `backshifted` finish time is not left behind virtual time
    /// (spec 1.5, step 5); a raised leaf is pushed up by so much less as it is raised.
    fn sort_in(&mut self, id: EntityId, backshifted: bool) {
        self.apply_pending(id, true);
        if self.rules.serves_several() {
            self.put_off(id);
        }
        let entity = &mut self.entities[id];
        self.finishes.compute(id, entity, entity.budget);
        let level = &self.levels[entity.level];
        let virtual_time = level.trees[entity.class.index()].virtual_time;
        if backshifted && is_later(virtual_time, entity.finish) {
            let behind = virtual_time.wrapping_sub(entity.finish);
            let delta = behind / u64::from(entity.coefficient.max(1));
            entity.start = entity.start.wrapping_add(delta);
            entity.finish = entity.finish.wrapping_add(delta);
        }
        if self.rules.serves_several() && self.has_nothing_to_offer(id) {
            self.insert_serving(id);
        } else {
            self.insert_active(id);
        }
    }

    /// Requeue of one entity in service, or reposition of one on the active tree (spec 1.5).
    pub(super) fn requeue_one(&mut self, id: EntityId, why: Occasion) {
        let entity = &mut self.entities[id];
        let place = entity.place;
        if entity.is_in_service() {
            if self.rules.serves_several() {
                entity.put_back();
            }
            self.finishes.compute(id, entity, entity.service);
            entity.start = entity.finish;
            if !entity.is_leaf() && self.rules.clears_group_service() {
                entity.service = Service::ZERO;
            }
            if why == Occasion::Expiration {
                entity.slots -= 1;
                self.levels[entity.level].in_service -= 1;
            }
        }
        match place {
            Place::Active => self.remove_active(id),
            Place::Serving => self.remove_serving(id),
            Place::Idle | Place::Neither => {}
        }
        self.sort_in(id, false);
    }

    /// Deactivation of one entity (spec 1.5); `false` if it was not scheduled.
    pub(super) fn deactivate_one(&mut self, id: EntityId, remember: bool) -> bool {
        let entity = &mut self.entities[id];
        if !entity.scheduled {
            return false;
        }
        if self.rules.serves_several() {
            entity.put_back();
        }
        self.finishes.compute(id, entity, entity.service);
        let &mut Entity { finish, level, class, place, .. } = entity;
        match core::mem::take(&mut entity.slots) {
            0 => entity.service = Service::ZERO,
            slots => self.levels[level].in_service -= slots,
        }
        match place {
            Place::Active => self.remove_active(id),
            Place::Idle => self.remove_idle(id),
            Place::Serving => self.remove_serving(id),
            Place::Neither => {}
        }
        let tree = self.levels[level].tree(class);
        if remember && is_later(finish, tree.virtual_time) {
            tree.insert_idle(&mut self.entities, id);
        } else {
            self.forget(id);
        }
        true
    }

    /// Brings the candidate of a level up to date after `changed` was (re)inserted, or after
    /// something left (spec 1.11). Returns whether the parent's place may change.
    pub(super) fn update_candidate(
        &mut self,
        level: LevelId,
        changed: Option<EntityId>,
        now: Time,
    ) -> bool {
        let before = self.levels[level].candidate;
        let quick = changed.filter(|&id| Some(id) != before && self.precedes(level, id, before));
        let candidate = match quick {
            Some(id) => Some(id),
            None => self.examine(level, now),
        };
        let several = self.rules.serves_several();
        let level = &mut self.levels[level];
        level.candidate = candidate;
        let Some(candidate) = candidate else { return several && before.is_some() };
        let Some(group) = level.entity else { return before.is_none() };
        let budget = self.entities[candidate].budget;
        let old_budget = core::mem::replace(&mut self.entities[group].budget, budget);
        before.is_none() || budget < old_budget
    }

    /// Whether `changed` can take the candidate's place without an examination of the level.
    fn precedes(&self, level: LevelId, changed: EntityId, candidate: Option<EntityId>) -> bool {
        let Some(candidate) = candidate else { return true };
        let (new, old) = (&self.entities[changed], &self.entities[candidate]);
        new.class == old.class
            && !is_later(new.start, self.virtual_time(level, new.class))
            && is_later(old.finish, new.finish)
    }

    /// Full examination of a level: the entity to serve next by class and timestamps (spec 1.9,
    /// 1.10).
    fn examine(&mut self, level: LevelId, now: Time) -> Option<EntityId> {
        let state = &mut self.levels[level];
        let free = state.in_service == 0;
        let class = state.next_class(now, self.limits.idle_class_period)?;
        let tree = state.tree(class);
        let virtual_time = tree.jump(self.rules, &self.entities);
        let chosen = tree.choose(self.rules.choice, &self.entities, virtual_time);
        let virtual_time = match self.rules.in_service {
            InService::One { .. } if !free => return chosen,
            InService::One { .. } => virtual_time,
            InService::Several => tree.lasting_jump(virtual_time, &self.entities),
        };
        if virtual_time != tree.virtual_time {
            tree.virtual_time = virtual_time;
            if let Some(passed) = tree.forget_step(self.rules, &mut self.entities) {
                self.forget(passed);
            }
        }
        chosen
    }
}
