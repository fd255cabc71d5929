//! Bios and requests that continue each other become one request (spec 2.7). The host decides
//! whether two of them may merge (same operation, size limits); the scheduler whether that is good
//! for its queues.

use crate::{
    HostError,
    queue::{NewRequest, QueueId, RequestId, request::RequestState},
    scheduler::Scheduler,
    units::Time,
    why::Observer,
};

/// The side of a request on which something is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In front: the request then starts earlier.
    Front,
    /// Behind.
    Back,
}

/// A waiting request that a bio continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BioMerge {
    /// The request.
    pub request: RequestId,
    /// Where the bio goes.
    pub side: Side,
}

impl<O: Observer> Scheduler<O> {
    /// The waiting requests that a bio could be added to: the one that ends where the bio starts,
    /// and the one that starts where it ends, in the queue that the bio would go to. The host takes
    /// the first that its own rules and limits allow, and reports it by [`Scheduler::merged`].
    ///
    /// Asking may decide a merge of queues (spec 5.2).
    pub fn merge_candidates(&mut self, now: Time, bio: &NewRequest) -> [Option<BioMerge>; 2] {
        self.at(now);
        let Some(queue) = self.queue_of_bio(bio) else { return [None; 2] };
        let waiting = &self.queues[queue].waiting;
        let matches = |id: &RequestId| {
            let what = &self.requests[*id].what;
            what.operation == bio.operation && (what.sync || !bio.sync)
        };
        let back = waiting
            .at_or_before(&self.requests, bio.sector)
            .filter(|&id| self.requests[id].what.end() == bio.sector && bio.sectors > 0)
            .filter(matches);
        let front = waiting
            .at_or_before(&self.requests, bio.end())
            .filter(|&id| self.requests[id].what.sector == bio.end() && bio.sectors > 0)
            .filter(matches);
        let at = |side| move |request| BioMerge { request, side };
        [back.map(at(Side::Back)), front.map(at(Side::Front))]
    }

    /// Whether the host may add a bio to a waiting request that it found itself.
    pub fn allows_merge(&mut self, now: Time, bio: &NewRequest, request: RequestId) -> bool {
        self.at(now);
        if !self.requests.contains(request)
            || self.requests[request].state != RequestState::Waiting
            || (bio.sync && !self.requests[request].what.sync)
        {
            return false;
        }
        let queue = self.queue_of_bio(bio);
        queue.is_some() && queue == self.requests[request].queue
    }

    /// The queue that a bio would go to, after any merge of queues that it leads to.
    fn queue_of_bio(&mut self, bio: &NewRequest) -> Option<QueueId> {
        let process = bio.process.filter(|&process| self.known_process(process).is_ok())?;
        self.check_group(process);
        let actuator = self.actuator_of(bio.end());
        let queue = self.linked_queue(process, bio.sync, actuator)?;
        let Some(target) = self.find_cooperator(queue, process, bio.sector) else {
            return Some(queue);
        };
        if bio.sync {
            self.merge_queues(process, queue, target);
        }
        Some(target)
    }

    /// A waiting request has grown by a bio on one side; `sector` and `sectors` are its new range.
    ///
    /// # Errors
    /// If it does not wait.
    pub fn merged(
        &mut self,
        now: Time,
        id: RequestId,
        side: Side,
        sector: u64,
        sectors: u32,
    ) -> Result<(), HostError> {
        self.at(now);
        let queue = self.waiting_queue(id)?;
        self.requests[id].what.sector = sector;
        self.requests[id].what.sectors = sectors;
        if side == Side::Back {
            return Ok(());
        }
        let waiting = &self.queues[queue].waiting;
        let out_of_order = waiting
            .preceding(&self.requests, id)
            .is_some_and(|before| self.requests[before].what.sector > sector);
        if !out_of_order {
            return Ok(());
        }
        let (position, seeks) = (self.last_position, self.back_seeks());
        let before = self.queues[queue].waiting.next;
        self.queues[queue].waiting.resort(&mut self.requests, id, position, seeks);
        if self.queues[queue].waiting.next != before {
            self.update_next_budget(queue);
            self.update_position(queue);
        }
        Ok(())
    }

    /// The waiting request that `id` may be coalesced with after it grew on `side`, because the two
    /// are adjacent now and in the same queue.
    pub fn neighbour(&self, id: RequestId, side: Side) -> Option<RequestId> {
        let queue = self.waiting_queue(id).ok()?;
        let waiting = &self.queues[queue].waiting;
        let what = &self.requests[id].what;
        let (other, adjacent) = match side {
            Side::Back => {
                let next = waiting.following(&self.requests, id)?;
                (next, what.end() == self.requests[next].what.sector)
            }
            Side::Front => {
                let previous = waiting.preceding(&self.requests, id)?;
                (previous, self.requests[previous].what.end() == what.sector)
            }
        };
        let alike = self.requests[other].what.operation == what.operation
            && self.requests[other].what.sync == what.sync;
        (adjacent && alike).then_some(other)
    }

    /// The host has coalesced two waiting requests: `survivor`, which covers both ranges now, has
    /// absorbed `absorbed`, which ceases to exist.
    ///
    /// # Errors
    /// If either does not wait.
    pub fn coalesced(
        &mut self,
        now: Time,
        survivor: RequestId,
        absorbed: RequestId,
        sectors: u32,
    ) -> Result<(), HostError> {
        self.at(now);
        let queue = self.waiting_queue(survivor)?;
        let other = self.waiting_queue(absorbed)?;
        if queue == other {
            let waiting = &mut self.queues[queue].waiting;
            waiting.inherit_age(&mut self.requests, survivor, absorbed);
            if waiting.next == Some(absorbed) {
                waiting.next = Some(survivor);
            }
        }
        self.requests[survivor].what.sectors = sectors;
        self.remove(now, absorbed)
    }

    fn waiting_queue(&self, id: RequestId) -> Result<QueueId, HostError> {
        if !self.requests.contains(id) {
            return Err(HostError::UnknownRequest(id));
        }
        match (self.requests[id].state, self.requests[id].queue) {
            (RequestState::Waiting, Some(queue)) => Ok(queue),
            _ => Err(HostError::NotWaiting(id)),
        }
    }
}
