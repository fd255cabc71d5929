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

/// Leads are limited when the part of a group is this many times smaller than it was, or more.
const FALLS_TO: u64 = 2;
/// Leads in a group are limited at most once in this time: ten rounds.
const AGAIN: Span = Span::from_s(60);

/// What is kept of a group for that.
#[derive(Debug)]
pub(super) struct Leads {
    /// The largest part of the disk that the group had when a slot began in it, since leads were
    /// limited: as time in a second.
    part: Span,
    limited_at: Option<Time>,
    /// A best-effort member that is further behind than here is counted from here when it is
    /// charged. Until then its own time keeps its place among the others.
    floor: Option<VirtualTime>,
}

impl Leads {
    pub const NONE: Leads = Leads { part: Span::ZERO, limited_at: None, floor: None };

    /// The part of the group is this now. Returns whether that is so much less than it was that
    /// leads are to be limited.
    fn has_fallen(&mut self, part: Span, now: Time) -> bool {
        self.part = self.part.max(part);
        part < self.part
            && part.times(FALLS_TO) <= self.part
            && self.limited_at.is_none_or(|at| now.since(at) >= AGAIN)
    }

    /// Where a best-effort member is that is charged now.
    #[inline]
    pub fn counted(&self, vtime: VirtualTime) -> VirtualTime {
        self.floor.map_or(vtime, |floor| vtime.later(floor))
    }

    /// The best-effort member that is furthest behind is here now.
    #[inline]
    pub fn first_is_at(&mut self, vtime: VirtualTime) {
        self.floor.take_if(|floor| !vtime.is_before(*floor));
    }
}

impl Level {
    /// No best-effort member counts as further behind than here. Returns whether one was.
    fn raise_floor(&mut self, floor: VirtualTime) -> bool {
        let clock = &mut self.clocks[Class::BestEffort.index()];
        let is_one_behind = clock.now().is_before(floor);
        if is_one_behind {
            clock.advance_to(floor);
            self.leads.floor = Some(floor);
        }
        is_one_behind
    }

    /// Asserts that nobody waits for a floor that is still to come.
    pub(super) fn check_floor(&self) {
        let now = self.clocks[Class::BestEffort.index()].now();
        assert!(self.leads.floor.is_none_or(|floor| !now.is_before(floor)), "a floor to come");
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
            // All may be on loan: their leads are limited when these end.
            if members.leads.has_fallen(part, now)
                && let Some(most) = members.active[rank_of(Class::BestEffort)].last()
            {
                let most = &self.nodes[most];
                let was_one_behind =
                    members.raise_floor(most.vtime - VirtualSpan::of(slot, most.weight));
                members.leads.part = part;
                if was_one_behind {
                    members.leads.limited_at = Some(now);
                }
            }
            level = self.nodes[group].level;
        }
    }
}

#[cfg(test)]
#[path = "leads_tests.rs"]
mod tests;
