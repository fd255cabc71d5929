// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the layer counts, as one table.

use crate::statistic;
use crate::statistic::StatisticSpec;

/// Counts since the layer was made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    pub bios: u64,
    pub bios_split: u64,
    pub requests: u64,
    pub plug_merges: u64,
    pub back_merges: u64,
    pub front_merges: u64,
    pub coalesced: u64,
    pub insertion_merges: u64,
    pub flushes_shared: u64,
    pub sleeps: u64,
    pub sleeps_again: u64,
    pub inserted: u64,
    pub waited: u64,
    pub waiting_max: u64,
    pub dispatched: u64,
    pub refused: u64,
    pub runs: u64,
    pub runs_fruitless: u64,
    pub requeued: u64,
    pub overdue: u64,
    pub completed: u64,
    pub bios_failed: u64,
    pub switches: u64,
}

/// All statistics of the layer.
pub(crate) const STATISTICS: &[StatisticSpec<Counters>] = &[
    statistic!(bios, "bios", "submitted"),
    statistic!(bios_split, "bios", "submitted that were too large for one request"),
    statistic!(requests, "requests", "allocated"),
    statistic!(plug_merges, "bios", "merged into the last request of their process's plug"),
    statistic!(back_merges, "bios", "appended to a request in the elevator"),
    statistic!(front_merges, "bios", "prepended to a request in the elevator"),
    statistic!(coalesced, "requests", "absorbed by a neighbour after a merge made them adjacent"),
    statistic!(
        insertion_merges,
        "requests",
        "appended to a request in the elevator as they were inserted"
    ),
    statistic!(flushes_shared, "bios", "flushes that joined a flush not yet issued"),
    statistic!(sleeps, "bios", "whose submitter had to sleep for lack of an allowed tag"),
    statistic!(sleeps_again, "wakings", "of a sleeper that found no allowed tag and slept again"),
    statistic!(inserted, "requests", "given to the elevator (after a requeue once more)"),
    statistic!(waited, "requests", "that left the elevator later than they came to it"),
    statistic!(waiting_max, "requests", "in the elevator at once, at most"),
    statistic!(dispatched, "requests", "handed to the device (after a requeue once more)"),
    statistic!(
        refused,
        "requests",
        "obtained from the elevator while the device was full, and kept"
    ),
    statistic!(runs, "runs", "of the dispatch loop"),
    statistic!(
        runs_fruitless,
        "runs",
        "that ended with requests waiting and none obtained, and set the poll"
    ),
    statistic!(requeued, "requests", "that the device gave back undone"),
    statistic!(overdue, "requests", "that the device did not give back in time"),
    statistic!(completed, "requests", "that ended"),
    statistic!(bios_failed, "bios", "that ended with an error"),
    statistic!(switches, "switches", "of the elevator"),
];
