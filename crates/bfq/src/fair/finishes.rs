// SPDX-License-Identifier: MIT OR Apache-2.0
//! The finish times that were computed for leaves, for whoever wants to see them.

use super::{entity::Entity, ids::EntityId, service::Service};
use crate::units::Weight;

/// A finish time computed for a leaf: what the reference prints, and what tests compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// The leaf that it is of.
    pub entity: EntityId,
    /// Start time it was computed from.
    pub start: u64,
    /// Finish time that was computed.
    pub finish: u64,
    /// The service or budget that lies between the two.
    pub amount: Service,
    /// The weight it was divided by.
    pub weight: Weight,
}

/// The finish times computed for leaves since they were last taken, if anybody wants to know.
#[derive(Debug, Default)]
pub(super) struct Finishes {
    reported: bool,
    latest: [Option<Finish>; 2],
}

impl Finishes {
    /// None yet; from now on they are kept, or are not.
    pub fn new(reported: bool) -> Self {
        Finishes { reported, latest: [None; 2] }
    }

    /// Those kept, the earlier one first.
    pub fn take(&mut self) -> [Option<Finish>; 2] {
        core::mem::take(&mut self.latest)
    }

    /// Computes the finish time of an entity: its start plus `amount` at its present weight.
    #[inline]
    pub fn compute(&mut self, id: EntityId, entity: &mut Entity, amount: Service) {
        let weight = entity.weight();
        entity.times.finish_after(amount, weight);
        if self.reported && entity.is_leaf() {
            let (start, finish) = (entity.start(), entity.finish());
            let slot = usize::from(self.latest[0].is_some());
            debug_assert!(self.latest[slot].is_none(), "a finish time is lost");
            self.latest[slot] = Some(Finish { entity: id, start, finish, amount, weight });
        }
    }
}
