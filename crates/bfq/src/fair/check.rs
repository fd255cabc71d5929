// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every invariant of levels, trees, sums and lists.

use super::{
    class_tree::ClassTree, entity::Entity, hierarchy::Hierarchy, ids::LevelId, rules::InService,
    service::Service, standing::Place, virtual_time::FARTHEST,
};

impl<S: InService> Hierarchy<S> {
    /// Asserts every invariant of levels, trees, sums and lists.
    ///
    /// # Panics
    /// If one is broken.
    pub fn check(&self) {
        let mut next = self.levels.next_key(None);
        while let Some(id) = next {
            self.check_level(id);
            next = self.levels.next_key(Some(id));
        }
        for (id, entity) in self.entities.arena.iter() {
            let active_leaf = entity.is_leaf() && entity.place() == Place::Active;
            assert_eq!(entity.is_in_active_list(), active_leaf, "{id:?}");
            let is_somewhere = entity.is_in_service() || entity.place() != Place::Neither;
            assert_eq!(entity.is_scheduled(), is_somewhere, "{id:?} is scheduled nowhere");
            let amounts = [entity.budget(), entity.service()];
            assert!(
                entity.base_weight().is_base() && amounts.iter().all(|&a| a >= Service::ZERO),
                "{id:?}"
            );
            if let Some(members) = entity.members() {
                assert_eq!(entity.standing.slots(), self.levels[members].in_service, "{id:?}");
            }
        }
        if S::SEVERAL {
            self.check_several();
        }
    }

    fn check_level(&self, id: LevelId) {
        let mut sums = [0u64; 3];
        let mut members = [0u32; 3];
        let mut slots = 0;
        for (_, entity) in self.entities.arena.iter().filter(|(_, entity)| entity.level() == id) {
            slots += entity.standing.slots();
            if entity.is_scheduled() {
                self.check_times(entity);
                sums[entity.class().index()] += u64::from(entity.weight());
            }
            if entity.place() == Place::Active {
                members[entity.class().index()] += 1;
            }
        }
        let level = &self.levels[id];
        assert_eq!(level.active_members, members.iter().sum::<u32>(), "{id:?}");
        assert_eq!(level.in_service, slots, "{id:?}");
        if let Some(candidate) = level.candidate {
            // The walk of 1.12 may stop before it replaces a candidate that is in service.
            let waits = self.entities[candidate].place() == Place::Active;
            assert!(waits || self.entities[candidate].is_in_service(), "{id:?} {candidate:?}");
            assert!(self.entities[candidate].level() == id);
        }
        let trees: &[ClassTree; 3] = &level.trees;
        for (tree, sum) in trees.iter().zip(sums) {
            assert_eq!(tree.weight_sum, sum, "weight sum of {id:?}");
            tree.check(&self.entities.arena);
            assert!(
                tree.idle_entities(&self.entities.arena).all(|e| self.entities[e].level() == id)
            );
        }
    }

    /// The times of a scheduled entity and V can be compared.
    fn check_times(&self, entity: &Entity) {
        let virtual_time = self.virtual_time(entity.level(), entity.class());
        for time in [entity.start(), entity.finish()] {
            let distance = (time.wrapping_sub(virtual_time) as i64).unsigned_abs();
            assert!(distance <= FARTHEST || self.entities.rules.jump_ignores_wrap, "{distance}");
        }
    }
}
