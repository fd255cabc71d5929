// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the scheduler has done: one table of figures, each with its unit and meaning.

use super::{counters::Counter, state::Budget};
use crate::{model::Model, statistics::StatisticInfo};

/// What is counted whatever the policy.
#[derive(Clone, Copy, Debug)]
enum Common {
    QueuesCreated,
    Fallbacks,
    OfNobody,
}

/// Where a statistic's value comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Counted(Counter),
    /// What the model counts.
    Common(Common),
    MaxBudget,
    PeakRate,
    BusyQueues,
    RaisedBusy,
    InFlight,
    Queued,
}

const fn row(source: Source, name: &'static str, doc: &'static str) -> (Source, StatisticInfo) {
    let unit = match source {
        Source::Counted(_) | Source::Common(_) => "events",
        Source::MaxBudget => "sectors",
        Source::PeakRate => "sectors/s",
        Source::BusyQueues | Source::RaisedBusy => "queues",
        Source::InFlight | Source::Queued => "requests",
    };
    (source, StatisticInfo { name, unit, doc })
}

/// All statistics, in the order in which they are shown.
const STATISTICS: [(Source, StatisticInfo); 27] = [
    row(
        Source::Counted(Counter::SlotsExhausted),
        "slots_budget_exhausted",
        "Slots that ended because the next request did not fit into the budget.",
    ),
    row(
        Source::Counted(Counter::SlotsTimedOut),
        "slots_budget_timeout",
        "Slots that ended because their time was up.",
    ),
    row(
        Source::Counted(Counter::SlotsTooIdle),
        "slots_too_idle",
        "Slots that ended because no request came while the disk was kept idle.",
    ),
    row(
        Source::Counted(Counter::SlotsEmptied),
        "slots_no_more_requests",
        "Slots that ended because the queue was empty and not worth idling for.",
    ),
    row(
        Source::Counted(Counter::SlotsPreempted),
        "slots_preempted",
        "Slots that ended because another queue had the better claim.",
    ),
    row(
        Source::Counted(Counter::SlowSlots),
        "slow_slots",
        "Slots whose queue was slow: it shares time.",
    ),
    row(
        Source::Counted(Counter::Idlings),
        "idlings",
        "Times the disk was kept idle for the queue in service.",
    ),
    row(
        Source::Counted(Counter::InjectedOwnAsync),
        "injected_own_async",
        "Requests served in another queue's slot: async ones of the same process.",
    ),
    row(
        Source::Counted(Counter::InjectedWaker),
        "injected_waker",
        "Requests served in another queue's slot: of the queue that wakes it.",
    ),
    row(
        Source::Counted(Counter::InjectedWoken),
        "injected_woken",
        "Requests served in another queue's slot: of a queue that it wakes.",
    ),
    row(
        Source::Counted(Counter::InjectedLimit),
        "injected_limit",
        "Requests served in another queue's slot within its inject limit.",
    ),
    row(
        Source::Counted(Counter::InjectedActuator),
        "injected_actuator",
        "Requests served in another queue's slot for an actuator with too little to do.",
    ),
    row(
        Source::Counted(Counter::InteractiveRaises),
        "raises_interactive",
        "Raises of queues that looked interactive.",
    ),
    row(
        Source::Counted(Counter::SoftRtRaises),
        "raises_soft_real_time",
        "Raises of queues that looked soft real-time.",
    ),
    row(
        Source::Counted(Counter::AsyncRaises),
        "raises_async",
        "Raises of queues with sporadic async writes.",
    ),
    row(
        Source::Counted(Counter::LargeBurstQueues),
        "queues_in_large_burst",
        "Queues found to belong to a large burst of creations, hence not raised.",
    ),
    row(Source::Counted(Counter::Merges), "merges", "Processes moved to the queue of another one."),
    row(
        Source::Counted(Counter::Splits),
        "splits",
        "Processes that got a queue of their own again.",
    ),
    row(Source::Common(Common::QueuesCreated), "queues_created", "Queues created."),
    row(
        Source::Common(Common::Fallbacks),
        "fallbacks",
        "Requests put into the fallback queue because there was no memory for one of their own.",
    ),
    row(
        Source::Common(Common::OfNobody),
        "requests_of_nobody",
        "Requests put into the fallback queue because the host did not know whose they are.",
    ),
    row(Source::MaxBudget, "max_budget", "The largest budget at present."),
    row(Source::PeakRate, "peak_rate", "The estimated peak rate of the device."),
    row(
        Source::BusyQueues,
        "busy_queues",
        "Queues with requests, in service, or kept scheduled although empty.",
    ),
    row(Source::RaisedBusy, "raised_busy_queues", "How many of them are raised."),
    row(Source::InFlight, "in_flight", "Requests in the device."),
    row(Source::Queued, "queued", "Requests waiting in queues."),
];

impl Budget {
    /// The value of each statistic.
    pub(crate) fn statistics_of(
        &self,
        model: &Model<Budget>,
    ) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        STATISTICS.iter().map(|(source, info)| (info, self.statistic(model, *source)))
    }

    fn statistic(&self, model: &Model<Budget>, source: Source) -> u64 {
        match source {
            Source::Counted(counter) => self.counters.get(counter),
            Source::Common(Common::QueuesCreated) => model.counts.queues_created,
            Source::Common(Common::Fallbacks) => model.counts.fallbacks,
            Source::Common(Common::OfNobody) => model.counts.of_nobody,
            Source::MaxBudget => self.disk.budgets.max().amount(),
            Source::PeakRate => self.disk.peak_rate.rate().sectors_per_s(),
            Source::BusyQueues => u64::from(self.competition.busy.total()),
            Source::RaisedBusy => self.competition.busy.raised().max(0) as u64,
            Source::InFlight => u64::from(model.load.in_flight),
            Source::Queued => u64::from(model.load.queued),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn each_counter_is_shown_once() {
        let mut shown: Vec<usize> = STATISTICS
            .iter()
            .filter_map(|(source, _)| match source {
                Source::Counted(counter) => Some(*counter as usize),
                _ => None,
            })
            .collect();
        shown.sort_unstable();
        assert_eq!(shown, (0..crate::policy::budget::counters::COUNTERS).collect::<Vec<_>>());
    }
}
