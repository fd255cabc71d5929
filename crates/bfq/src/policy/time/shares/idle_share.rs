// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is due to the idle class of a level beside best-effort members, and when it has its turn.

use super::super::device_time::DeviceTime;
use crate::units::{Class, Span};

/// The idle class earns one part in this number of what best-effort members of its level are
/// charged.
pub(super) const PART_OF_OTHERS: i64 = 64;
/// A turn on flash; after 64 ms of the others.
pub(super) const TURN: Span = Span::from_ms(1);
/// A turn on a disk with moving parts is about what two seeks take, so that something is read for
/// them; after a second of the others.
pub(super) const TURN_ROTATING: Span = Span::from_ms(16);

/// What is due to the idle class of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleShare {
    /// What it has earned and not got yet; negative if it got more.
    earned: DeviceTime,
    /// It goes before others until that is used up.
    pub(super) in_turn: bool,
}

impl IdleShare {
    pub const NONE: IdleShare = IdleShare { earned: DeviceTime::ZERO, in_turn: false };

    /// A member was charged while both the idle class and another one want the device, which may
    /// begin or end a turn. What is saved up, and what was had too early, is at most a turn: so no
    /// wait is longer than two.
    // Cold: most levels have no idle members, and each charge would prepare for it.
    #[cold]
    pub(super) fn charge(&mut self, class: Class, charged: DeviceTime, turn: DeviceTime) {
        let earned = match class {
            Class::RealTime => return,
            Class::BestEffort => charged.over(PART_OF_OTHERS),
            Class::Idle => -charged,
        };
        debug_assert!(-turn <= self.earned && self.earned <= turn, "it has saved up too much");
        self.earned = (self.earned + earned).clamp(-turn, turn);
        self.in_turn =
            if self.in_turn { self.earned > DeviceTime::ZERO } else { self.earned >= turn };
    }
}
