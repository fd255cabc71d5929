//! What mq-deadline counts.

use blk::StatisticSpec;

/// Counts since attachment.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub batches: u64,
    pub batches_expired: u64,
    pub batches_wrapped: u64,
    pub writes_after_starving: u64,
    pub aged: u64,
    pub held_back: u64,
    pub direct: u64,
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

/// All statistics.
pub(super) const TABLE: &[StatisticSpec<Counters>] = &[
    row!(batches, "batches", "begun"),
    row!(
        batches_expired,
        "batches",
        "begun with the oldest request because its deadline had passed"
    ),
    row!(
        batches_wrapped,
        "batches",
        "begun with the oldest request because the sweep was at its end"
    ),
    row!(
        writes_after_starving,
        "batches",
        "of writes begun while reads waited, after writes_starved of reads"
    ),
    row!(aged, "requests", "served before a higher class because they had waited so long"),
    row!(
        held_back,
        "asks",
        "answered with nothing because of a higher class's requests on the device"
    ),
    row!(direct, "requests", "that came back from the device and went first"),
];
