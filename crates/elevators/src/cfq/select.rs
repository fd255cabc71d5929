// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue is active, how it becomes so and ceases to be (peers.md §5.6; residuals §5.4).

use super::Cfq;
use super::expiry::Expiry;
use super::generation::Generation;
use super::queue_id::QueueId;
use super::service_tree::End;

/// What becomes of the active queue when a request is asked for.
enum SliceDecision {
    Serve,
    Wait,
    Expire(Expiry),
    SwitchTo(QueueId),
}

impl Cfq {
    /// The queue to serve, if one is to be served now. The numbers are those of §5.6.
    pub(super) fn select(&mut self, now_ticks: i64) -> Option<QueueId> {
        if let Some(active) = self.active {
            match self.judge(now_ticks, active) {
                SliceDecision::Serve => return Some(active),
                SliceDecision::Wait => return None,
                SliceDecision::Expire(expiry) => self.expire(now_ticks, expiry),
                SliceDecision::SwitchTo(cooperator) => {
                    self.cooperate(active, cooperator);
                    self.expire(now_ticks, Expiry::Cooperation);
                    self.activate(now_ticks, cooperator);
                    return Some(cooperator);
                }
            }
        }
        let id = self.next_queue(now_ticks)?;
        self.queues[id].cooperates = false;
        self.activate(now_ticks, id);
        Some(id)
    }

    fn judge(&self, now_ticks: i64, active: QueueId) -> SliceDecision {
        let queue = &self.queues[active];
        if queue.slice.is_used_up(now_ticks) && !queue.must_dispatch {
            // 2.
            let under_way = queue.in_flight > 0 || self.idle_timer_ticks.is_some();
            return if under_way && self.holds_its_group(active) {
                SliceDecision::Wait
            } else {
                SliceDecision::Expire(Expiry::SliceUsedUp)
            };
        }
        if queue.waiting > 0 {
            return SliceDecision::Serve; // 3.
        }
        if let Some(cooperator) = self.close_cooperator(active) {
            return SliceDecision::SwitchTo(cooperator); // 4.
        }
        if self.idle_timer_ticks.is_some() || queue.in_flight > 0 && self.would_idle(active) {
            return SliceDecision::Wait; // 5.
        }
        SliceDecision::Expire(Expiry::Empty) // 6.
    }

    /// Generation B: whether an empty queue, its slice used up, keeps its turn until it has
    /// requests again. If it left as the last one of its group, the group would go with it, come
    /// back behind all others, and never have more than they have, whatever its weight.
    pub(super) fn holds_its_group(&self, id: QueueId) -> bool {
        let queue = &self.queues[id];
        let last_of_group =
            queue.location.is_some_and(|at| self.groups[at.group].busy_queues() == 1);
        self.tunables.generation == Generation::Linux2_6_35
            && last_of_group
            && queue.waiting == 0
            && self.would_idle(id)
    }

    fn activate(&mut self, now_ticks: i64, id: QueueId) {
        self.counters.slices += 1;
        self.idle_timer_ticks = None;
        let queue = &mut self.queues[id];
        queue.slice = queue.slice.selected(now_ticks);
        queue.must_dispatch = false;
        self.active = Some(id);
    }

    /// Ends the turn of the active queue: it is charged, and goes to its next place or, empty, out.
    pub(super) fn expire(&mut self, now_ticks: i64, expiry: Expiry) {
        let Some(id) = self.active.take() else { return };
        self.counters.count(expiry);
        self.idle_timer_ticks = None;
        if expiry.keeps_residual() {
            self.keep_residual(now_ticks, id);
        }
        if self.tunables.generation == Generation::Linux2_6_35 {
            self.charge_turn(now_ticks, id);
            self.mark_split(id);
        }
        self.queues[id].must_dispatch = false;
        if self.queues[id].waiting > 0 {
            self.enter_service(now_ticks, id, End::Back);
        } else {
            self.leave_service(id);
            self.queues.release(id);
        }
    }

    /// Time after the end of a slice counts as overdrawn only while the
    /// device worked for the queue.
    fn keep_residual(&mut self, now_ticks: i64, id: QueueId) {
        let queue = &mut self.queues[id];
        let Some(left_ticks) = queue.slice.left_ticks(now_ticks) else { return };
        let worked_until_ticks =
            if queue.in_flight > 0 { now_ticks } else { queue.slice.last_completion_ticks };
        let overdrawn = || queue.slice.left_ticks(worked_until_ticks).unwrap_or(0).min(0);
        queue.residual_ticks = if left_ticks >= 0 { left_ticks } else { overdrawn() };
    }
}
