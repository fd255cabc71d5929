// SPDX-License-Identifier: MIT OR Apache-2.0
//! The statistics of mq-deadline.

use blk::StatisticSpec;

use super::MqDeadline;
use crate::sweep::statistic_rows;

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
