// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of the active members of a level, each in the set of its rank.

use super::node::{Level, Node, NodeId, ON_LOAN, rank_of};
use crate::{store::arena::Arena, units::Class};

/// How members of a rank are ordered: whether one comes before another one.
pub(super) fn order_of(rank: usize) -> impl Fn(&Node, &Node) -> bool + Copy {
    let on_loan = rank == ON_LOAN;
    move |one, other| {
        debug_assert!(one.loan.is_some() == on_loan && other.loan.is_some() == on_loan);
        if on_loan { one.loan < other.loan } else { one.vtime.is_before(other.vtime) }
    }
}

impl Level {
    /// An active member finds its place among the others, after it was charged: behind its equals.
    /// That goes for a queue on loan, too, whose place the charge does not change otherwise. Those
    /// with like requests are charged alike, so one comes to stand beside the one before.
    pub(super) fn put_in_order(&mut self, nodes: &mut Arena<NodeId, Node>, node: NodeId) {
        let state = &nodes[node];
        debug_assert!(state.active, "{node:?} is in no order");
        let rank = state.rank();
        self.active[rank].relocate(nodes, node, order_of(rank));
    }

    /// A member that became active takes its place.
    pub(super) fn insert(&mut self, nodes: &mut Arena<NodeId, Node>, node: NodeId) {
        let state = &nodes[node];
        debug_assert!(state.active, "{node:?} wants nothing");
        let rank = state.rank();
        self.active[rank].insert(nodes, node, order_of(rank));
    }

    /// A member leaves its place.
    pub(super) fn take_out(&mut self, nodes: &mut Arena<NodeId, Node>, node: NodeId) {
        let state = &nodes[node];
        debug_assert!(state.active, "{node:?} is in no order");
        self.active[state.rank()].remove(nodes, node);
    }

    /// The virtual time of a level follows its active nodes, except those on loan: they are not in
    /// the order of virtual time.
    pub(super) fn advance(&mut self, nodes: &Arena<NodeId, Node>, class: Class) {
        if let Some(first) = self.active[rank_of(class)].first() {
            let vtime = nodes[first].vtime;
            self.clocks[class.index()].advance_to(vtime);
            if class == Class::BestEffort {
                self.leads.first_is_at(vtime);
            }
        }
    }
}
