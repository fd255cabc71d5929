// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walks along the path between a leaf and the root: activation, requeue, deactivation,
//! candidates, and the choice of the next leaf (spec 1.5, 1.9–1.13).

use super::{
    changed::{Changed, Forgotten},
    hierarchy::Hierarchy,
    ids::EntityId,
    rules::InService,
    standing::Place,
    step::Occasion,
};
use crate::units::Time;

impl<S: InService> Hierarchy<S> {
    /// A leaf becomes backlogged. With `continues` it is treated as if it had never
    /// stopped (spec 1.6).
    pub fn activate(&mut self, leaf: EntityId, continues: bool, now: Time) -> Changed {
        debug_assert!(!self.entities[leaf].is_in_service(), "{leaf:?} has a slot");
        debug_assert!(!self.is_active(leaf), "{leaf:?} is backlogged");
        self.activate_path(leaf, continues, Occasion::Ordinary, now);
        Changed::new()
    }

    /// A leaf on an active tree gets another place there because its budget changed.
    pub fn reposition(&mut self, leaf: EntityId, now: Time) -> Changed {
        debug_assert!(self.is_active(leaf), "only who waits has a place to change");
        self.activate_path(leaf, false, Occasion::Ordinary, now);
        Changed::new()
    }

    /// The slot of a leaf in service ends and it stays backlogged.
    pub fn requeue_expired(&mut self, leaf: EntityId, now: Time) -> Changed {
        debug_assert!(self.entities[leaf].is_in_service(), "{leaf:?} has no slot to end");
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
        debug_assert!(self.entities[leaf].is_in_service(), "{leaf:?} has no slot to end");
        self.take_back_promise(leaf);
        self.deactivate_path(leaf, true, Occasion::Expiration, now);
        Changed::new()
    }

    /// Sets the next leaf in service (spec 1.12). `None` if no leaf is backlogged that is not
    /// in service already.
    pub fn choose_next(&mut self, now: Time) -> Option<(EntityId, Forgotten)> {
        let leaf = match S::SEVERAL {
            true => self.choose_beside_others(now)?,
            false => self.choose_alone(now)?,
        };
        Some((leaf, Forgotten::new()))
    }

    #[inline]
    fn choose_alone(&mut self, now: Time) -> Option<EntityId> {
        let root = self.root();
        let mut level = &mut self.levels[root];
        debug_assert_eq!(level.in_service, 0, "one at a time");
        let leaf = loop {
            let id = level.candidate?;
            level.in_service += 1;
            let entity = &mut self.entities[id];
            debug_assert_eq!(entity.place(), Place::Active, "the candidate {id:?} does not wait");
            entity.standing.begin_slot();
            let (above, members) = (entity.level(), entity.members());
            let Some(members) = members else {
                let gap = entity.leave_tree();
                level.close_gap(&mut self.entities, id, gap);
                break id;
            };
            if self.levels[members].active_members == 1 {
                self.levels[above].remove_active(&mut self.entities, id);
            }
            level = &mut self.levels[members];
        };
        let mut next = Some(leaf);
        while let Some(id) = next {
            let level = &mut self.levels[self.entities[id].level()];
            if !level.update_candidate(&mut self.entities, None, now) {
                break;
            }
            next = level.entity;
        }
        Some(leaf)
    }

    #[inline(never)]
    fn activate_path(&mut self, leaf: EntityId, continues: bool, why: Occasion, now: Time) {
        let mut next = Some(leaf);
        while let Some(id) = next {
            let offers = self.offers_something(id);
            let entity = &self.entities[id];
            let level = &mut self.levels[entity.level()];
            if entity.is_in_service() || entity.place() == Place::Active {
                level.requeue(&mut self.entities, id, why, offers);
            } else {
                level.activate(&mut self.entities, id, continues, offers);
            }
            let changes = level.update_candidate(&mut self.entities, Some(id), now);
            if !changes && why == Occasion::Ordinary {
                break;
            }
            next = level.entity;
        }
    }

    #[inline(never)]
    fn deactivate_path(&mut self, leaf: EntityId, remember: bool, why: Occasion, now: Time) {
        let mut id = leaf;
        let mut remember = remember;
        let first_to_stay = loop {
            let level = &mut self.levels[self.entities[id].level()];
            if !level.deactivate(&mut self.entities, id, remember) {
                return;
            }
            if level.candidate == Some(id) {
                level.update_candidate(&mut self.entities, None, now);
            }
            let above = level.entity;
            if level.candidate.is_some() || level.in_service > 0 {
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
            let offers = self.offers_something(id);
            let level = &mut self.levels[self.entities[id].level()];
            level.requeue(&mut self.entities, id, why, offers);
            // A group that has nothing to offer is no candidate, where several are in service.
            let changed = offers.then_some(id);
            let changes = level.update_candidate(&mut self.entities, changed, now);
            if !changes && why == Occasion::Ordinary {
                break;
            }
            next = level.entity;
        }
    }
}
