// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flash disks: who is served while the queue whose turn it is has nothing waiting.

use core::ops::ControlFlow;

use super::{dispatch::Turn, shares::NodeId, state::Scheduler};
use crate::{
    model::ids::QueueId,
    tunables::Strict,
    units::{Sectors, Span, Time},
    why::{Observer, WithholdRule},
};

/// Queues looked at behind the one whose turn it is.
const LOOKED_AT: u32 = 8;
/// What is served out of turn runs ahead by this multiple of what fills the device.
const AHEAD: u64 = 2;

/// A walk through the order of virtual time, up to where it has come.
struct Walk {
    next: Option<NodeId>,
    /// Queues that it has passed.
    passed: u32,
    /// The first of those that are expected back, and what they will need together.
    expected: Option<QueueId>,
    reserved: Sectors,
    /// The first moment at which one of them is expected no more, if no completion tells before.
    until: Option<Time>,
    /// One of them is on loan: only queues on loan go before it, visitors, and who asks for the
    /// like.
    borrower_expected: bool,
    /// Whether turns are kept; found when a queue that has nothing waiting is met.
    keeps_turns: bool,
}

impl Walk {
    const fn from(first: NodeId) -> Self {
        Walk {
            next: Some(first),
            passed: 0,
            expected: None,
            reserved: Sectors::NONE,
            until: None,
            borrower_expected: false,
            keeps_turns: false,
        }
    }

    /// Goes on to the queue behind, unless it has passed as many as are looked at.
    fn pass(&mut self, behind: Option<NodeId>) {
        self.passed += 1;
        self.next = behind.filter(|_| self.passed < LOOKED_AT);
    }
}

impl<O: Observer> Scheduler<O> {
    /// The next queue in the order of virtual time, of which the first one has nothing waiting.
    /// Such queues keep their turn if they are expected back: what they will need is left free, and
    /// what is served in the meantime does not run far ahead. `Continue` if the first one has lost
    /// its turn, as all such queues do where no turns are kept: the order is to be asked again.
    // Out of line: mostly the first one has something.
    #[inline(never)]
    pub(super) fn next_out_of_turn(&mut self, first: NodeId) -> ControlFlow<Option<QueueId>> {
        let mut walk = Walk::from(first);
        while let Some(node) = walk.next {
            let queue = self.queue_of(node);
            let Some(id) = self.model.queues[queue].waiting.next else {
                if let Some(out) = self.pass_expected(&mut walk) {
                    let behind = self.policy.shares.after(out);
                    self.give_up(self.queue_of(out));
                    if walk.passed == 0 {
                        // What it was charged may have moved its group behind others.
                        return ControlFlow::Continue(());
                    }
                    walk.next = behind;
                }
                continue;
            };
            // Of the first it is certain; of others it is looked at when they would be served.
            let on_loan = self.policy.shares.is_on_loan(node);
            let is_blocked =
                walk.borrower_expected && !on_loan && !self.is_like_those_before(first, node);
            if is_blocked && !self.may_visit_briefly(first, node) {
                break;
            }
            let sectors = self.model.requests[id].sectors();
            let (wanted, enough) = (walk.reserved + sectors, self.enough(on_loan));
            if !self.has_room(wanted, Turn::OfAnother, enough) {
                self.note_held_back(sectors);
                self.withhold_for_room(queue, walk.expected);
                return ControlFlow::Break(None);
            }
            if is_blocked {
                self.visits_briefly(queue, sectors);
                return ControlFlow::Break(Some(queue));
            }
            // If its loan ends now, it is elsewhere afterwards.
            let behind = self.policy.shares.after(node);
            let may_go = on_loan && self.keeps_loan(queue)
                || self.may_run_ahead(first, node, walk.keeps_turns);
            if may_go {
                return ControlFlow::Break(self.serve(queue));
            }
            walk.pass(behind);
        }
        debug_assert!(walk.expected.is_some(), "the first one is passed because it is expected");
        let Some(expected) = walk.expected else { return ControlFlow::Break(None) };
        if self.model.load.queued > 0 {
            self.note_held_back(Sectors::NONE);
        }
        self.hold_for(expected, walk.until);
        self.withhold(expected, WithholdRule::Expected, walk.until);
        ControlFlow::Break(None)
    }

    /// Passes the queues that have nothing waiting and keep their turn, from the next one of the
    /// walk on. Stops at one that is to lose its turn, and returns it.
    fn pass_expected(&mut self, walk: &mut Walk) -> Option<NodeId> {
        walk.keeps_turns = self.keeps_turns();
        if !walk.keeps_turns {
            return walk.next;
        }
        while let Some(node) = walk.next {
            let queue = self.queue_of(node);
            let state = &self.model.queues[queue];
            if !state.is_empty() {
                break;
            }
            if self.is_out(queue) {
                return Some(node);
            }
            walk.borrower_expected |= self.policy.shares.is_on_loan(node);
            walk.expected = walk.expected.or(Some(queue));
            walk.reserved += state.policy.cost.mean_sectors();
            if state.in_flight == 0 {
                walk.until = [walk.until, state.policy.returns.until()].into_iter().flatten().min();
            }
            walk.pass(self.policy.shares.after(node));
        }
        None
    }

    /// Something waits and is held back for a queue that is expected. With `strict=0` that counts
    /// if the device has room for these sectors.
    fn note_held_back(&mut self, sectors: Sectors) {
        let enough = self.enough(false);
        if self.tunables.strict == Strict::Throughput && self.has_room(sectors, Turn::Own, enough) {
            self.policy.allowances.favour.begin(self.clock.now);
        }
    }

    /// Whether queues that have nothing waiting keep their turns while they are expected.
    fn keeps_turns(&mut self) -> bool {
        let may_wait = self.tunables.slice_idle > Span::ZERO;
        match self.tunables.strict {
            Strict::Throughput | Strict::Shares if !may_wait => false,
            Strict::Throughput => {
                !self.policy.learnt.answers_at_once()
                    && self.policy.allowances.favour.has_time(self.clock.now)
            }
            Strict::Shares => !self.policy.learnt.answers_at_once(),
            Strict::OneAtATime => true,
        }
    }

    /// Whether a queue may be served although it is not its turn: it and its groups are not too far
    /// before the others, or those before it ask for the like; or with `strict=0` no turns are kept
    /// now.
    fn may_run_ahead(&self, first: NodeId, node: NodeId, keeps_turns: bool) -> bool {
        match self.tunables.strict {
            Strict::Throughput if !keeps_turns => return true,
            Strict::Throughput | Strict::Shares => {}
            Strict::OneAtATime => return false,
        }
        let learnt = &self.policy.learnt;
        self.policy.shares.is_within(node, learnt.filling().times(AHEAD))
            || self.is_like_those_before(first, node)
    }

    /// Whether all queues from the first one up to `node` are expected, and ask for the like with
    /// the same weight beside it: to wait for one of them would give it nothing that it lacks.
    /// Loans make no difference: who starts and asks for what others ask for goes before them, but
    /// the device is not kept free for it.
    // Out of line: most queues are not far ahead.
    #[inline(never)]
    fn is_like_those_before(&self, first: NodeId, node: NodeId) -> bool {
        let shares = &self.policy.shares;
        let own = &self.model.queues[self.queue_of(node)].policy.cost;
        let mut next = Some(first);
        // No walk has passed more, unless the queue is elsewhere now, as its loan has ended.
        for _ in 0..LOOKED_AT {
            let Some(before) = next.filter(|&before| before != node) else { break };
            let state = &self.model.queues[self.queue_of(before)];
            let is_like = state.is_empty()
                && state.in_flight > 0
                && shares.are_siblings(before, node)
                && shares.weight(before) == shares.weight(node)
                && own.asks_no_more_than(&state.policy.cost);
            if !is_like {
                return false;
            }
            next = shares.after(before);
        }
        next == Some(node)
    }
}

#[cfg(test)]
#[path = "out_of_turn_tests.rs"]
mod tests;
