// SPDX-License-Identifier: MIT OR Apache-2.0
//! The entities of all levels, with what is kept of them across the levels: lists, counts, and what
//! their owner is yet to be told.

use super::{
    changed::Reweighed,
    entity::{ACTIVE_LEAVES, Entity, FORGOTTEN},
    finishes::Finishes,
    ids::EntityId,
    rules::{InService, Rules},
};
use crate::{
    store::{
        arena::{Arena, OutOfMemory},
        list::List,
    },
    units::Span,
};
use core::ops::{Index, IndexMut};

/// Lists of active leaves that a hierarchy can keep apart.
pub(super) const LANES: usize = 8;

/// Constants of the walks (spec 1.10).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// After so long without a look at the idle class, it comes first once.
    pub idle_class_period: Span,
}

/// What an entity in service is promised, where several may be (see `several`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Promise {
    /// What the budgets of its slots leave to be served yet.
    pub service: u64,
    /// By how much its start time, a group's, is put off for that.
    pub ahead: u64,
}

impl Promise {
    pub const NONE: Promise = Promise { service: 0, ahead: 0 };
}

/// The entities, and all that operations on a level need besides the level.
#[derive(Debug)]
pub(super) struct Entities<S: InService> {
    pub arena: Arena<EntityId, Entity>,
    /// What each of them is promised, if several may be in service; else empty.
    pub promises: Arena<EntityId, Promise>,
    pub rules: Rules<S>,
    pub limits: Limits,
    /// Leaves on active trees, newest first, by lane.
    pub active_leaves: [List<EntityId, ACTIVE_LEAVES>; LANES],
    /// Leaves forgotten since the last `take_forgotten`, the latest first.
    pub forgotten: List<EntityId, FORGOTTEN>,
    pub finishes: Finishes,
    pub active_groups: u32,
    /// What came into force since the last `take_reweighed`: an operation has one leaf.
    pub reweighed: Option<Reweighed>,
}

impl<S: InService> Entities<S> {
    pub fn new(rules: Rules<S>, limits: Limits) -> Self {
        Entities {
            arena: Arena::new(),
            promises: Arena::new(),
            rules,
            limits,
            active_leaves: [const { List::new() }; LANES],
            forgotten: List::new(),
            finishes: Finishes::default(),
            active_groups: 0,
            reweighed: None,
        }
    }

    /// Adds an entity, which is promised nothing.
    pub fn insert(&mut self, entity: Entity) -> Result<EntityId, OutOfMemory> {
        let id = self.arena.insert(entity)?;
        if S::SEVERAL {
            // Both tables free and reuse their places together, so the name is the same.
            if let Err(error) = self.promises.insert(Promise::NONE) {
                self.arena.remove(id);
                return Err(error);
            }
        }
        Ok(id)
    }

    /// Removes an entity for good: its id may name another one afterwards.
    pub fn remove(&mut self, id: EntityId) {
        self.arena.remove(id);
        if S::SEVERAL {
            self.promises.remove(id);
        }
    }
}

impl<S: InService> Index<EntityId> for Entities<S> {
    type Output = Entity;
    #[inline]
    fn index(&self, id: EntityId) -> &Entity {
        &self.arena[id]
    }
}

impl<S: InService> IndexMut<EntityId> for Entities<S> {
    #[inline]
    fn index_mut(&mut self, id: EntityId) -> &mut Entity {
        &mut self.arena[id]
    }
}
