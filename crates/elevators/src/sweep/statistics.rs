// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is counted of batches.

use blk::StatisticSpec;

use super::batches::Batches;

/// The rows of an elevator's table that its batches fill.
pub(crate) const fn rows<T: AsRef<Batches>>() -> [StatisticSpec<T>; 4] {
    [
        StatisticSpec {
            name: "batches",
            unit: "batches",
            doc: "begun",
            get: |of| of.as_ref().counters.batches,
        },
        StatisticSpec {
            name: "batches_expired",
            unit: "batches",
            doc: "begun with the oldest request because its deadline had passed",
            get: |of| of.as_ref().counters.batches_expired,
        },
        StatisticSpec {
            name: "batches_wrapped",
            unit: "batches",
            doc: "begun with the oldest request because the sweep was at its end",
            get: |of| of.as_ref().counters.batches_wrapped,
        },
        StatisticSpec {
            name: "writes_after_starving",
            unit: "batches",
            doc: "of writes begun while reads waited, after writes_starved of reads",
            get: |of| of.as_ref().counters.writes_after_starving,
        },
    ]
}
