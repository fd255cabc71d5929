// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request arrives: its queue is found (spec 2.11); waiting requests leave (2.12).

use super::queues::Birth;
use crate::{
    errors::HostError,
    model::{
        Model,
        ids::{ProcessId, QueueId, RequestId},
        request::{Content, Holds, NewRequest, RequestState},
    },
    scheduler::{Policy, Scheduler},
    units::Time,
    why::{Decision, Observer},
};

/// What the arrival of a request says of its process.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// The process has no other request.
    is_lone: bool,
    /// The queue that it is linked to for such requests.
    linked: Option<QueueId>,
}

impl<P: Policy> Model<P> {
    /// Whether a new request may have this number.
    #[inline(always)]
    fn check_new(&self, id: RequestId, new: &NewRequest) -> Result<(), HostError> {
        let request = self.requests.at_position(id).ok_or(HostError::UnknownRequest(id))?;
        let in_use = request.state != RequestState::Absent;
        if in_use | !new.start().has(new.length()) {
            let refused = if in_use { HostError::RequestInUse } else { HostError::BadRange };
            return Err(refused(id));
        }
        Ok(())
    }
}

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Takes a request. It waits until [`Scheduler::dispatch`] hands it out.
    ///
    /// `id` is the host's number for it, below the size of the pool and not in use. A request
    /// `at_head` (a requeued one, for instance) is served before all others. One without a process
    /// goes to the shared queue of those that there was no memory for.
    ///
    /// # Errors
    /// [`HostError`] if `id`, the process or the sectors are not what they should be; nothing is
    /// changed then.
    pub fn insert(
        &mut self,
        now: Time,
        id: RequestId,
        new: &NewRequest,
        at_head: bool,
    ) -> Result<(), HostError> {
        self.clock.go_on(now);
        self.model.check_new(id, new)?;
        let (queue, is_lone) = match new.process {
            Some(process) => {
                let actuator = self.device.actuator_of(new);
                let Arrival { is_lone, linked } = self.expect(process, new.sync, actuator)?;
                let (queue, leads_on) = self.allocate(process, linked, actuator, new, at_head);
                if at_head {
                    self.bypass(id, new, Some(queue), at_head);
                    return Ok(());
                }
                let queue = if leads_on { P::redirect(self, process, queue, new) } else { queue };
                (queue, is_lone)
            }
            None if at_head || !self.policy.schedules_nobody() => {
                self.bypass(id, new, None, at_head);
                return Ok(());
            }
            None => (self.queue_of_nobody(new), false),
        };
        self.enter(id, new, Some(queue), RequestState::Waiting);
        self.tell(|_| Decision::Queued { queue, request: id, process: new.process });
        if self.model.detailed.on {
            self.note_insertion(queue, id, new);
        }
        P::arrived(self, queue, id, new, is_lone);
        Ok(())
    }

    /// A request of a process arrives.
    #[inline(always)]
    fn expect(
        &mut self,
        process: ProcessId,
        sync: bool,
        actuator: u8,
    ) -> Result<Arrival, HostError> {
        let state = self.model.processes.living_mut(process);
        let state = state.ok_or(HostError::UnknownProcess(process))?;
        state.requests += 1;
        let is_lone = state.requests == 1;
        if self.model.epoch.is(state.settled) {
            return Ok(Arrival { is_lone, linked: state.at(actuator).link(sync) });
        }
        state.settled = Some(self.model.epoch);
        self.check_ioprio(process);
        self.check_group(process);
        Ok(Arrival { is_lone, linked: self.model.processes.at(process, actuator).link(sync) })
    }

    /// Counts a request of which the host does not know whose it is. It has no better claim than
    /// those of processes that share a queue for want of memory, so it goes to that queue. (The
    /// reference serves it first; spec 2.11.)
    #[cold]
    #[inline(never)]
    fn queue_of_nobody(&mut self, new: &NewRequest) -> QueueId {
        self.model.counts.of_nobody += 1;
        let queue = self.model.fallback;
        self.model.queues[queue].references.requests += 1;
        self.count_allocated(self.model.root, 1);
        self.model.groups[self.model.root].count_insertion(new);
        queue
    }

    /// Enters the request in the table.
    #[inline]
    fn enter(
        &mut self,
        id: RequestId,
        new: &NewRequest,
        queue: Option<QueueId>,
        state: RequestState,
    ) {
        let request = &mut self.model.requests[id];
        debug_assert_eq!(request.state, RequestState::Absent, "{id:?} is on its way already");
        request.set_what(&Content::of(new));
        request.queue = queue;
        request.state = state;
        let expire = self.tunables.fifo_expire[usize::from(new.sync)];
        request.fifo_deadline = self.clock.now.plus(expire);
    }

    /// Puts a request into the list of those that are served before all queues.
    #[cold]
    fn bypass(&mut self, id: RequestId, new: &NewRequest, queue: Option<QueueId>, at_head: bool) {
        self.enter(id, new, queue, RequestState::Direct);
        self.tell(|_| Decision::Bypasses { request: id, process: new.process });
        if at_head {
            self.model.direct.push_front(&mut self.model.requests, id);
        } else {
            self.model.direct.push_back(&mut self.model.requests, id);
        }
    }

    /// Finds the queue for a request of a process, which is `linked` to one, and counts the request
    /// there (spec 2.11, step 1). Returns whether the request may be led on to another queue, too.
    #[inline(always)]
    fn allocate(
        &mut self,
        process: ProcessId,
        linked: Option<QueueId>,
        actuator: u8,
        new: &NewRequest,
        at_head: bool,
    ) -> (QueueId, bool) {
        let fallback = self.model.fallback;
        let mut queue = linked.unwrap_or(fallback);
        let mut state = &mut self.model.queues[queue];
        if queue == fallback || P::is_parting(&state.policy) {
            queue = self.find_queue(process, new.sync, actuator);
            state = &mut self.model.queues[queue];
        }
        state.references.requests += 1;
        let (group, is_news) = (state.group, P::awaits_requests(&state.policy));
        let leads_on = P::leads_on(&state.policy);
        // Nearly all requests are their owner's, so that is asked first.
        let foreign = state.owner != Some(process) && state.references.processes == 1;
        if foreign && queue != fallback && P::may_be_owned(&state.policy) {
            self.set_owner(queue, Some(process));
        }
        let group = &mut self.model.groups[group];
        group.allocated += 1;
        if !at_head {
            group.count_insertion(new);
        }
        if let Some(parent) = group.parent {
            self.count_allocated(parent, 1);
        }
        if is_news {
            P::allocated(self, queue);
        }
        (queue, leads_on || self.policy.seeks_others())
    }

    /// The queue for a request of a process that has none for such requests, or has to leave it.
    #[inline(never)]
    fn find_queue(&mut self, process: ProcessId, sync: bool, actuator: u8) -> QueueId {
        let queue = match self.linked_queue(process, sync, actuator) {
            Some(queue) => P::queue_for_next(self, process, queue),
            None => self.queue_for(process, sync, actuator, Birth::First),
        };
        self.model.counts.fallbacks += u64::from(queue == self.model.fallback);
        queue
    }

    /// A request is allocated to a queue, and to all groups above it, no more; the queue may
    /// go with it.
    #[inline(always)]
    pub(crate) fn unrefer_request(&mut self, queue: QueueId) {
        let state = &mut self.model.queues[queue];
        debug_assert!(
            state.references.requests > state.waiting.len() + state.in_flight,
            "a request of {queue:?} that is still on its way is given up"
        );
        state.references.requests -= 1;
        let (group, held) = (state.group, state.references.processes > 0);
        self.count_allocated(group, -1);
        if !held {
            self.free_if_unreferenced(queue);
        }
    }

    /// Puts a request that has come into its queue; returns whether it is the next one there.
    #[inline]
    pub fn enqueue(&mut self, queue: QueueId, id: RequestId) -> bool {
        let (position, seeks) = (self.policy.last_position(), &self.tunables.back_seeks);
        let Model { queues, requests, load, .. } = &mut self.model;
        let what = requests[id].what();
        queues[queue].enqueue(requests, id, &what, position, seeks, load)
    }

    /// A request disappears before it was dispatched: the host merged it into another one
    /// or cancelled it.
    ///
    /// # Errors
    /// [`HostError::UnknownRequest`] if there is no such number, [`HostError::NotWaiting`] if it is
    /// not waiting; nothing is changed then.
    pub fn remove(&mut self, now: Time, id: RequestId) -> Result<(), HostError> {
        self.clock.go_on(now);
        self.withdraw(id, false)
    }

    /// The same, for requests that were `absorbed` by another one, and others.
    pub(crate) fn withdraw(&mut self, id: RequestId, absorbed: bool) -> Result<(), HostError> {
        let request = self.model.requests.at_position(id).ok_or(HostError::UnknownRequest(id))?;
        match (request.state, request.queue) {
            (RequestState::Waiting, Some(queue)) => {
                if self.model.detailed.on {
                    self.note_removal(queue, id, absorbed);
                }
                P::withdrawn(self, queue, id);
            }
            (RequestState::Direct, _) => self.model.direct.remove(&mut self.model.requests, id),
            _ => return Err(HostError::NotWaiting(id)),
        }
        self.tell(|_| Decision::Removed { request: id });
        let holds = self.model.requests[id].leave();
        self.release(holds);
        Ok(())
    }

    /// Drops all references that a request held.
    #[inline(always)]
    pub(crate) fn release(&mut self, holds: Holds) {
        if let Some(queue) = holds.queue {
            self.unrefer_request(queue);
        }
        if let Some(process) = holds.process {
            let state = &mut self.model.processes[process];
            state.requests -= 1;
            if state.is_gone() {
                self.free_process(process);
            }
        }
    }
}
