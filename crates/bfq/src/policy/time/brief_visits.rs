// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flash disks: who comes back after a pause is served while the disk is kept free for a program
//! that starts.
//!
//! Such a program computes between its reads, so it is waited for up to 4 ms, and the disk has
//! nothing to do meanwhile. Who is not on loan, as it pauses for longer or has had its loan, would
//! wait for the pauses of all that are: tens of milliseconds for a read of a tenth of one. If it
//! pauses for longer than anybody is waited for who is not on loan, it is a visitor, as on disks
//! with moving parts (`visits`): what it asks for first is served at once and charged, and all
//! visits together take no more than a part of the time that passes (`visit_budget`).

use super::{dispatch::LAG, shares::NodeId, state::Scheduler};
use crate::{
    model::ids::QueueId,
    tunables::Strict,
    units::{Sectors, Span},
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// Whether the queue of a node may be served although a queue on loan is expected before it,
    /// `first` being the first one in the order. After each pause it may visit for as long as
    /// anybody is waited for who is not on loan. Nor is it let in if it is far before the others:
    /// who is new may have paid for waits of some milliseconds.
    // Out of line: mostly nobody on loan is expected.
    #[inline(never)]
    pub(super) fn may_visit_briefly(&mut self, first: NodeId, node: NodeId) -> bool {
        let most = self.longest_wait_without_loan();
        let state = &self.model.queues[self.queue_of(node)];
        let is_due = state.policy.visits.as_ref().is_some_and(|visits| visits.charged < most);
        let shares = &self.policy.shares;
        is_due
            && state.sync
            && self.tunables.strict != Strict::OneAtATime
            && shares.class(node) == shares.class(first)
            && shares.is_within(node, LAG)
            && self.policy.allowances.visits.has(self.clock.now, Span::from_ns(1))
    }

    /// A visitor is served `sectors`. If the disk was kept free for a queue on loan, that is waited
    /// for further: what was kept free for it so far is lent to it, not charged.
    pub(super) fn visits_briefly(&mut self, visitor: QueueId, sectors: Sectors) {
        if let Some(hold) = self.policy.hold {
            let is_charged = !self.policy.shares.is_on_loan(self.node_of(hold.queue));
            self.end_hold(hold.queue, is_charged);
        }
        let takes = self.policy.learnt.alone_at_most(sectors);
        self.policy.allowances.visits.spend(takes);
        self.model.queues[visitor].policy.note_visit(takes);
    }
}

#[cfg(test)]
#[path = "brief_visits_tests.rs"]
mod tests;
