// SPDX-License-Identifier: MIT OR Apache-2.0
//! The classes of a level beside each other: real-time before best-effort before idle, but for the
//! least share of the idle class.
//!
//! Idle members of a level are served when no other member of it wants the device. So that they are
//! not starved, they earn a small part of what best-effort ones are charged meanwhile. When that is
//! worth a turn, they go before all but the real-time ones, until it is used up.

use super::{
    super::device_time::DeviceTime,
    NodeId, Shares,
    idle_share::{PART_OF_OTHERS, TURN_ROTATING},
    node::{IDLE, Level, ON_LOAN, RANKS, REAL_TIME, rank_of},
};
use crate::{
    store::indexed::IndexedList,
    units::{Class, Weight},
};

/// The ranks of a level in the order in which they are served while the idle class has its turn;
/// else they are served in the order of their numbers.
const IDLE_IN_TURN: [usize; RANKS] = [REAL_TIME, IDLE, ON_LOAN, rank_of(Class::BestEffort)];

impl Level {
    /// The member that is served first.
    pub(super) fn first(&self) -> Option<NodeId> {
        if self.idle.in_turn {
            return self.first_in_turn(&IDLE_IN_TURN);
        }
        self.active.iter().find_map(IndexedList::first)
    }

    /// The first of those whose ranks come behind this one.
    pub(super) fn first_behind(&self, rank: usize) -> Option<NodeId> {
        if self.idle.in_turn {
            let place = IDLE_IN_TURN.iter().position(|&other| other == rank)?;
            return self.first_in_turn(&IDLE_IN_TURN[place + 1..]);
        }
        self.active[rank + 1..].iter().find_map(IndexedList::first)
    }

    #[cold]
    fn first_in_turn(&self, ranks: &[usize]) -> Option<NodeId> {
        ranks.iter().find_map(|&rank| self.active[rank].first())
    }

    /// Whether members of the idle class and others want the device.
    fn has_idle_beside_others(&self) -> bool {
        !self.active[IDLE].is_empty() && self.active[..IDLE].iter().any(|set| !set.is_empty())
    }

    /// A member of a class was charged.
    pub(super) fn charge_classes(&mut self, class: Class, charged: DeviceTime, turn: DeviceTime) {
        if self.has_idle_beside_others() {
            self.idle.charge(class, charged, turn);
        }
    }
}

impl Shares {
    /// The device has moving parts: a turn of the idle class is as long as is needed there.
    pub fn of_moving_parts(self) -> Self {
        Shares { idle_turn: DeviceTime::of(TURN_ROTATING), ..self }
    }

    /// The weight of an active node, and of all active nodes of its level as far as places in the
    /// device's pool go: those of the idle class have their least share while others are there.
    pub fn share(&self, node: NodeId) -> Option<(Weight, u64)> {
        let node = &self.nodes[node];
        let level = &self.levels[node.level];
        let weights = level.weights[node.class.index()];
        let parts = if node.class == Class::Idle && level.has_idle_beside_others() {
            PART_OF_OTHERS as u64
        } else {
            1
        };
        debug_assert!(!node.active || weights >= u64::from(node.weight), "it counts with all");
        node.active.then(|| (node.weight, weights * parts))
    }
}
