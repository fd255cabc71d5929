// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of requests and bios (bfq.md §0.4, "order").

use crate::bio::{Bio, Done, IoError};
use crate::bios::{BioSlot, BioState};
use crate::ids::Tag;
use crate::layer::BlockLayer;
use crate::request::{Request, TagState};
use base::Op;

impl BlockLayer {
    /// The device has done a command, or failed to. The elevator is told first; then the bios end
    /// (see [`take_completed`](BlockLayer::take_completed)) and a sleeper gets the tag. A run is
    /// due only if the elevator asks for one, the device had been full, or the last run began with
    /// what the device had refused before.
    ///
    /// A tag that is not on the device is ignored.
    #[inline(always)]
    pub fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        if !self.leaves_device(tag) {
            return self.complete_overdue(now_ns, tag, result);
        }
        self.tell_end(now_ns, tag);
        self.end_request(now_ns, tag, result);
    }

    /// The device is done with a command, or given up as if it were: the elevator is told, or the
    /// next flush may begin.
    #[inline(always)]
    pub(super) fn tell_end(&mut self, now_ns: u64, tag: Tag) {
        let Request { op, epoch, .. } = self.pool[tag];
        if op == Op::Flush {
            self.end_flush(tag);
        } else if epoch == self.epoch && !self.only_queues {
            self.elevator.completed(now_ns, tag, &self.pool);
            self.look_for_kick();
        }
    }

    fn end_flush(&mut self, tag: Tag) {
        // One that came back undone after it had been overdue is not the one that others wait for.
        if self.flush != Some(tag) {
            return;
        }
        self.flush = self.next_flush.take();
        if let Some(next) = self.flush {
            self.pool[next].state = TagState::Listed;
            self.list.push_back(next);
            self.run.due = true;
        }
    }

    /// Frees the tag of a request, and ends its bios.
    #[inline(always)]
    pub(super) fn end_request(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        self.counters.completed += 1;
        let Request { dispatched_ns, first_bio, .. } = self.pool[tag];
        self.release(tag);
        let mut bio = first_bio.some();
        while let Some(slot) = bio {
            bio = self.bios[slot].next.some();
            self.end_bio(now_ns, slot, result, dispatched_ns);
        }
        self.let_woken_look(now_ns);
    }

    /// The device has given a command back undone: it goes to the head again, and a run is due. A
    /// host whose device refuses a command the moment it gets it has to wait for the next event
    /// before it asks for [`next_command`](BlockLayer::next_command) again.
    ///
    /// A tag that is not on the device is ignored.
    pub fn requeue(&mut self, now_ns: u64, tag: Tag) {
        let known = self.leaves_device(tag);
        if !known && !self.leaves_overdue(now_ns, tag) {
            return;
        }
        self.counters.requeued += 1;
        self.run.due = true;
        if self.pool[tag].op == Op::Flush {
            self.pool[tag].state = TagState::Listed;
            self.list.push_front(tag);
            return;
        }
        if known && self.pool[tag].epoch == self.epoch {
            self.elevator.requeued(now_ns, tag, &self.pool);
            self.look_for_kick();
        }
        self.give_to_elevator(now_ns, tag, true);
    }

    /// A bio that has ended, in the order of their ends.
    #[inline]
    pub fn take_completed(&mut self) -> Option<Done> {
        self.bios.take_ended()
    }

    #[inline(always)]
    pub(super) fn leaves_device(&mut self, tag: Tag) -> bool {
        let on_device = self.pool.get(tag).is_some_and(|request| request.state == TagState::Issued);
        if on_device {
            self.issued -= 1;
            if std::mem::take(&mut self.run.restart) {
                self.run.due = true;
            }
        }
        on_device
    }

    /// Ends a bio, or a part of one.
    #[inline(always)]
    pub(super) fn end_bio(
        &mut self,
        now_ns: u64,
        slot: BioSlot,
        result: Result<(), IoError>,
        dispatched_ns: u64,
    ) {
        let BioState { bio: Bio { process, .. }, whole, counted, .. } = self.bios[slot];
        if let Some(whole) = whole.some() {
            self.bios.remove(slot);
            let so_far = &mut self.bios[whole].result;
            *so_far = so_far.and(result);
            self.end_part(now_ns, whole, dispatched_ns);
            return;
        }
        self.counters.bios_failed += u64::from(result.is_err());
        self.bios.end(slot, result, dispatched_ns, now_ns);
        if counted {
            self.identities.bio_ends(process);
        }
    }

    /// One part less of a split bio; with the last one it ends.
    pub(super) fn end_part(&mut self, now_ns: u64, whole: BioSlot, dispatched_ns: u64) {
        self.bios[whole].parts -= 1;
        if self.bios[whole].parts == 0 {
            let result = self.bios[whole].result;
            self.end_bio(now_ns, whole, result, dispatched_ns);
        }
    }
}
