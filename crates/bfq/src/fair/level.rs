//! The scheduler of one group's members: three class trees, the candidate and the entity in
//! service (spec 1.1, 1.10).

use super::{Rules, class_tree::ClassTree, entity::EntityId};
use crate::{
    arena::key,
    units::{Class, Time},
};

key!(
    /// Names the level of one group (the root group's is [`super::Hierarchy::root`]).
    LevelId
);

#[derive(Debug)]
pub(super) struct Level {
    pub trees: [ClassTree; 3],
    pub in_service: Option<EntityId>,
    /// Who would be served next if the one in service fell idle.
    pub candidate: Option<EntityId>,
    /// The group's own entity; `None` for the root.
    pub entity: Option<EntityId>,
    /// Members on active trees; kept for groups other than the root.
    pub active_members: u32,
    /// When the idle class was last considered.
    pub idle_class_stamp: Time,
}

impl Level {
    pub fn new(rules: Rules, idle_class_stamp: Time) -> Self {
        Level {
            trees: [(); 3].map(|()| ClassTree::new(rules)),
            in_service: None,
            candidate: None,
            entity: None,
            active_members: 0,
            idle_class_stamp,
        }
    }

    #[inline]
    pub fn tree(&mut self, class: Class) -> &mut ClassTree {
        &mut self.trees[class.index()]
    }
}
