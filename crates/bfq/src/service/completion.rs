//! A request completes (spec 3.17), or comes back unserved.

use crate::{
    HostError,
    queue::{QueueId, RequestId, request::RequestState},
    scheduler::Scheduler,
    units::Time,
    why::{Decision, Observer, Reason},
};

impl<O: Observer> Scheduler<O> {
    /// The device completed a request, well or badly.
    ///
    /// # Errors
    /// [`HostError::NotDispatched`] if the request is not in the device; nothing is changed then.
    pub fn complete(&mut self, now: Time, id: RequestId) -> Result<(), HostError> {
        self.at(now);
        let request = self.requests.at_position_mut(id).ok_or(HostError::UnknownRequest(id))?;
        if request.state != RequestState::Dispatched {
            return Err(HostError::NotDispatched(id));
        }
        let holds = request.leave();
        self.tell(|_| Decision::Completed { request: id, queue: holds.queue });
        if let Some(queue) = holds.queue {
            self.complete_in_queue(queue, id);
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

    #[inline]
    fn complete_in_queue(&mut self, queue: QueueId, id: RequestId) {
        if self.detailed_statistics {
            self.note_completion(queue, id);
        }
        if self.sampling.request == Some(id) {
            self.learn_inject_limit(queue);
        }
        self.detect_command_queueing();
        self.in_flight -= 1;
        let state = &mut self.queues[queue];
        self.in_flight_by_actuator[usize::from(state.actuator)] -= 1;
        state.in_flight -= 1;
        state.last_completion = self.now;
        self.last_completed = if state.shared { None } else { Some(queue) };
        let drained = state.in_flight == 0;
        if drained && !state.busy {
            state.deadline_or_quiesce = self.tick;
            self.stop_counting(queue);
        }
        if let Some(event) = self.peak_rate.on_completion(self.now, self.last_completion) {
            self.follow_rate(event);
        }
        self.last_completion = self.now;
        if drained {
            self.note_completion_as_reference(queue);
        }
        let kept_idle = self.in_service == Some(queue) && self.continue_slot(queue);
        if self.in_flight == 0 && !kept_idle {
            self.want_kick();
        }
    }

    #[inline]
    fn detect_command_queueing(&mut self) {
        let (in_service, queues) = (self.in_service, &self.queues);
        let offered = || {
            let queue = &queues[in_service?];
            queue.short_think_time.then(|| queue.in_flight + queue.waiting.len())
        };
        if self.command_queueing.on_completion(self.in_flight, self.queued, offered) {
            let queues = !self.command_queueing.is_known_not_to_queue();
            self.flash_with_queueing = !self.rotational && queues;
        }
    }

    /// What the completion means for the slot of its queue (spec 3.17, step 7). Returns whether the
    /// disk is kept idle.
    #[inline]
    fn continue_slot(&mut self, queue: QueueId) -> bool {
        let state = &self.queues[queue];
        let (empty, in_flight) = (state.is_empty(), state.in_flight);
        if empty && let Some(rule) = self.better_to_idle(queue) {
            if in_flight == 0 {
                self.start_waiting(queue, rule);
            }
            return true;
        }
        if self.may_time_out(queue) {
            self.expire(queue, Reason::BudgetTimeout, None);
        } else if empty {
            self.expire(queue, Reason::NoMoreRequests, None);
        }
        false
    }
}
