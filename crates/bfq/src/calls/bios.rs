// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bios and requests that continue each other become one request (spec 2.7). The host decides
//! whether two of them may merge (same operation, size limits); the scheduler whether that is good
//! for its queues.

use crate::{
    errors::HostError,
    model::{
        ids::{QueueId, RequestId},
        request::{NewRequest, RequestState, Side},
    },
    scheduler::{Policy, Scheduler},
    units::{Sector, Sectors, Time},
    why::Observer,
};

/// A waiting request that a bio continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BioMerge {
    /// The request that waits.
    pub request: RequestId,
    /// Where the bio goes.
    pub side: Side,
}

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Whether to ask for a bio may merge queues, even one that no waiting request can take. If
    /// not, a host need not ask by [`Scheduler::merge_candidates`] for a bio that begins where none
    /// of the waiting requests ends, and ends where none begins.
    #[inline]
    pub fn watches_bios(&self) -> bool {
        self.policy.seeks_others()
    }

    /// The waiting requests that a bio could be added to: the one that ends where the bio starts,
    /// and the one that starts where it ends, in the queue that the bio would go to. The host takes
    /// the first that its own rules and limits allow, and reports it by [`Scheduler::merged`].
    ///
    /// Asking may decide a merge of queues (spec 5.2).
    pub fn merge_candidates(&mut self, now: Time, bio: &NewRequest) -> [Option<BioMerge>; 2] {
        self.clock.go_on(now);
        match self.queue_of_bio(bio) {
            Some(queue) if !self.model.queues[queue].is_empty() => self.continued_by(queue, bio),
            _ => [None; 2],
        }
    }

    /// The waiting requests of a queue that end where `bio` starts, and that start where it ends.
    #[inline(never)]
    fn continued_by(&self, queue: QueueId, bio: &NewRequest) -> [Option<BioMerge>; 2] {
        let waiting = &self.model.queues[queue].waiting;
        let last = waiting.at_or_before(&self.model.requests, bio.end());
        let back = waiting.continued_by(&self.model.requests, last, bio);
        let front = last.filter(|&id| self.model.requests[id].what().continues(bio));
        let at = |side| move |request| BioMerge { request, side };
        [back.map(at(Side::Back)), front.map(at(Side::Front))]
    }

    /// Whether the host may add a bio to a waiting request that it found itself.
    pub fn allows_merge(&mut self, now: Time, bio: &NewRequest, request: RequestId) -> bool {
        self.clock.go_on(now);
        if !self.model.requests.contains(request)
            || self.model.requests[request].state != RequestState::Waiting
            || (bio.sync && !self.model.requests[request].sync)
        {
            return false;
        }
        let queue = self.queue_of_bio(bio);
        queue.is_some() && queue == self.model.requests[request].queue
    }

    /// The queue that a bio would go to, after any merge of queues that it leads to.
    #[inline]
    fn queue_of_bio(&mut self, bio: &NewRequest) -> Option<QueueId> {
        let process = bio.process?;
        if !self.model.epoch.is(self.model.processes.living(process)?.settled) {
            self.check_group(process);
        }
        let actuator = self.device.actuator_of(bio);
        let queue = self.linked_queue(process, bio.sync, actuator)?;
        Some(P::redirect_bio(self, process, queue, bio))
    }

    /// A waiting request has grown by a bio on one side; `sector` and `sectors` are its new range.
    ///
    /// # Errors
    /// If it does not wait, there are no such sectors, or they are no growth on that side; nothing
    /// is changed then.
    pub fn merged(
        &mut self,
        now: Time,
        id: RequestId,
        side: Side,
        sector: u64,
        sectors: u32,
    ) -> Result<(), HostError> {
        self.clock.go_on(now);
        let queue = self.waiting_queue(id)?;
        let (sector, sectors) = (Sector::at(sector), Sectors::from(sectors));
        if !sector.has(sectors) || !self.model.requests[id].what().grows_to(side, sector, sectors) {
            return Err(HostError::BadRange(id));
        }
        let by = sectors - self.model.requests[id].sectors();
        self.model.requests[id].sector = sector;
        self.model.requests[id].resize(sectors);
        self.model.queues[queue].waiting.note_length(sectors);
        P::grown(self, queue, by);
        if side == Side::Back {
            return Ok(());
        }
        let waiting = &self.model.queues[queue].waiting;
        let out_of_order = waiting
            .preceding(&self.model.requests, id)
            .is_some_and(|before| self.model.requests[before].sector > sector);
        if !out_of_order {
            return Ok(());
        }
        let (position, seeks) = (self.policy.last_position(), &self.tunables.back_seeks);
        let before = self.model.queues[queue].waiting.next;
        self.model.queues[queue].waiting.resort(&mut self.model.requests, id, position, seeks);
        if self.model.queues[queue].waiting.next != before {
            P::next_changed(self, queue);
        }
        Ok(())
    }

    /// The waiting request behind or before `id` in the sector order of their queue, if the two are
    /// of one kind. Whether they are adjacent, now that `id` has grown on that side, is for the
    /// host to see; so it can ask before it reports the growth.
    pub fn neighbour(&self, id: RequestId, side: Side) -> Option<RequestId> {
        let queue = self.waiting_queue(id).ok()?;
        let waiting = &self.model.queues[queue].waiting;
        let other = match side {
            Side::Back => waiting.following(&self.model.requests, id)?,
            Side::Front => waiting.preceding(&self.model.requests, id)?,
        };
        let (one, two) = (self.model.requests[id].what(), self.model.requests[other].what());
        (one.operation == two.operation && one.sync == two.sync).then_some(other)
    }

    /// The waiting request that a request about to be inserted continues as a whole, and could be
    /// appended to instead: the one that ends at its start.
    pub fn insertion_merge_candidate(&self, new: &NewRequest) -> Option<RequestId> {
        let process =
            new.process.filter(|&process| self.model.processes.living(process).is_some())?;
        let queue = self.linked_queue(process, new.sync, self.device.actuator_of(new))?;
        let waiting = &self.model.queues[queue].waiting;
        let last = waiting.at_or_before(&self.model.requests, new.start());
        waiting.continued_by(&self.model.requests, last, new)
    }

    /// The host has coalesced two waiting requests: `survivor`, which covers both ranges now, has
    /// absorbed `absorbed`, which ceases to exist.
    ///
    /// # Errors
    /// If either does not wait, both are the same, or the survivor cannot have that many sectors;
    /// nothing is changed then.
    pub fn coalesced(
        &mut self,
        now: Time,
        survivor: RequestId,
        absorbed: RequestId,
        sectors: u32,
    ) -> Result<(), HostError> {
        self.clock.go_on(now);
        let queue = self.waiting_queue(survivor)?;
        let other = self.waiting_queue(absorbed)?;
        if survivor == absorbed {
            return Err(HostError::NotWaiting(absorbed));
        }
        let sectors = Sectors::from(sectors);
        if !self.model.requests[survivor].sector.has(sectors) {
            return Err(HostError::BadRange(survivor));
        }
        if queue == other {
            let waiting = &mut self.model.queues[queue].waiting;
            waiting.inherit_age(&mut self.model.requests, survivor, absorbed);
            if waiting.next == Some(absorbed) {
                waiting.next = Some(survivor);
            }
        }
        self.model.requests[survivor].resize(sectors);
        self.model.queues[queue].waiting.note_length(sectors);
        self.withdraw(absorbed, true)
    }

    fn waiting_queue(&self, id: RequestId) -> Result<QueueId, HostError> {
        if !self.model.requests.contains(id) {
            return Err(HostError::UnknownRequest(id));
        }
        match (self.model.requests[id].state, self.model.requests[id].queue) {
            (RequestState::Waiting, Some(queue)) => Ok(queue),
            _ => Err(HostError::NotWaiting(id)),
        }
    }
}
