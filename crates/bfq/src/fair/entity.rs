// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedulable object: a queue, or a group standing for its members (spec 0.1, 1.5, 1.15).

use super::{
    ids::{EntityId, LevelId},
    service::Service,
    virtual_time::advance,
};
use crate::{
    store::{
        arena::Arena,
        list::{Hook, Hooked},
        tree::{Links, Node},
    },
    units::{Class, Weight},
};

/// The tree that holds an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// None: not backlogged; or extracted because it is in service, one at a time.
    Neither,
    Active,
    Idle,
    /// That of those in service, where several are.
    Serving,
}

/// What a weight or class will be at the entity's next insertion (spec 1.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub base_weight: Weight,
    pub class: Class,
}

/// A queue or a group in the eyes of B-WF2Q+. What a walk through a tree looks at comes first, so
/// that it shares a cache line; the rest fits into another one.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Entity {
    pub(super) start: u64,
    pub(super) finish: u64,
    /// Smallest start time in the subtree below this node of an active tree.
    pub(super) least_start: u64,
    links: Links<EntityId>,
    pub(super) level: LevelId,
    pub(super) class: Class,
    pub(super) place: Place,
    /// It belongs to a class tree: active, idle or in service there.
    pub(super) scheduled: bool,
    /// Another weight or class waits to be applied.
    pub(super) is_to_change: bool,
    /// What it stands for, in the terms of the owner of the hierarchy.
    pub(super) owner: u32,
    /// The level of the group's members; `None` for a queue.
    pub(super) members: Option<LevelId>,
    pub(super) budget: Service,
    pub(super) service: Service,
    /// The weight in force: base weight times the coefficient at the time of the last update.
    pub(super) weight: Weight,
    pub(super) base_weight: Weight,
    pub(super) coefficient: u32,
    /// Leaves in service: itself, or those below it.
    pub(super) slots: u32,
    active_hook: Hook<EntityId>,
    forgotten_hook: Hook<EntityId>,
    pub(super) pending: Option<Pending>,
    /// Which list of active leaves it joins (an actuator of the device, to the rest of us).
    pub(super) lane: u8,
    /// For groups: counted in [`super::Hierarchy::active_groups`].
    pub(super) counted_active: bool,
}

const _: () = assert!(size_of::<Entity>() == 128);

impl Entity {
    pub(super) fn new(
        level: LevelId,
        members: Option<LevelId>,
        class: Class,
        weight: Weight,
        owner: u32,
    ) -> Self {
        debug_assert!(weight.is_base(), "{weight}");
        Entity {
            links: Links::new(),
            least_start: 0,
            start: 0,
            finish: 0,
            budget: Service::ZERO,
            service: Service::ZERO,
            weight,
            base_weight: weight,
            coefficient: 1,
            class,
            place: Place::Neither,
            scheduled: false,
            counted_active: false,
            pending: None,
            is_to_change: false,
            slots: 0,
            level,
            members,
            lane: 0,
            active_hook: Hook::new(),
            forgotten_hook: Hook::new(),
            owner,
        }
    }

    /// Virtual start time S.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Virtual finish time F.
    pub fn finish(&self) -> u64 {
        self.finish
    }

    /// Budget B: the service after which its slot ends.
    pub fn budget(&self) -> Service {
        self.budget
    }

    /// Service σ received in the current slot.
    pub fn service(&self) -> Service {
        self.service
    }

    /// What is left of the budget; negative if it got more.
    pub fn budget_left(&self) -> Service {
        self.budget - self.service
    }

    /// Effective weight in force.
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// Base weight in force.
    pub fn base_weight(&self) -> Weight {
        self.base_weight
    }

    /// Base weight asked for last, in force or pending.
    pub fn requested_base_weight(&self) -> Weight {
        self.pending.map_or(self.base_weight, |pending| pending.base_weight)
    }

    /// Raise coefficient asked for last.
    pub fn coefficient(&self) -> u32 {
        self.coefficient
    }

    /// The class in force; one that was asked for since takes effect when the entity next moves.
    pub fn class(&self) -> Class {
        self.class
    }

    /// Whether it is on an active or an idle tree, not in service.
    pub fn is_in_tree(&self) -> bool {
        matches!(self.place, Place::Active | Place::Idle)
    }

    /// Whether it is in service, or a leaf below it.
    #[inline]
    pub fn is_in_service(&self) -> bool {
        self.slots > 0
    }

    /// Whether it belongs to a class tree (active, idle or in service).
    pub fn is_scheduled(&self) -> bool {
        self.scheduled
    }

    /// The level that schedules it.
    pub fn level(&self) -> LevelId {
        self.level
    }

    /// What it stands for, as given at its creation.
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// The finish time that `amount` of service leads to from its start time.
    #[inline]
    pub(super) fn finish_after(&self, amount: Service) -> u64 {
        self.start.wrapping_add(advance(amount, u64::from(self.weight)))
    }

    pub(super) fn is_leaf(&self) -> bool {
        self.members.is_none()
    }

    pub(super) fn is_in_active_list(&self) -> bool {
        self.active_hook.is_linked()
    }

    pub(super) fn is_in_forgotten_list(&self) -> bool {
        self.forgotten_hook.is_linked()
    }
}

impl Node<EntityId> for Entity {
    fn links(&self) -> &Links<EntityId> {
        &self.links
    }

    fn links_mut(&mut self) -> &mut Links<EntityId> {
        &mut self.links
    }

    fn refresh(arena: &mut Arena<EntityId, Self>, key: EntityId) -> bool {
        let least = least_start(arena, key);
        core::mem::replace(&mut arena[key].least_start, least) != least
    }

    fn is_fresh(arena: &Arena<EntityId, Self>, key: EntityId) -> bool {
        arena[key].least_start == least_start(arena, key)
    }
}

/// The smallest start time of a node and the subtrees below it.
fn least_start(arena: &Arena<EntityId, Entity>, key: EntityId) -> u64 {
    let entity = &arena[key];
    let mut least = entity.start;
    for child in [entity.links.left(), entity.links.right()].into_iter().flatten() {
        let below = arena[child].least_start;
        if super::virtual_time::is_later(least, below) {
            least = below;
        }
    }
    least
}

/// The lists of leaves on active trees.
pub(super) const ACTIVE_LEAVES: usize = 0;

impl Hooked<EntityId, ACTIVE_LEAVES> for Entity {
    fn hook(&self) -> &Hook<EntityId> {
        &self.active_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<EntityId> {
        &mut self.active_hook
    }
}

/// The list of leaves that are scheduled no more and whose owner does not know yet.
pub(super) const FORGOTTEN: usize = 1;

impl Hooked<EntityId, FORGOTTEN> for Entity {
    fn hook(&self) -> &Hook<EntityId> {
        &self.forgotten_hook
    }

    fn hook_mut(&mut self) -> &mut Hook<EntityId> {
        &mut self.forgotten_hook
    }
}
