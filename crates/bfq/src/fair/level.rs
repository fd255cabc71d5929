// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler of one group's members: three class trees, the candidate and how many are in
//! service (spec 1.1, 1.10).

use super::{
    class_tree::ClassTree,
    ids::EntityId,
    rules::{InService, Rules},
};
use crate::units::{Class, Span, Time};
use core::marker::PhantomData;

#[derive(Debug)]
pub(super) struct Level<S: InService> {
    pub trees: [ClassTree; 3],
    /// Leaves in service: members, or below members.
    pub in_service: u32,
    /// Who would be served next if those in service fell idle.
    pub candidate: Option<EntityId>,
    /// The group's own entity; `None` for the root.
    pub entity: Option<EntityId>,
    /// Members on active trees.
    pub active_members: u32,
    /// When the idle class was last considered. In a new group that is [`Time::LONG_AGO`], in the
    /// place of the 0 from which the reference counts: its period is over at the first occasion.
    idle_class_stamp: Time,
    rules: PhantomData<Rules<S>>,
}

impl<S: InService> Level<S> {
    /// A level without members, whose idle class was last considered at `idle_class_stamp`.
    pub fn new(rules: Rules<S>, idle_class_stamp: Time) -> Self {
        Level {
            trees: [(); 3].map(|()| ClassTree::new(rules)),
            in_service: 0,
            candidate: None,
            entity: None,
            active_members: 0,
            idle_class_stamp,
            rules: PhantomData,
        }
    }

    /// The class to serve next: the highest that has anyone on its active tree, but the idle class
    /// once in each period (spec 1.10).
    #[inline]
    pub fn next_class(&mut self, now: Time, idle_class_period: Span) -> Option<Class> {
        let has_active = |class: Class| !self.trees[class.index()].active.is_empty();
        if now.is_more_than(idle_class_period, self.idle_class_stamp) {
            self.idle_class_stamp = now;
            if has_active(Class::Idle) {
                return Some(Class::Idle);
            }
        }
        if self.active_members == 0 {
            return None;
        }
        if has_active(Class::RealTime) {
            Some(Class::RealTime)
        } else if has_active(Class::BestEffort) {
            Some(Class::BestEffort)
        } else {
            debug_assert!(has_active(Class::Idle), "active members are in no tree");
            Some(Class::Idle)
        }
    }

    #[inline]
    pub fn tree(&mut self, class: Class) -> &mut ClassTree {
        &mut self.trees[class.index()]
    }
}
