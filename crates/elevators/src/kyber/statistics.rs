// SPDX-License-Identifier: MIT OR Apache-2.0
//! The statistics of kyber: what it counts, and its present depths.

use blk::{StatisticSpec, statistic};

use super::Kyber;
use super::domain::Domain;

macro_rules! depth {
    ($name:literal, $domain:ident, $doc:literal) => {
        StatisticSpec {
            name: $name,
            unit: "tokens",
            doc: $doc,
            get: |kyber: &Kyber| kyber.queues[Domain::$domain as usize].tokens.depth().into(),
        }
    };
}

/// All statistics of kyber.
pub(super) const TABLE: &[StatisticSpec<Kyber>] = &[
    statistic!(counters.batches, "batches", "begun: turns of reads, writes, discards"),
    statistic!(
        counters.token_waits,
        "tries",
        "of a domain that has requests, in vain for want of a token"
    ),
    statistic!(counters.evaluations, "evaluations", "of the latencies of the last 100 ms or more"),
    statistic!(counters.congested, "evaluations", "that found requests too long in the device"),
    statistic!(
        counters.depths_raised,
        "changes",
        "of a depth to a greater one, because of bad latencies"
    ),
    statistic!(
        counters.depths_lowered,
        "changes",
        "of a depth to a smaller one, for the benefit of others"
    ),
    depth!("read_depth", Read, "how many reads may be on their way now"),
    depth!("write_depth", Write, "how many writes may be on their way now"),
    depth!("discard_depth", Discard, "how many discards may be on their way now"),
];
