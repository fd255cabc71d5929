// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is due to the idle class of a level beside best-effort members, and when it has its turn.

use crate::units::Class;

/// The idle class earns one part in so many of what best-effort members of its level are charged.
pub(super) const PART_OF_OTHERS: i64 = 64;
/// A turn on flash; after 64 ms of the others.
pub(super) const TURN_NS: i64 = 1_000_000;
/// A turn on a disk with moving parts is about what two seeks take, so that something is read for
/// them; after a second of the others.
pub(super) const TURN_ROTATING_NS: i64 = 16_000_000;

/// What is due to the idle class of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleShare {
    /// What it has earned and not got yet; negative if it got more.
    earned_ns: i64,
    /// It goes before others until that is used up.
    pub(super) in_turn: bool,
}

impl IdleShare {
    pub const NONE: IdleShare = IdleShare { earned_ns: 0, in_turn: false };

    /// Somebody was charged while both the idle class and another one want the device; says
    /// whether that begins or ends a turn. What is saved up, and what was had too early, is at
    /// most a turn: so no wait is longer than two.
    pub(super) fn charge(&mut self, class: Class, service_ns: i64, turn_ns: i64) -> bool {
        let earned_ns = match class {
            Class::RealTime => return false,
            Class::BestEffort => service_ns / PART_OF_OTHERS,
            Class::Idle => -service_ns,
        };
        self.earned_ns = self.earned_ns.saturating_add(earned_ns).clamp(-turn_ns, turn_ns);
        let before = self.in_turn;
        self.in_turn = if before { self.earned_ns > 0 } else { self.earned_ns >= turn_ns };
        self.in_turn != before
    }
}
