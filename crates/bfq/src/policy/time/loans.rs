// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that start: who is new, or was silent for a while, is served first for a moment, at
//! the expense of those who have been there. Among those on loan goes first who has read least.
//!
//! What is lent is charged like everything else, and it is bounded: each group may take some
//! seconds of the time of others, and a share of the time that passes.

use super::{
    dispatch::LAG,
    loan::{Loan, POOL, Pool},
    shares::NodeId,
    state::Scheduler,
};
use crate::{
    model::ids::QueueId,
    units::{Class, Ioprio, Sectors, Span},
    why::{Decision, LoanEnd, Observer},
};

/// A loan is over after so long.
const LONGEST: Span = Span::from_s(10);
/// The most of the device's time that a queue of the default priority gets on loan.
const MOST: Span = Span::from_s(3);
/// The most requests that it makes on loan. On flash three seconds are tens of thousands of
/// requests, more than any program needs to start: of those that were recorded a browser makes
/// most, 2,763.
const MOST_REQUESTS: u32 = 4096;
/// And the most that they ask for together: of those programs a browser reads most, 170 MiB in one
/// process. An SSD reads gigabytes in three seconds.
const MOST_SECTORS: Sectors = Sectors::of_kib(256 << 10);
/// A process that reads this much in one piece, or asks for it without ever waiting for all that it
/// asked for, is a stream, not a program that starts: 32 MiB.
const STREAM: Sectors = Sectors::of_kib(32 << 10);
/// Nor is who fills the queue of a disk by itself: a program that starts waits for what it reads.
pub(super) const MOST_AT_A_TIME: u32 = 31;
/// A program that starts pauses for no longer than this on average, while it computes.
const LONGEST_PAUSE: Span = Span::from_ms(8);

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct First {
    /// The place of the queue in the order.
    pub node: NodeId,
    pub queue: QueueId,
    pub on_loan: bool,
}

impl<O: Observer> Scheduler<O> {
    /// A request of `sectors` made a queue that is new, or was out for long, have `present`: if it
    /// may borrow, it is on loan from now on.
    pub(super) fn may_borrow(&mut self, queue: QueueId, sectors: Sectors, present: u32) {
        let node = self.node_of(queue);
        let may_borrow = self.tunables.low_latency
            && self.model.queues[queue].sync
            && self.policy.shares.class(node) == Class::BestEffort;
        debug_assert!(!self.policy.shares.is_active(node), "{queue:?} has a place without a loan");
        if !may_borrow {
            return;
        }
        let mut loan = Loan::new(self.clock.now);
        loan.came(sectors, present);
        self.model.queues[queue].policy.loan = Some(loan);
        self.policy.shares.begin_loan(node);
        self.tell(|_| Decision::LoanBegan { queue });
    }

    /// Whose turn it is, if anybody wants the device.
    #[inline]
    pub(super) fn first_in_order(&mut self) -> Option<First> {
        loop {
            let (node, owner, on_loan) = self.policy.shares.first_with_owner()?;
            let queue = QueueId::from_index(owner as usize);
            if !on_loan || self.keeps_loan(queue) {
                return Some(First { node, queue, on_loan });
            }
        }
    }

    /// All loans are over.
    pub(super) fn end_loans(&mut self) {
        let mut next = self.model.queues.next_key(None);
        while let Some(queue) = next {
            self.end_loan(queue, LoanEnd::Refused);
            next = self.model.queues.next_key(next);
        }
    }

    /// Ends the loan of a queue if it has lasted long enough. Returns whether the queue is still
    /// on loan then.
    // Out of line: most queues are on loan for their first seconds only.
    #[inline(never)]
    pub(super) fn keeps_loan(&mut self, queue: QueueId) -> bool {
        let now = self.clock.now;
        let node = self.node_of(queue);
        let state = &self.model.queues[queue].policy;
        let Some(loan) = state.loan else { return false };
        let weight = self.policy.shares.weight(node);
        let weighted =
            |amount: Span| amount / u64::from(Ioprio::DEFAULT.weight()) * u64::from(weight);
        let ended = if now.is_at_least(LONGEST, loan.began) {
            Some(LoanEnd::Time)
        } else if loan.service >= weighted(MOST)
            || loan.requests > MOST_REQUESTS
            || loan.sectors > MOST_SECTORS
        {
            Some(LoanEnd::Service)
        } else if state.pattern.in_one_piece().max(loan.asked_without_pause()) >= STREAM {
            Some(LoanEnd::Stream)
        } else if loan.is_deep_stream(MOST_AT_A_TIME) {
            Some(LoanEnd::Depth)
        } else if !state.returns.are_prompt(LONGEST_PAUSE.min(self.tunables.slice_idle)) {
            Some(LoanEnd::Pauses)
        } else if !self.policy.shares.is_on_loan(node) {
            Some(LoanEnd::Refused)
        } else if !self.take_from_pools(queue, Span::ZERO) {
            Some(LoanEnd::Pool)
        } else {
            None
        };
        if let Some(reason) = ended {
            self.end_loan(queue, reason);
            if reason == LoanEnd::Pauses {
                self.lend_lag(queue);
            }
        }
        ended.is_none()
    }

    /// The loan of a queue has ended because it pauses. If it reads in sequence it may be a film,
    /// whose frames are read in visits: each costs it the way there and back, until the disk reads
    /// ahead for it. So it does not pay for its loan first, but goes on like one that comes back
    /// after a pause, if its groups may take so much more from others. A debt it still has to pay.
    fn lend_lag(&mut self, queue: QueueId) {
        let may_be_film =
            self.device.rotational && self.model.queues[queue].policy.pattern.is_sequential();
        if may_be_film && self.ask_pools(queue, |pool| pool.has(LAG)) {
            self.take_from_pools(queue, LAG);
            let node = self.node_of(queue);
            self.policy.shares.put_behind(node, LAG);
        }
    }

    pub(super) fn end_loan(&mut self, queue: QueueId, reason: LoanEnd) {
        let had = self.model.queues[queue].policy.loan.take().is_some();
        debug_assert!(!had || self.model.queues[queue].sync, "{queue:?} is async, and on loan");
        let node = self.node_of(queue);
        self.policy.shares.end_loan(node);
        if had {
            self.tell(|_| Decision::LoanEnded { queue, reason });
        }
    }

    /// A queue, which may be `on_loan`, was charged for service.
    #[inline]
    pub(super) fn note_service(&mut self, queue: QueueId, service: Span, on_loan: bool) {
        if self.model.detailed.on {
            self.note_in_service(queue, service);
        }
        if on_loan {
            self.note_lent_service(queue, service);
        }
    }

    /// A queue on loan was charged for service.
    // Out of line: most queues are on loan for their first seconds only.
    #[inline(never)]
    fn note_lent_service(&mut self, queue: QueueId, service: Span) {
        if self.model.queues[queue].policy.loan.is_some() {
            let node = self.node_of(queue);
            self.policy.shares.note_service(node, service);
            self.lend(queue, service);
        }
    }

    /// A flash disk was kept free for a queue, with nothing to do. If it is on loan and its pause
    /// was longer than others are waited for, that was lent as well. (What shorter pauses take is
    /// a part of what its requests cost.)
    pub(super) fn note_held(&mut self, queue: QueueId, held: Span) {
        if held > self.longest_wait_without_loan() {
            self.lend(queue, held);
        }
    }

    /// A queue had so much of the device's time: if it is on loan, its loan and, where others want
    /// the device, what its groups may take from them become less by that.
    fn lend(&mut self, queue: QueueId, time: Span) {
        let Some(loan) = &mut self.model.queues[queue].policy.loan else { return };
        loan.service = loan.service.plus(time);
        if self.policy.shares.has_lenders(self.node_of(queue)) {
            self.take_from_pools(queue, time);
        }
    }

    /// A queue that may be on loan was given `sectors`.
    #[inline]
    pub(super) fn note_sectors(&mut self, node: NodeId, sectors: Sectors) {
        if self.policy.shares.is_on_loan(node) {
            let amount = self.policy.learnt.at_full_rate(sectors);
            self.policy.shares.note_got(node, amount);
        }
    }

    /// A queue on loan took `taken` from others. Returns whether its groups may take more.
    fn take_from_pools(&mut self, queue: QueueId, taken: Span) -> bool {
        self.ask_pools(queue, |pool| pool.take(taken))
    }

    /// Asks the pools of all groups above a queue. Returns whether each says yes.
    fn ask_pools(&mut self, queue: QueueId, mut ask: impl FnMut(&mut Pool) -> bool) -> bool {
        let now = self.clock.now;
        let mut all = true;
        let mut next = Some(self.model.queues[queue].group);
        while let Some(group) = next {
            let group = &mut self.model.groups[group];
            let of_group = group.policy.node.map(|node| self.policy.shares.part_of(node, POOL));
            let pool = &mut group.policy.pool;
            pool.fill(now, of_group.map_or(POOL, |part| part.min(POOL)));
            all &= ask(pool);
            next = group.parent;
        }
        all
    }
}
