// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short ways from a queue to its leaf of the hierarchy, and back.

use super::state::Budget;
use crate::{
    fair::{Entity, EntityId},
    model::{ids::QueueId, queue::Queue},
};

impl Budget {
    /// The queue that a leaf of the hierarchy stands for.
    pub(crate) fn queue_of(&self, leaf: EntityId) -> QueueId {
        QueueId::from_index(self.fair.entity(leaf).owner() as usize)
    }

    /// The leaf of a queue.
    pub(crate) fn leaf(&self, queue: &Queue<Budget>) -> &Entity {
        self.fair.entity(queue.policy.entity)
    }
}
