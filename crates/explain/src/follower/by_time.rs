// SPDX-License-Identifier: MIT OR Apache-2.0
//! What only Time Fair Queueing decides: who has the device, and who is on loan.
//!
//! It serves several queues at once, so a turn lasts until a request of another queue is handed
//! out, or until it says for whose sake nothing is.

use super::{Follower, Turn};
use crate::record::SchedulerEvent;
use crate::rule::Rule;
use bfq::QueueId;
use bfq::why::{Decision, LoanEnd, WithholdRule};

impl Follower {
    pub(super) fn follow_time(&mut self, now_ns: u64, decision: &Decision) {
        match *decision {
            Decision::Withheld { queue, rule, .. } => self.withheld(now_ns, queue, rule),
            Decision::SlotBegan { queue } => {
                self.counts.slots += u64::from(self.is_target(queue));
                let since_ns = now_ns;
                self.turn = Some(Turn { queue, since_ns, rule: None, by_time: true });
                self.set_scene(now_ns);
            }
            Decision::SlotPaid { queue, payer } => {
                self.counts.slots_given += u64::from(self.is_target(queue));
                self.counts.slots_paid += u64::from(self.is_target(payer));
            }
            Decision::SlotEnded { queue, reason } => {
                if self.is_target(queue) {
                    self.counts.ended[reason as usize] += 1;
                }
                if let Some(state) = self.queues.get(queue) {
                    let (queue, party) = (state.serial, state.party);
                    self.record
                        .add(now_ns, SchedulerEvent::SlotEnded { queue, party, reason, by: None });
                }
                self.turn = None;
                self.set_scene(now_ns);
            }
            Decision::LoanBegan { queue } => self.loan_began(now_ns, queue),
            Decision::LoanEnded { queue, reason } => self.loan_ended(now_ns, queue, reason),
            _ => {}
        }
    }

    fn withheld(&mut self, now_ns: u64, queue: QueueId, rule: WithholdRule) {
        let before = self.turn.filter(|turn| turn.queue == queue);
        let rule = Some(Rule::Withheld(rule));
        let kept = matches!(
            rule,
            Some(Rule::Withheld(
                WithholdRule::Expected | WithholdRule::Alone | WithholdRule::ReadAhead
            ))
        );
        if kept && self.is_target(queue) && before.is_none_or(|turn| turn.rule != rule) {
            rule.into_iter().for_each(|rule| *self.counts.idlings.entry(rule).or_default() += 1);
        }
        let since_ns = before.map_or(now_ns, |turn| turn.since_ns);
        self.turn = Some(Turn { queue, since_ns, rule, by_time: true });
        self.set_scene(now_ns);
    }

    /// A request of a queue is handed out: under tfq it is its turn.
    pub(super) fn turn_of_served(&mut self, now_ns: u64, queue: QueueId) {
        if let Some(Turn { by_time: false, .. }) = self.turn {
            return;
        }
        let before = self.turn.filter(|turn| turn.queue == queue);
        let since_ns = before.map_or(now_ns, |turn| turn.since_ns);
        self.turn = Some(Turn { queue, since_ns, rule: None, by_time: true });
        self.counts.by_time = true;
        if let Some(state) = self.queues.get(queue).filter(|state| state.is_target) {
            self.counts.loan_requests += u64::from(state.on_loan);
        }
    }

    fn loan_began(&mut self, now_ns: u64, id: QueueId) {
        let queue = self.queues.get_mut(id, &self.cast);
        queue.on_loan = true;
        let queue = queue.serial;
        self.counts.loans += u64::from(self.is_target(id));
        self.record.add(now_ns, SchedulerEvent::LoanBegan { queue });
        self.set_scene(now_ns);
    }

    fn loan_ended(&mut self, now_ns: u64, id: QueueId, reason: LoanEnd) {
        let queue = self.queues.get_mut(id, &self.cast);
        queue.on_loan = false;
        let queue = queue.serial;
        if self.is_target(id) {
            self.counts.loans_ended[reason as usize] += 1;
        }
        self.record.add(now_ns, SchedulerEvent::LoanEnded { queue, reason });
        self.set_scene(now_ns);
    }
}
