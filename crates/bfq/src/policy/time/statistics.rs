// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the policy has learnt of its device, and what it has counted.

use super::state::Scheduler;
use core::num::NonZeroU64;

use crate::{statistics::StatisticInfo, why::Observer};

const fn row(name: &'static str, unit: &'static str, doc: &'static str) -> StatisticInfo {
    StatisticInfo { name, unit, doc }
}

/// All statistics, in the order in which they are shown.
const STATISTICS: [StatisticInfo; 10] = [
    row("probes", "events", "Times a queue was served alone, to see what its requests take."),
    row("holds", "events", "Times the device was kept free for a queue that was expected back."),
    row("queues_created", "events", "Queues that came into being."),
    row("fallbacks", "events", "Requests put into the shared queue, as there was no memory."),
    row("request_base", "ns", "What a small request takes alone in the device, as learnt."),
    row("peak_rate", "sectors/s", "The highest rate that the device delivered of late."),
    row("parallelism", "1/256", "How many requests the device works on at the same time."),
    row("seek_time", "ns", "What moving the head takes; on disks without one it means nothing."),
    row("in_flight", "requests", "Requests in the device."),
    row("queued", "requests", "Requests that wait."),
];

impl<O: Observer> Scheduler<O> {
    /// The figures, in the order of the table.
    pub(super) fn own_statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
        let (policy, counts) = (&self.policy, &self.model.counts);
        let values = [
            policy.counters.probes,
            policy.counters.holds,
            counts.queues_created,
            counts.fallbacks,
            policy.learnt.small().as_ns(),
            policy.learnt.rate_sectors_per_s().map_or(0, NonZeroU64::get),
            policy.learnt.parallelism(),
            policy.rotation.seek.mean().as_ns(),
            u64::from(self.model.load.in_flight),
            u64::from(self.model.load.queued),
        ];
        STATISTICS.iter().zip(values)
    }
}
