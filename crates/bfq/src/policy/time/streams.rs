// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: queues of one group that read one stream come together again where
//! they were parted.
//!
//! They are parted where one of them has to wait for its turn elsewhere: at the end of a file that
//! is read again, for instance. Then the disk passes for each part over what only the others want.
//! Whose turn it is then pays for a slot of the reader that is behind the others, until the head
//! comes to where it waits itself. As it is always the one that has got least that pays, what they
//! were charged stays together, too.
//!
//! It may be that the other one never comes: it reads the beginning of a file again and again, say.
//! So what is paid is limited, and who has paid that in vain pays for none any more ([`Company`]).
//!
//! [`Company`]: super::company::Company

use super::{head::LOOKED_AT, state::Scheduler};
use crate::{
    model::{ids::QueueId, request::Operation},
    units::{Sectors, Span},
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// A queue is served in the slot of another one, as the head is where it reads: if both are of
    /// one group, they read one stream.
    pub(super) fn reads_along(&mut self, holder: QueueId, queue: QueueId) {
        debug_assert_ne!(holder, queue, "it reads in its own slot");
        if self.are_siblings(holder, queue)
            && self.is_at_head(holder)
            && self.is_next_a_read(holder)
            && self.is_next_a_read(queue)
        {
            let known = self.model.queues[holder].policy.company.stream();
            let stream = known.unwrap_or_else(|| self.policy.rotation.streams.begin());
            self.model.queues[holder].policy.company.join(stream);
            let company = &mut self.model.queues[queue].policy.company;
            company.join(stream);
            company.met();
        }
    }

    fn are_siblings(&self, one: QueueId, other: QueueId) -> bool {
        self.policy.shares.are_siblings(self.node_of(one), self.node_of(other))
    }

    pub(super) fn is_next_a_read(&self, queue: QueueId) -> bool {
        let next = self.model.queues[queue].waiting.next;
        next.is_some_and(|id| self.model.requests[id].operation == Operation::Read)
    }

    /// Whether two queues read one stream.
    pub(super) fn read_one_stream(&self, one: QueueId, other: QueueId) -> bool {
        let [stream, stream_of_other] =
            [one, other].map(|queue| self.model.queues[queue].policy.company.stream());
        stream.is_some() && stream == stream_of_other && self.are_siblings(one, other)
    }

    /// Whose slot is next, if it is the turn of `first`: of the readers of its stream, that of the
    /// last one within reach behind it. That is what they read while each has a slot: so long may
    /// one have waited for its turn elsewhere.
    pub(super) fn last_of_stream(&mut self, first: QueueId) -> QueueId {
        if self.model.queues[first].policy.company.stream().is_none() {
            return first;
        }
        let others = self.others_of_stream(first).count() as u64;
        if others == 0 || self.is_random(first) || !self.is_next_a_read(first) {
            return first;
        }
        let slot = self.slot(self.node_of(first));
        let reach = slot.times(1 + others);
        self.model.queues[first].policy.company.leave_if_lent(reach.plus(slot));
        let last = self
            .others_of_stream(first)
            .filter_map(|queue| Some((self.sectors_behind(first, queue)?, queue)))
            .filter(|(behind, _)| self.policy.learnt.transfer(*behind) <= reach)
            .max_by_key(|(behind, _)| *behind);
        last.map_or(first, |(_, queue)| queue)
    }

    /// The other readers of a queue's stream that wait for a read and whose slot it may pay. What
    /// is read on loan is owed by whom it was lent to, so none pays for it.
    fn others_of_stream(&self, first: QueueId) -> impl Iterator<Item = QueueId> {
        let shares = &self.policy.shares;
        let is_on_loan = |queue| shares.is_on_loan(self.node_of(queue));
        let may_lend = self.model.queues[first].policy.company.stream().is_some();
        let queues = self.in_order().take(LOOKED_AT).map(|node| self.queue_of(node));
        queues.filter(move |&queue| {
            may_lend
                && !is_on_loan(first)
                && !is_on_loan(queue)
                && self.read_one_stream(first, queue)
                && self.may_share_a_slot(first, queue)
                && self.is_next_a_read(queue)
        })
    }

    /// Who pays for what the holder of the slot is served.
    pub(super) fn payer_of(&self, queue: QueueId) -> QueueId {
        let rotation = &self.policy.rotation;
        let payer = rotation.payer.filter(|_| rotation.is_holder(queue));
        payer.filter(|&payer| self.read_one_stream(payer, queue)).unwrap_or(queue)
    }

    /// `payer` was charged `paid` for what the holder of a slot was served.
    pub(super) fn note_lent(&mut self, holder: QueueId, payer: QueueId, paid: Span) {
        if payer != holder {
            self.model.queues[payer].policy.company.lend(paid);
        }
    }

    /// How far the next request of a queue is behind that of another one, if it is.
    fn sectors_behind(&self, first: QueueId, other: QueueId) -> Option<Sectors> {
        let (ahead, behind) = (self.next_sector(first)?, self.next_sector(other)?);
        (behind < ahead).then(|| ahead.distance(behind))
    }
}
