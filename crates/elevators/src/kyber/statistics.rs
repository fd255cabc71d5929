//! What kyber counts, and its present depths.

use blk::StatisticSpec;

use super::Kyber;
use super::domain::Domain;

/// Counts since attachment.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub batches: u64,
    pub token_waits: u64,
    pub evaluations: u64,
    pub congested: u64,
    pub depths_raised: u64,
    pub depths_lowered: u64,
}

macro_rules! count {
    ($name:ident, $unit:literal, $doc:literal) => {
        StatisticSpec {
            name: stringify!($name),
            unit: $unit,
            doc: $doc,
            get: |kyber: &Kyber| kyber.counters.$name,
        }
    };
}

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

/// All statistics.
pub(super) const TABLE: &[StatisticSpec<Kyber>] = &[
    count!(batches, "batches", "begun: turns of reads, writes, discards"),
    count!(token_waits, "tries", "of a domain that has requests, in vain for want of a token"),
    count!(evaluations, "evaluations", "of the latencies of the last 100 ms or more"),
    count!(congested, "evaluations", "that found requests too long in the device"),
    count!(depths_raised, "changes", "of a depth to a greater one, because of bad latencies"),
    count!(depths_lowered, "changes", "of a depth to a smaller one, for the benefit of others"),
    depth!("read_depth", Read, "how many reads may be on their way now"),
    depth!("write_depth", Write, "how many writes may be on their way now"),
    depth!("discard_depth", Discard, "how many discards may be on their way now"),
];
