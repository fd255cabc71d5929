// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedulable object: a queue, or a group standing for its members (spec 0.1, 1.5, 1.15).

use super::{
    account::Account,
    ids::{EntityId, LevelId},
    service::Service,
    share::Share,
    standing::{Place, Standing},
    times::Times,
    virtual_time::is_later,
};
use crate::{
    store::{
        arena::Arena,
        list::{Hook, Hooked},
        tree::{Links, Node},
    },
    units::{Class, Weight},
};

/// A queue or a group in the eyes of B-WF2Q+. What a walk through a tree looks at comes first, so
/// that it shares a cache line; the rest fits into another one.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Entity {
    pub(super) times: Times,
    links: Links<EntityId>,
    pub(super) standing: Standing,
    /// The level of the group's members; `None` for a queue.
    members: Option<LevelId>,
    pub(super) account: Account,
    pub(super) share: Share,
    /// What it stands for, in the terms of the owner of the hierarchy.
    pub(super) owner: u32,
    active_hook: Hook<EntityId>,
    forgotten_hook: Hook<EntityId>,
    /// Which list of active leaves it joins (an actuator of the device, to the rest of us).
    lane: u8,
}

/// Where an entity was that has left its tree: there is a gap to be closed.
#[derive(Debug)]
pub(super) struct Gap {
    pub place: Place,
    pub class: Class,
    pub lane: usize,
    /// Who was beside it in the tree.
    pub neighbours: [Option<EntityId>; 2],
    /// Its place in the list of active leaves.
    pub hook: Hook<EntityId>,
}

const _: () = assert!(size_of::<Entity>() == 128);
const _: () = assert!(core::mem::offset_of!(Entity, account) == 64, "the second cache line");

impl Entity {
    /// A queue, which joins the list of active leaves numbered `lane`.
    pub(super) fn leaf(level: LevelId, class: Class, weight: Weight, lane: u8, owner: u32) -> Self {
        Entity {
            times: Times::NEW,
            links: Links::new(),
            standing: Standing::new(level, class),
            members: None,
            account: Account::NEW,
            share: Share::new(weight),
            owner,
            active_hook: Hook::new(),
            forgotten_hook: Hook::new(),
            lane,
        }
    }

    /// A group of a level for its members.
    pub(super) fn group(level: LevelId, members: LevelId, weight: Weight, owner: u32) -> Self {
        debug_assert!(level != members, "a group is a member of itself");
        let entity = Entity::leaf(level, Class::BestEffort, weight, 0, owner);
        Entity { members: Some(members), ..entity }
    }

    /// Virtual start time S.
    #[inline]
    pub fn start(&self) -> u64 {
        self.times.start()
    }

    /// Virtual finish time F.
    #[inline]
    pub fn finish(&self) -> u64 {
        self.times.finish()
    }

    /// Budget B: the service after which its slot ends.
    #[inline]
    pub fn budget(&self) -> Service {
        self.account.budget()
    }

    /// Service σ received in the current slot.
    #[inline]
    pub fn service(&self) -> Service {
        self.account.service()
    }

    /// What is left of the budget; negative if it got more.
    #[inline]
    pub fn budget_left(&self) -> Service {
        self.budget() - self.service()
    }

    /// Effective weight in force.
    #[inline]
    pub fn weight(&self) -> Weight {
        self.share.weight()
    }

    /// Base weight in force.
    #[inline]
    pub fn base_weight(&self) -> Weight {
        self.share.base_weight()
    }

    /// Base weight asked for last, in force or pending.
    #[inline]
    pub fn requested_base_weight(&self) -> Weight {
        self.share.requested_base_weight()
    }

    /// Raise coefficient asked for last.
    #[inline]
    pub fn coefficient(&self) -> u32 {
        self.share.coefficient()
    }

    /// The class in force; one that was asked for since takes effect when the entity next moves.
    #[inline]
    pub fn class(&self) -> Class {
        self.standing.class()
    }

    /// Whether it is on an active or an idle tree, not in service.
    #[inline]
    pub fn is_in_tree(&self) -> bool {
        matches!(self.place(), Place::Active | Place::Idle)
    }

    /// Whether it is in service, or a leaf below it.
    #[inline]
    pub fn is_in_service(&self) -> bool {
        self.standing.slots() > 0
    }

    /// Whether it belongs to a class tree (active, idle or in service).
    #[inline]
    pub fn is_scheduled(&self) -> bool {
        self.standing.is_scheduled()
    }

    /// The level that schedules it.
    #[inline]
    pub fn level(&self) -> LevelId {
        self.standing.level()
    }

    /// What it stands for, as given at its creation.
    #[inline]
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// The tree that holds it.
    #[inline]
    pub(super) fn place(&self) -> Place {
        self.standing.place()
    }

    /// The level of the group's members; `None` for a queue.
    #[inline]
    pub(super) fn members(&self) -> Option<LevelId> {
        self.members
    }

    /// The list of active leaves that it joins.
    #[inline]
    pub(super) fn lane(&self) -> usize {
        usize::from(self.lane)
    }

    /// It leaves the tree that holds it, and the list of active leaves; the others there do not
    /// know yet.
    #[inline]
    pub(super) fn leave_tree(&mut self) -> Gap {
        Gap {
            place: self.standing.leave(),
            class: self.class(),
            lane: self.lane(),
            neighbours: self.links.neighbours(),
            hook: self.active_hook.take(),
        }
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
        arena[key].times.keep_least_start(least)
    }

    fn is_fresh(arena: &Arena<EntityId, Self>, key: EntityId) -> bool {
        arena[key].times.least_start() == least_start(arena, key)
    }
}

/// The smallest start time of a node and the subtrees below it.
fn least_start(arena: &Arena<EntityId, Entity>, key: EntityId) -> u64 {
    let entity = &arena[key];
    let mut least = entity.start();
    for child in [entity.links.left(), entity.links.right()].into_iter().flatten() {
        let below = arena[child].times.least_start();
        if is_later(least, below) {
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
