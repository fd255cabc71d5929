// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far the members of a group may be before one another once the group gets less.
//!
//! On a disk with moving parts members are served one after the other, each for a slot, so those
//! that had theirs are before the others by as much. While the group has all of the disk they wait
//! for a round. If it has a tenth of the disk from then on, slots are shorter and come less often:
//! the same lead takes many rounds, and who has it may wait for a minute. So when the part of a
//! group falls to half, what its members have got less than the one that has got most counts up to
//! a slot of that one, and is forgotten beyond.
//!
//! That is a gift to those that are before the others. It is made once in a minute at most, however
//! often groups come and go, and members of other groups do not pay for it.

use super::{
    NodeId, Shares,
    node::{Level, rank_of},
    virtual_time::{VirtualSpan, VirtualTime},
};
use crate::units::{Class, Span, Time};

/// A group gets less when its part of the disk is no more than one in so many of what it was.
const FALLS_TO: u64 = 2;
/// Leads in a group are limited at most once in this time: ten rounds.
const AGAIN: Span = Span::from_s(60);

/// What is kept of a group for that.
#[derive(Debug)]
pub(super) struct Leads {
    /// The largest part of a second that was the group's, since leads were limited.
    part: Span,
    limited_at: Option<Time>,
    /// A best-effort member that is further behind than here is counted from here when it is
    /// charged. Until then its own time keeps its place among others like it.
    floor: Option<VirtualTime>,
}

impl Leads {
    pub const NONE: Leads = Leads { part: Span::ZERO, limited_at: None, floor: None };

    /// This part of a second is the group's now. Returns whether that is so much less than it was
    /// that leads are to be limited.
    fn falls_to(&mut self, part: Span, now: Time) -> bool {
        self.part = self.part.max(part);
        let is_less = part.times(FALLS_TO) <= self.part;
        if !is_less || self.limited_at.is_some_and(|at| now.since(at) < AGAIN) {
            return false;
        }
        (self.part, self.limited_at) = (part, Some(now));
        true
    }

    /// The time of a best-effort member that is charged now.
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
    /// No best-effort member counts as further behind than here.
    fn limit_leads(&mut self, floor: VirtualTime) {
        let clock = &mut self.clocks[Class::BestEffort.index()];
        if clock.now().is_before(floor) {
            clock.advance_to(floor);
            self.leads.floor = Some(floor);
        }
    }
}

impl Shares {
    /// A slot of this length begins for a queue: if a group above it gets less than it did, the
    /// leads of its members are limited. The work grows with the square of the depth.
    pub fn limit_leads(&mut self, queue: NodeId, slot: Span, now: Time) {
        let mut level = self.nodes[queue].level;
        while let Some(group) = self.levels[level].node {
            let part = self.part_of(group, Span::from_s(1));
            let members = &mut self.levels[level];
            if members.leads.falls_to(part, now)
                && let Some(most) = members.active[rank_of(Class::BestEffort)].last()
            {
                let most = &self.nodes[most];
                members.limit_leads(most.vtime - VirtualSpan::of(slot, most.weight));
            }
            level = self.nodes[group].level;
        }
    }
}

#[cfg(test)]
#[path = "leads_tests.rs"]
mod tests;
