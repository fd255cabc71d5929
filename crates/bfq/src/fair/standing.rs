// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where an entity stands: its level and class, the tree that holds it, and its slots (spec 1.5).

use super::ids::LevelId;
use crate::units::Class;

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

/// Where an entity stands. It is in one tree at most, and leaves that before it enters another or
/// changes its class.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Standing {
    level: LevelId,
    slots: u32,
    class: Class,
    place: Place,
    scheduled: bool,
    counted_active: bool,
}

impl Standing {
    /// That of an entity which is not scheduled.
    pub const fn new(level: LevelId, class: Class) -> Self {
        Standing {
            level,
            slots: 0,
            class,
            place: Place::Neither,
            scheduled: false,
            counted_active: false,
        }
    }

    /// The level that schedules it.
    #[inline]
    pub const fn level(&self) -> LevelId {
        self.level
    }

    /// The class in force.
    #[inline]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The tree that holds it.
    #[inline]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Leaves in service: itself, or those below it.
    #[inline]
    pub const fn slots(&self) -> u32 {
        self.slots
    }

    /// Whether it belongs to a class tree: active, idle or in service there.
    #[inline]
    pub const fn is_scheduled(&self) -> bool {
        self.scheduled
    }

    /// It enters a tree.
    #[inline]
    pub fn enter(&mut self, place: Place) {
        debug_assert!(place != Place::Neither, "nobody enters no tree");
        debug_assert_eq!(self.place, Place::Neither, "it enters {place:?} from another tree");
        self.place = place;
    }

    /// It leaves the tree that it is in, if any; returns which one that was.
    #[inline]
    pub fn leave(&mut self) -> Place {
        core::mem::replace(&mut self.place, Place::Neither)
    }

    /// It belongs to its class tree from now on.
    #[inline]
    pub fn join(&mut self) {
        debug_assert!(!self.scheduled, "it is scheduled already");
        self.scheduled = true;
    }

    /// It does not belong to its class tree any more.
    #[inline]
    pub fn part(&mut self) {
        debug_assert!(self.scheduled && self.slots == 0, "it is in service, or not scheduled");
        debug_assert_eq!(self.place, Place::Neither, "it is still in a tree");
        self.scheduled = false;
    }

    /// A slot begins, its own or one below it.
    #[inline]
    pub fn begin_slot(&mut self) {
        self.slots += 1;
    }

    /// A slot ends, its own or one below it.
    #[inline]
    pub fn end_slot(&mut self) {
        debug_assert!(self.slots > 0, "no slot is to end");
        self.slots -= 1;
    }

    /// All slots end; returns how many.
    #[inline]
    pub fn end_slots(&mut self) -> u32 {
        core::mem::take(&mut self.slots)
    }

    /// Another class is in force.
    pub fn set_class(&mut self, class: Class) {
        debug_assert!(
            class == self.class || self.place == Place::Neither,
            "it is still in a tree of {:?}",
            self.class
        );
        self.class = class;
    }

    /// Another level schedules it.
    pub fn set_level(&mut self, level: LevelId) {
        debug_assert!(!self.scheduled, "its level still schedules it");
        self.level = level;
    }

    /// A group is counted among the active ones; returns whether it was not before.
    #[inline]
    pub fn count_active(&mut self) -> bool {
        !core::mem::replace(&mut self.counted_active, true)
    }

    /// A group is not counted among the active ones; returns whether it was before.
    pub fn uncount_active(&mut self) -> bool {
        core::mem::replace(&mut self.counted_active, false)
    }
}
