// SPDX-License-Identifier: MIT OR Apache-2.0
//! What members of a level owe: who is so far before the others that it would wait for them for too
//! long in one piece goes on slowly instead, and pays.
//!
//! It may have got that on loan (`lending`); or it had a large part of the device at the time, and
//! a heavy group has come since that leaves it a small one.

use super::{
    LevelId, NodeId, Shares,
    node::{Node, rank_of},
    virtual_time::{VirtualSpan, VirtualTime},
};
use crate::units::{Class, Span};

/// A node with a debt is charged this multiple of what it gets, besides, until that is paid.
const PAID_WITH: u64 = 2;
/// Members of a level that are looked at in one call, so that it has a bound.
const LOOKED_AT: usize = 8;

impl Node {
    /// The virtual time of the level is `vtime`. What it is further before that than by `lead` it
    /// owes from now on.
    pub(super) fn owe(&mut self, vtime: VirtualTime, lead: VirtualSpan) {
        let owed = self.vtime.since(vtime + lead);
        self.vtime -= owed;
        self.debt = self.debt + owed;
    }

    /// It comes back, and the virtual time of the level is `vtime`: what others got more than it
    /// while it was away pays as well.
    pub(super) fn pay_by_absence(&mut self, vtime: VirtualTime) {
        let paid = self.debt.min(vtime.since(self.vtime));
        self.debt = self.debt - paid;
        self.vtime += paid;
    }

    /// It is charged: returns what it pays of its debt with that.
    pub(super) fn pay_debt(&mut self, charged: VirtualSpan) -> VirtualSpan {
        if self.loan.is_some() {
            return VirtualSpan::ZERO;
        }
        let paid = self.debt.min(charged * PAID_WITH);
        self.debt = self.debt - paid;
        paid
    }
}

impl Shares {
    /// No queue beside this one, and no group beside those above it, waits for longer than `round`
    /// for what it got before the others, or than `least` of service of its own takes. Of each
    /// level the last few are looked at.
    pub fn limit_waits(&mut self, queue: NodeId, round: Span, least: Span) {
        let mut next = Some(queue);
        while let Some(node) = next {
            let Node { level, class, .. } = self.nodes[node];
            for _ in 0..LOOKED_AT {
                if !self.limit_wait_of_last(level, class, round, least) {
                    break;
                }
            }
            next = self.levels[level].node;
        }
    }

    /// Returns whether the last member of a class would have waited for longer by a quarter or
    /// more: what a slot takes besides its length is not worth a debt.
    fn limit_wait_of_last(
        &mut self,
        level: LevelId,
        class: Class,
        round: Span,
        least: Span,
    ) -> bool {
        let rank = rank_of(class);
        let Some(last) = self.levels[level].active[rank].last() else { return false };
        let vtime = self.levels[level].clocks[class.index()].now();
        let most = self.part_of(last, round).max(least);
        let lead = VirtualSpan::of(most, self.nodes[last].weight);
        if self.nodes[last].vtime.is_within(lead + lead / 4, vtime) {
            return false;
        }
        self.take_out(last);
        self.nodes[last].owe(vtime, lead);
        self.insert(last);
        true
    }
}
