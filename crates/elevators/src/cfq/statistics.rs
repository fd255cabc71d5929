// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counters of CFQ and their names, units and meanings.

use blk::{StatisticSpec, statistic};

use super::expiry::Expiry;

/// Events since the scheduler was attached; each field counts one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub slices: u64,
    slices_used_up: u64,
    slices_idled_out: u64,
    slices_preempted: u64,
    slices_emptied: u64,
    slices_of_few_requests: u64,
    pub waits: u64,
    pub waits_rewarded: u64,
    pub jumps: u64,
    pub merges: u64,
    pub splits: u64,
    pub held_back: u64,
    pub deadlines_passed: u64,
    pub direct: u64,
}

impl Counters {
    /// A turn has ended.
    pub fn count(&mut self, expiry: Expiry) {
        match expiry {
            Expiry::SliceUsedUp => self.slices_used_up += 1,
            Expiry::IdledOut => self.slices_idled_out += 1,
            Expiry::Preempted => self.slices_preempted += 1,
            Expiry::Enough => self.slices_of_few_requests += 1,
            Expiry::Empty | Expiry::Cooperation | Expiry::Abandoned => self.slices_emptied += 1,
        }
    }
}

/// All statistics of cfq.
pub(super) const TABLE: &[StatisticSpec<Counters>] = &[
    statistic!(slices, "turns", "given to queues"),
    statistic!(slices_used_up, "turns", "ended because their time was over"),
    statistic!(slices_idled_out, "turns", "ended by waiting in vain"),
    statistic!(slices_preempted, "turns", "ended by an arrival that went first"),
    statistic!(slices_emptied, "turns", "ended for lack of requests, without waiting (any longer)"),
    statistic!(
        slices_of_few_requests,
        "turns",
        "ended when an asynchronous or idle-class queue had dispatched its number of requests"
    ),
    statistic!(waits, "waits", "for the next request of the process being served"),
    statistic!(waits_rewarded, "requests", "that came while they were waited for"),
    statistic!(jumps, "turns", "given to a queue near the head before its turn (2.6.32)"),
    statistic!(merges, "queues", "merged because their requests lie near each other (2.6.35)"),
    statistic!(splits, "processes", "that left a merged queue that seeks (2.6.35)"),
    statistic!(
        held_back,
        "asks",
        "answered with nothing though the queue being served had requests: too many on the \
            device, or of the other kind"
    ),
    statistic!(deadlines_passed, "requests", "served before their turn because they were late"),
    statistic!(direct, "requests", "that came back from the device and went first"),
];
