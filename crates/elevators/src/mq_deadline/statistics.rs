// SPDX-License-Identifier: MIT OR Apache-2.0
//! What mq-deadline counts.

use blk::StatisticSpec;

use super::MqDeadline;
use crate::sweep::statistic_rows;

/// Counts since attachment, beside those of the batches.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub aged: u64,
    pub held_back: u64,
    pub direct: u64,
}

/// All statistics of mq-deadline.
pub(super) const TABLE: &[StatisticSpec<MqDeadline>] = {
    let [batches, expired, wrapped, after_starving] = statistic_rows();
    &[
        batches,
        expired,
        wrapped,
        after_starving,
        StatisticSpec {
            name: "aged",
            unit: "requests",
            doc: "served before a higher class because they had waited so long",
            get: |mq| mq.counters.aged,
        },
        StatisticSpec {
            name: "held_back",
            unit: "asks",
            doc: "answered with nothing because of a higher class's requests on the device",
            get: |mq| mq.counters.held_back,
        },
        StatisticSpec {
            name: "direct",
            unit: "requests",
            doc: "that came back from the device and went first",
            get: |mq| mq.counters.direct,
        },
    ]
};
