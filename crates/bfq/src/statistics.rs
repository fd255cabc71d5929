//! What the scheduler has done: one table of figures, each with its unit and meaning.

use crate::{
    scheduler::Scheduler,
    why::{InjectionRule, Observer, Reason},
};

/// A thing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is documented in STATISTICS")]
pub(crate) enum Counter {
    SlotsTooIdle,
    SlotsTimedOut,
    SlotsExhausted,
    SlotsEmptied,
    SlotsPreempted,
    SlowSlots,
    Idlings,
    InjectedOwnAsync,
    InjectedWaker,
    InjectedWoken,
    InjectedLimit,
    InjectedActuator,
    InteractiveRaises,
    SoftRtRaises,
    AsyncRaises,
    LargeBurstQueues,
    Merges,
    Splits,
    QueuesCreated,
    Fallbacks,
    OfNobody,
}

/// Number of counters.
const COUNTERS: usize = Counter::OfNobody as usize + 1;

impl Counter {
    /// Slots that ended for a reason.
    pub const fn of_reason(reason: Reason) -> Counter {
        match reason {
            Reason::TooIdle => Counter::SlotsTooIdle,
            Reason::BudgetTimeout => Counter::SlotsTimedOut,
            Reason::BudgetExhausted => Counter::SlotsExhausted,
            Reason::NoMoreRequests => Counter::SlotsEmptied,
            Reason::Preempted => Counter::SlotsPreempted,
        }
    }

    /// Requests injected by a rule.
    pub const fn of_injection(rule: InjectionRule) -> Counter {
        match rule {
            InjectionRule::OwnAsync => Counter::InjectedOwnAsync,
            InjectionRule::Waker => Counter::InjectedWaker,
            InjectionRule::Woken => Counter::InjectedWoken,
            InjectionRule::Limit => Counter::InjectedLimit,
            InjectionRule::Actuator => Counter::InjectedActuator,
        }
    }
}

/// The counters' values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters([u64; COUNTERS]);

impl Counters {
    pub const fn new() -> Self {
        Counters([0; COUNTERS])
    }

    /// Counts one more.
    pub fn count(&mut self, counter: Counter) {
        self.0[counter as usize] += 1;
    }
}

/// Where a statistic's value comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Counted(Counter),
    MaxBudget,
    PeakRate,
    BusyQueues,
    RaisedBusy,
    InFlight,
    Queued,
}

/// A statistic: its name, unit and meaning.
#[derive(Clone, Copy, Debug)]
pub struct StatisticInfo {
    /// Its name.
    pub name: &'static str,
    /// The unit of its value.
    pub unit: &'static str,
    /// What it counts or shows.
    pub doc: &'static str,
    source: Source,
}

const fn counted(counter: Counter, name: &'static str, doc: &'static str) -> StatisticInfo {
    StatisticInfo { name, unit: "events", doc, source: Source::Counted(counter) }
}

/// All statistics, in the order of [`Scheduler::statistics`].
pub const STATISTICS: [StatisticInfo; 27] = [
    counted(
        Counter::SlotsExhausted,
        "slots_budget_exhausted",
        "Slots that ended because the next request did not fit into the budget.",
    ),
    counted(
        Counter::SlotsTimedOut,
        "slots_budget_timeout",
        "Slots that ended because their time was up.",
    ),
    counted(
        Counter::SlotsTooIdle,
        "slots_too_idle",
        "Slots that ended because no request came while the disk was kept idle.",
    ),
    counted(
        Counter::SlotsEmptied,
        "slots_no_more_requests",
        "Slots that ended because the queue was empty and not worth idling for.",
    ),
    counted(
        Counter::SlotsPreempted,
        "slots_preempted",
        "Slots that ended because another queue had the better claim.",
    ),
    counted(Counter::SlowSlots, "slow_slots", "Slots whose queue was slow: it shares time."),
    counted(Counter::Idlings, "idlings", "Times the disk was kept idle for the queue in service."),
    counted(
        Counter::InjectedOwnAsync,
        "injected_own_async",
        "Requests served in another queue's slot: async ones of the same process.",
    ),
    counted(
        Counter::InjectedWaker,
        "injected_waker",
        "Requests served in another queue's slot: of the queue that wakes it.",
    ),
    counted(
        Counter::InjectedWoken,
        "injected_woken",
        "Requests served in another queue's slot: of a queue that it wakes.",
    ),
    counted(
        Counter::InjectedLimit,
        "injected_limit",
        "Requests served in another queue's slot within its inject limit.",
    ),
    counted(
        Counter::InjectedActuator,
        "injected_actuator",
        "Requests served in another queue's slot for an actuator with too little to do.",
    ),
    counted(
        Counter::InteractiveRaises,
        "raises_interactive",
        "Raises of queues that looked interactive.",
    ),
    counted(
        Counter::SoftRtRaises,
        "raises_soft_real_time",
        "Raises of queues that looked soft real-time.",
    ),
    counted(Counter::AsyncRaises, "raises_async", "Raises of queues with sporadic async writes."),
    counted(
        Counter::LargeBurstQueues,
        "queues_in_large_burst",
        "Queues found to belong to a large burst of creations, hence not raised.",
    ),
    counted(Counter::Merges, "merges", "Processes moved to the queue of another one."),
    counted(Counter::Splits, "splits", "Processes that got a queue of their own again."),
    counted(Counter::QueuesCreated, "queues_created", "Queues created."),
    counted(
        Counter::Fallbacks,
        "fallbacks",
        "Requests put into the fallback queue because there was no memory for one of their own.",
    ),
    counted(
        Counter::OfNobody,
        "requests_of_nobody",
        "Requests put into the fallback queue because the host did not know whose they are.",
    ),
    StatisticInfo {
        name: "max_budget",
        unit: "sectors",
        doc: "The largest budget at present.",
        source: Source::MaxBudget,
    },
    StatisticInfo {
        name: "peak_rate",
        unit: "sectors/s",
        doc: "The estimated peak rate of the device.",
        source: Source::PeakRate,
    },
    StatisticInfo {
        name: "busy_queues",
        unit: "queues",
        doc: "Queues with requests, in service, or kept scheduled although empty.",
        source: Source::BusyQueues,
    },
    StatisticInfo {
        name: "raised_busy_queues",
        unit: "queues",
        doc: "How many of them are raised.",
        source: Source::RaisedBusy,
    },
    StatisticInfo {
        name: "in_flight",
        unit: "requests",
        doc: "Requests in the device.",
        source: Source::InFlight,
    },
    StatisticInfo {
        name: "queued",
        unit: "requests",
        doc: "Requests waiting in queues.",
        source: Source::Queued,
    },
];

impl<O: Observer> Scheduler<O> {
    /// The value of each statistic, in the order of [`STATISTICS`].
    pub fn statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        STATISTICS.iter().map(|info| (info, self.statistic(info.source)))
    }

    /// Requests put into the fallback queue, which is shared, so far: because there was no memory
    /// for a queue of their own, or because the host did not know whose they are.
    pub fn requests_in_shared_queue(&self) -> u64 {
        self.counters.0[Counter::Fallbacks as usize] + self.counters.0[Counter::OfNobody as usize]
    }

    /// The latter ones.
    pub fn requests_of_nobody(&self) -> u64 {
        self.statistic(Source::Counted(Counter::OfNobody))
    }

    fn statistic(&self, source: Source) -> u64 {
        match source {
            Source::Counted(counter) => self.counters.0[counter as usize],
            Source::MaxBudget => self.budgets.max().max(0) as u64,
            Source::PeakRate => self.peak_rate.sectors_per_s(),
            Source::BusyQueues => u64::from(self.busy.total()),
            Source::RaisedBusy => self.busy.raised.max(0) as u64,
            Source::InFlight => u64::from(self.in_flight),
            Source::Queued => u64::from(self.queued),
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
            .filter_map(|info| match info.source {
                Source::Counted(counter) => Some(counter as usize),
                _ => None,
            })
            .collect();
        shown.sort_unstable();
        assert_eq!(shown, (0..COUNTERS).collect::<Vec<_>>());
    }
}
