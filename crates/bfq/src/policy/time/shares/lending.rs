// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is on loan in the hierarchy of shares, and what that claim is worth beside another one.

use super::{
    LevelId, NodeId, Shares,
    node::{Node, ON_LOAN, rank_of},
    virtual_time::{VirtualSpan, VirtualTime},
};
use crate::units::{Class, Ioprio, Span, Weight};
use core::num::NonZeroU32;

/// How far a queue that was on loan may be before the others afterwards, in service at a usual
/// weight. The rest is a debt.
const LEAD: Span = Span::from_ms(100);

impl Node {
    /// The weight of one whose weight was not changed.
    pub(super) const fn usual_weight(&self) -> Weight {
        if self.below.is_some() { Weight::DEFAULT_GROUP } else { Ioprio::DEFAULT.weight() }
    }
}

impl Shares {
    /// A best-effort queue is on loan from now on, and so are the groups above it while
    /// it is active.
    pub fn begin_loan(&mut self, node: NodeId) {
        let mut next = Some(node).filter(|&node| self.nodes[node].class == Class::BestEffort);
        while let Some(node) = next.filter(|&node| self.nodes[node].loan.is_none()) {
            let is_active = self.nodes[node].active;
            self.set_loan(node, Some(VirtualSpan::ZERO));
            next = self.levels[self.nodes[node].level].node.filter(|_| is_active);
        }
    }

    /// A queue is on loan no more; nor are the groups that have no other that is.
    pub fn end_loan(&mut self, queue: NodeId) {
        if self.nodes[queue].loan.is_some() {
            self.set_loan(queue, None);
            self.review_group(self.nodes[queue].level);
        }
    }

    /// The group of a level, and those above it, are on loan no more if no member is.
    pub(super) fn review_group(&mut self, level: LevelId) {
        let mut level = level;
        while self.levels[level].active[ON_LOAN].is_empty() {
            let Some(group) = self.levels[level].node else { return };
            if self.nodes[group].loan.is_none() {
                return;
            }
            self.set_loan(group, None);
            level = self.nodes[group].level;
        }
    }

    fn set_loan(&mut self, node: NodeId, loan: Option<VirtualSpan>) {
        self.change_place(node, |state, now| {
            state.loan = loan;
            if loan.is_none() {
                state.owe(now, VirtualSpan::of(LEAD, state.usual_weight()));
            }
        });
    }

    /// A queue whose loan has ended goes on like one that comes back after a pause: behind the
    /// others by `lag` of service at a usual weight. So do the groups above it, up to one that is
    /// on loan for another queue.
    pub fn put_behind(&mut self, queue: NodeId, lag: Span) {
        let mut next = Some(queue);
        while let Some(node) = next.filter(|&node| self.nodes[node].loan.is_none()) {
            self.change_place(node, |state, now| {
                let behind = now - VirtualSpan::of(lag, state.usual_weight());
                state.vtime -= state.vtime.since(behind);
            });
            next = self.levels[self.nodes[node].level].node;
        }
    }

    /// Changes what decides on the place of a best-effort node in the order of its level, whose
    /// virtual time is told to `change`.
    fn change_place(&mut self, node: NodeId, change: impl FnOnce(&mut Node, VirtualTime)) {
        let Node { active, level, class, .. } = self.nodes[node];
        debug_assert!(class == Class::BestEffort, "{class:?} has no loans");
        let members = &mut self.levels[level];
        if active {
            members.take_out(&mut self.nodes, node);
        }
        change(&mut self.nodes[node], members.clocks[class.index()].now());
        if active {
            members.insert(&mut self.nodes, node);
            members.advance(&self.nodes, class);
        }
    }

    /// Whether any that wants the device is on loan.
    #[inline]
    pub fn has_borrowers(&self) -> bool {
        !self.levels[self.root].active[ON_LOAN].is_empty()
    }

    /// Whether a node is on loan.
    pub fn is_on_loan(&self, node: NodeId) -> bool {
        self.nodes[node].loan.is_some()
    }

    /// Whether a queue has such a claim on the device that another one is interrupted: where their
    /// paths part, its class goes first; or it is on loan, and the other one is not, or has got
    /// twice as much.
    pub fn interrupts(&self, queue: NodeId, other: NodeId) -> bool {
        let Some((node, other)) = self.where_paths_part(queue, other) else { return false };
        let [node, other] = [node, other].map(|node| &self.nodes[node]);
        if node.class.index() < other.class.index() {
            return true;
        }
        let Some(got) = node.loan.filter(|_| other.class == Class::BestEffort) else {
            return false;
        };
        other.loan.is_none_or(|other| got < other / 2)
    }

    /// Whether a queue is no further before another one than by this service of its own, where
    /// their paths part.
    pub fn is_beside(&self, queue: NodeId, other: NodeId, service: Span) -> bool {
        let Some((node, other)) = self.where_paths_part(queue, other) else { return true };
        let [node, other] = [node, other].map(|node| &self.nodes[node]);
        node.vtime.is_within(VirtualSpan::of(service, node.weight), other.vtime)
    }

    /// Whether two queues are members of one level.
    pub fn are_siblings(&self, one: NodeId, other: NodeId) -> bool {
        self.nodes[one].level == self.nodes[other].level
    }

    /// Whether a queue and the groups above it lie at most this service of theirs before the
    /// virtual time of their level, up to where its path parts from that of another queue, if
    /// there is one.
    pub fn is_within_beside(&self, queue: NodeId, other: Option<NodeId>, service: Span) -> bool {
        let parts = other.and_then(|other| self.where_paths_part(queue, other));
        let top = parts.map(|(top, _)| top);
        let group_above =
            |&node: &NodeId| self.levels[self.nodes[node].level].node.filter(|_| Some(node) != top);
        core::iter::successors(Some(queue), group_above)
            .all(|node| self.is_member_within(node, service))
    }

    /// The ancestors of two queues, or the queues themselves, that are members of one level.
    fn where_paths_part(&self, one: NodeId, other: NodeId) -> Option<(NodeId, NodeId)> {
        let group_of = |node: NodeId| self.levels[self.nodes[node].level].node;
        let depth = |node| core::iter::successors(Some(node), |&node| group_of(node)).count();
        let (mut one, mut other) = (one, other);
        let (depth_of_one, depth_of_other) = (depth(one), depth(other));
        for _ in depth_of_other..depth_of_one {
            one = group_of(one)?;
        }
        for _ in depth_of_one..depth_of_other {
            other = group_of(other)?;
        }
        while self.nodes[one].level != self.nodes[other].level {
            (one, other) = (group_of(one)?, group_of(other)?);
        }
        (one != other).then_some((one, other))
    }

    /// Whether a member of the level of a queue, or of a group above it, is not on loan.
    pub fn has_lenders(&self, queue: NodeId) -> bool {
        let mut next = Some(queue);
        while let Some(node) = next {
            let level = &self.levels[self.nodes[node].level];
            if !level.active[rank_of(Class::BestEffort)].is_empty() {
                return true;
            }
            next = level.node;
        }
        false
    }

    /// A queue on loan was served. Where all are on loan, the virtual time of the level goes on as
    /// if all had been served alike: so who comes then begins in their midst.
    pub fn note_service(&mut self, queue: NodeId, service: Span) {
        let mut next = Some(queue);
        while let Some(node) = next {
            let level = &mut self.levels[self.nodes[node].level];
            let class = Class::BestEffort;
            let weights = u32::try_from(level.weights[class.index()]).unwrap_or(u32::MAX);
            if level.active[rank_of(class)].is_empty()
                && let Some(weights) = NonZeroU32::new(weights)
            {
                level.clocks[class.index()].pass(VirtualSpan::of_all(service, weights));
            }
            next = level.node;
        }
    }

    /// A queue on loan got something, as much as `amount` of service.
    // Out of line: most queues are not on loan.
    #[inline(never)]
    pub fn note_got(&mut self, queue: NodeId, amount: Span) {
        let state = &mut self.nodes[queue];
        let Some(got) = &mut state.loan else { return };
        // Of groups and queues of usual weights the same counts the same.
        let [queue_weight, group_weight] =
            [Ioprio::DEFAULT.weight(), Weight::DEFAULT_GROUP].map(u64::from);
        let amount = amount * queue_weight / group_weight;
        *got = *got + VirtualSpan::of(amount, state.weight);
        if state.active {
            self.levels[state.level].put_in_order(&mut self.nodes, queue);
        }
    }
}
