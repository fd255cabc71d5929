// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request completes (spec 3.17), or comes back unserved.

use crate::{
    errors::HostError,
    model::{
        ids::{QueueId, RequestId},
        request::RequestState,
    },
    scheduler::{Policy, Scheduler},
    units::Time,
    why::{Decision, Observer},
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// The device completed a request, well or badly.
    ///
    /// # Errors
    /// [`HostError::UnknownRequest`] if there is no such number, [`HostError::NotDispatched`] if
    /// the request is not in the device; nothing is changed then.
    pub fn complete(&mut self, now: Time, id: RequestId) -> Result<(), HostError> {
        self.clock.go_on(now);
        let request = self.model.requests.at_position_mut(id);
        let request = request.ok_or(HostError::UnknownRequest(id))?;
        if request.state != RequestState::Dispatched {
            return Err(HostError::NotDispatched(id));
        }
        let holds = request.leave();
        self.tell(|_| Decision::Completed { request: id, queue: holds.queue });
        if let Some(queue) = holds.queue {
            if self.model.detailed.on {
                self.note_completion(queue, id);
            }
            P::completed(self, queue, id);
        }
        self.release(holds);
        Ok(())
    }

    /// The host could not serve a dispatched request: it is forgotten, as if completed, and will be
    /// inserted anew, at the head.
    ///
    /// # Errors
    /// As [`Scheduler::complete`].
    pub fn requeue(&mut self, now: Time, id: RequestId) -> Result<(), HostError> {
        self.complete(now, id)
    }

    /// A request of a queue is in the device no more; returns whether it was its last one there.
    #[inline(always)]
    pub fn count_completion(&mut self, queue: QueueId) -> bool {
        let state = &mut self.model.queues[queue];
        state.count_completion(&mut self.model.load, self.clock.now);
        state.in_flight == 0
    }
}
