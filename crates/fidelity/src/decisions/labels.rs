// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names that logs give to queues, and decisions in the words of a log.

use bfq::{Behaviour, ProcessId, QueueId, why::Decision};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Which queue has which name.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    queues: BTreeMap<QueueId, String>,
    processes: BTreeMap<ProcessId, u32>,
    /// What a log states where an allocation may use the whole pool.
    whole_pool: u32,
}

impl Labels {
    /// The words of the logs of a kernel: 6.1 states 0 for "no limit", 6.12 the pool's size.
    pub fn new(behaviour: Behaviour, nr_requests: u32) -> Self {
        let whole_pool = if behaviour == Behaviour::Linux6_12 { nr_requests } else { 0 };
        Labels { whole_pool, ..Labels::default() }
    }

    /// A process has a number in the log.
    pub fn name_process(&mut self, process: ProcessId, number: u32) {
        self.processes.insert(process, number);
    }

    /// A queue is named after its process.
    pub fn name_after(&mut self, queue: QueueId, process: ProcessId) {
        let number = self.processes.get(&process);
        self.queues.insert(queue, number.map_or_else(|| "?".into(), u32::to_string));
    }

    /// The name of a queue.
    pub fn of(&self, queue: QueueId) -> String {
        self.queues.get(&queue).cloned().unwrap_or_else(|| "?".into())
    }

    /// Names a queue that is created, before its creation is rendered.
    pub fn follow_creation(&mut self, decision: &Decision) {
        match *decision {
            Decision::QueueCreated { queue, process: Some(process), .. } => {
                self.name_after(queue, process);
            }
            Decision::QueueCreated { queue, process: None, .. } => {
                self.queues.insert(queue, "async".into());
            }
            _ => {}
        }
    }

    /// Takes note of what a decision means for names, after it was rendered.
    pub fn follow(&mut self, decision: &Decision) {
        match *decision {
            Decision::QueueFreed { queue } => {
                self.queues.remove(&queue);
            }
            Decision::Merged { target, .. } => {
                self.queues.insert(target, "shared".into());
            }
            _ => {}
        }
    }

    /// The decision as a line of a log, without its time; `None` if logs don't have it.
    pub fn render(&self, decision: &Decision) -> Option<String> {
        let name = |queue| self.of(queue);
        let flag = |flag: bool| u8::from(flag);
        Some(match *decision {
            Decision::RequestLimit { raised_busy, sync, depth, .. } => {
                let depth = depth.map_or(self.whole_pool, NonZeroU32::get);
                // The reference's count may be negative.
                format!("request_limit,,{},{},{depth}", raised_busy as i32, flag(sync))
            }
            Decision::GroupLimit { queue, allocated, limit, level } => {
                format!("group_limit,{},{allocated},{limit},{level}", name(queue))
            }
            Decision::QueueCreated { queue, .. } => format!("queue_created,{}", name(queue)),
            Decision::Busy { queue } => format!("busy,{}", name(queue)),
            Decision::Idle { queue } => format!("idle,{}", name(queue)),
            Decision::Finish { queue, start, finish, amount, weight } => {
                format!("finish_time,{},{start},{finish},{amount},{weight}", name(queue))
            }
            Decision::InService { queue, budget } => {
                format!("in_service,{},{budget}", name(queue))
            }
            Decision::Served { queue, charged, .. } => format!("served,{},{charged}", name(queue)),
            Decision::ChargedTime { queue, charged, .. } => {
                format!("served,{},{charged}", name(queue))
            }
            Decision::Slow { queue, slow } => format!("slow,{},{}", name(queue), flag(slow)),
            Decision::Expired { queue, reason, slow, in_flight, short_think_time } => format!(
                "expire,{},{},{},{in_flight},{}",
                name(queue),
                reason.name(),
                flag(slow),
                flag(short_think_time)
            ),
            Decision::Feedback { queue, budget, left, max_budget, min_budget, sync, seeky } => {
                format!(
                    "feedback,{},{budget},{left},{max_budget},{min_budget},{},{}",
                    name(queue),
                    flag(sync),
                    flag(seeky)
                )
            }
            Decision::NextBudget { queue, next, budget } => {
                format!("next_budget,{},{},{budget}", name(queue), next.count())
            }
            Decision::BudgetGrown { queue, budget } => {
                format!("budget_grown,{},{budget}", name(queue))
            }
            Decision::RaiseChecked { queue, age, period, coefficient, weight, base_weight } => {
                format!(
                    "raise,{},{},{},{coefficient},{weight},{base_weight}",
                    name(queue),
                    age.as_ms(),
                    period.as_ms()
                )
            }
            Decision::MergeScheduled { queue, target } => {
                format!("merge_scheduled,{},{}", name(queue), name(target))
            }
            Decision::Merged { queue, target, .. } => {
                format!("merge,{},{}", name(queue), name(target))
            }
            Decision::Split { queue, .. } => format!("split,{}", name(queue)),
            Decision::TentativeWaker { queue, waker } => {
                format!("tentative_waker,{},{}", name(queue), name(waker))
            }
            Decision::WakerFound { queue, waker } => {
                format!("waker,{},{}", name(queue), name(waker))
            }
            Decision::MaxBudget { budget } => format!("max_budget,,{budget}"),
            Decision::RateReset { samples, sectors } => {
                format!("rate_reset,,{samples},{}", sectors.count())
            }
            Decision::NothingToDispatch => "nothing_to_dispatch,".into(),
            Decision::Kick => "kick,".into(),
            Decision::GroupAdded { .. }
            | Decision::ProcessAdded { .. }
            | Decision::QueueFreed { .. }
            | Decision::Bypasses { .. }
            | Decision::Removed { .. }
            | Decision::ServedFirst { .. }
            | Decision::Completed { .. }
            | Decision::Coefficient { .. }
            | Decision::Queued { .. }
            | Decision::PreemptedBy { .. }
            | Decision::Idling { .. }
            | Decision::Plugged { .. }
            | Decision::Injected { .. }
            | Decision::Raised { .. }
            | Decision::RaiseEnded { .. }
            | Decision::InLargeBurst { .. }
            | Decision::Withheld { .. }
            | Decision::SlotBegan { .. }
            | Decision::SlotPaid { .. }
            | Decision::SlotEnded { .. }
            | Decision::LoanBegan { .. }
            | Decision::LoanEnded { .. } => return None,
        })
    }
}
