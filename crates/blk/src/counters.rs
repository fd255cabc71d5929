//! What the layer counts, as one table.

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
    pub dispatched: u64,
    pub refused: u64,
    pub runs: u64,
    pub runs_fruitless: u64,
    pub requeued: u64,
    pub completed: u64,
    pub bios_failed: u64,
    pub switches: u64,
}

macro_rules! row {
    ($name:ident, $unit:literal, $doc:literal) => {
        StatisticSpec {
            name: stringify!($name),
            unit: $unit,
            doc: $doc,
            get: |counters: &Counters| counters.$name,
        }
    };
}

/// All statistics of the layer.
pub(crate) const STATISTICS: &[StatisticSpec<Counters>] = &[
    row!(bios, "bios", "submitted"),
    row!(bios_split, "bios", "submitted that were too large for one request"),
    row!(requests, "requests", "allocated"),
    row!(plug_merges, "bios", "merged into the last request of their process's plug"),
    row!(back_merges, "bios", "appended to a request in the elevator"),
    row!(front_merges, "bios", "prepended to a request in the elevator"),
    row!(coalesced, "requests", "absorbed by a neighbour after a merge made them adjacent"),
    row!(
        insertion_merges,
        "requests",
        "appended to a request in the elevator as they were inserted"
    ),
    row!(flushes_shared, "bios", "flushes that joined a flush not yet issued"),
    row!(sleeps, "bios", "whose submitter had to sleep for lack of an allowed tag"),
    row!(sleeps_again, "wakings", "of a sleeper that found no allowed tag and slept again"),
    row!(inserted, "requests", "given to the elevator (after a requeue once more)"),
    row!(dispatched, "requests", "handed to the device (after a requeue once more)"),
    row!(refused, "requests", "obtained from the elevator while the device was full, and kept"),
    row!(runs, "runs", "of the dispatch loop"),
    row!(
        runs_fruitless,
        "runs",
        "that ended with requests waiting and none obtained, and set the poll"
    ),
    row!(requeued, "requests", "that the device gave back undone"),
    row!(completed, "requests", "that ended"),
    row!(bios_failed, "bios", "that ended with an error"),
    row!(switches, "switches", "of the elevator"),
];
