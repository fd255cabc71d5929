// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of what a hierarchy has.

use crate::store::arena::key;

key!(
    /// Names an [`Entity`](super::Entity).
    EntityId
);
key!(
    /// Names the level of one group (the root group's is
    /// [`Hierarchy::root`](super::Hierarchy::root)).
    LevelId
);
