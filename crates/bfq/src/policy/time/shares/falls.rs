// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far the members of a group may be before one another once the group gets less.
//!
//! On a disk with moving parts members are served one after the other, each for a slot, so those
//! that had theirs are before the others by as much. While the group has all of the disk they wait
//! for a round. If it has a tenth of the disk from then on, slots are shorter and come less often:
//! the same lead takes many rounds, and who has it may wait for a minute. So when the part of a
//! group falls to half, what its members have got less than the one that has got most counts up to
//! a slot, and is forgotten beyond.
//!
//! That is a gift to those that are before the others. It is made once in a minute at most, however
//! often groups come and go (a fall within that minute counts at its end), and nobody outside the
//! group pays for it.

use super::{
    NodeId, Shares,
    node::{Level, rank_of},
    virtual_time::{VirtualSpan, VirtualTime},
};
use crate::units::{Class, Span, Time};

impl Level {
    /// If a best-effort member is further behind than here, the virtual time goes on to here.
    /// Returns it then.
    fn leave_behind(&mut self, floor: VirtualTime) -> Option<VirtualTime> {
        let clock = &mut self.clocks[Class::BestEffort.index()];
        let is_one_behind = clock.now().is_before(floor);
        clock.advance_to(floor);
        is_one_behind.then_some(floor)
    }

    /// Asserts that the virtual time has come as far as the floor.
    ///
    /// # Panics
    /// If it has not.
    pub(super) fn check_floor(&self) {
        let now = self.clocks[Class::BestEffort.index()].now();
        assert!(self.leads.floor().is_none_or(|floor| !now.is_before(floor)), "the floor is ahead");
    }
}

impl Shares {
    /// A slot of this length begins for a queue: if a group above it has got less than it had, the
    /// leads of its members are limited to that, at their weights. The work grows with the square
    /// of the depth.
    pub fn limit_leads(&mut self, queue: NodeId, slot: Span, now: Time) {
        let mut level = self.nodes[queue].level;
        while let Some(group) = self.levels[level].node {
            let part = self.part_of(group, Span::from_s(1));
            let members = &mut self.levels[level];
            // If all members are on loan, leads are limited when the loans have ended.
            if members.leads.has_fallen(part, now)
                && let Some(most) = members.active[rank_of(Class::BestEffort)].last()
            {
                let most = &self.nodes[most];
                let lead = VirtualSpan::of(slot, most.weight);
                let floor = members.leave_behind(most.vtime - lead);
                members.leads.note_fall(part, floor, now);
            }
            level = self.nodes[group].level;
        }
    }
}

#[cfg(test)]
#[path = "falls_tests.rs"]
mod tests;
