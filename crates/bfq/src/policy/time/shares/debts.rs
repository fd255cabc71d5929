// SPDX-License-Identifier: MIT OR Apache-2.0
//! What members of a level owe: who is so far before the others that it would wait for them for too
//! long in one piece goes on slowly instead, and pays.

use super::{
    node::Node,
    virtual_time::{VirtualSpan, VirtualTime},
};

/// A node with a debt is charged this multiple of what it gets, besides, until that is paid.
const PAID_WITH: u64 = 3;

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

    /// It is charged, and not on loan: it pays of its debt with that.
    #[inline]
    pub(super) fn pay_debt(&mut self, charged: VirtualSpan) {
        if self.debt > VirtualSpan::ZERO {
            let paid = self.debt.min(charged * PAID_WITH);
            self.debt = self.debt - paid;
            self.vtime += paid;
        }
    }
}
