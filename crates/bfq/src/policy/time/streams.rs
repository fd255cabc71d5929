// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: queues of one group that read one stream have a joint account. So they
//! stay together, and come together again where they were parted.
//!
//! They are parted where one of them has to wait for its turn elsewhere: at the end of a file that
//! is read again, for instance. Then the disk passes for each part over what only the others want.
//! Whose turn it is then pays for a slot of the reader that is behind the others, until the head
//! comes to where they wait. As it is always the one that has got least that pays, what they were
//! charged stays together, too, however the slots are shared.

use super::{head::LOOKED_AT, state::Scheduler};
use crate::{
    model::{ids::QueueId, request::Operation},
    units::Sectors,
    why::Observer,
};

impl<O: Observer> Scheduler<O> {
    /// A queue is served in the slot of another one, as the head is where it reads: if both are of
    /// one group, they read one stream.
    pub(super) fn reads_along(&mut self, holder: QueueId, queue: QueueId) {
        debug_assert_ne!(holder, queue, "it reads in its own slot");
        let reads = |queue: QueueId| {
            let next = self.model.queues[queue].waiting.next;
            next.is_some_and(|id| self.model.requests[id].operation == Operation::Read)
        };
        let are_siblings =
            self.policy.shares.are_siblings(self.node_of(holder), self.node_of(queue));
        if are_siblings && self.is_at_head(holder) && reads(holder) && reads(queue) {
            let known = self.model.queues[holder].policy.stream;
            let stream = known.unwrap_or_else(|| self.policy.rotation.streams.begin());
            self.model.queues[holder].policy.stream = Some(stream);
            self.model.queues[queue].policy.stream = Some(stream);
        }
    }

    /// Whether two queues read one stream.
    pub(super) fn read_one_stream(&self, one: QueueId, other: QueueId) -> bool {
        let [stream, stream_of_other] =
            [one, other].map(|queue| self.model.queues[queue].policy.stream);
        stream.is_some()
            && stream == stream_of_other
            && self.policy.shares.are_siblings(self.node_of(one), self.node_of(other))
    }

    /// Whose slot is next, if it is the turn of `first`: of the readers of its stream, that of the
    /// last one within reach behind it. That is what they read while each has a slot: so long may
    /// one have waited for its turn elsewhere.
    pub(super) fn last_of_stream(&self, first: QueueId) -> QueueId {
        if self.model.queues[first].policy.stream.is_none() {
            return first;
        }
        let shares = &self.policy.shares;
        // A slot that the first one would interrupt at once is none.
        let may_have_its_slot = |queue: &QueueId| {
            self.may_share_a_slot(first, *queue)
                && self.read_one_stream(first, *queue)
                && !shares.interrupts(self.node_of(first), self.node_of(*queue))
        };
        let others = || {
            let queues = self.in_order().take(LOOKED_AT).map(|node| self.queue_of(node));
            queues.filter(may_have_its_slot)
        };
        let reach = self.slot(self.node_of(first)).times(1 + others().count() as u64);
        let last = others()
            .filter_map(|queue| Some((self.sectors_behind(first, queue)?, queue)))
            .filter(|(behind, _)| self.policy.learnt.transfer(*behind) <= reach)
            .max_by_key(|(behind, _)| *behind);
        last.map_or(first, |(_, queue)| queue)
    }

    /// How far the next request of a queue is behind that of another one, if it is.
    fn sectors_behind(&self, first: QueueId, other: QueueId) -> Option<Sectors> {
        let (ahead, behind) = (self.next_sector(first)?, self.next_sector(other)?);
        (behind < ahead).then(|| ahead.distance(behind))
    }
}
