// SPDX-License-Identifier: MIT OR Apache-2.0
//! The metrics: one table of what is measured, in which unit, and which way is better.

use super::perception;
use serde::{Deserialize, Serialize};

/// A figure that a scenario yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is documented in METRICS")]
pub enum Metric {
    StartUp,
    Throughput,
    Iops,
    LatencyMedian,
    LatencyTail,
    LateFrames,
    ShareError,
    SyncTail,
    CpuPerIo,
}

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// A higher value is better, such as of a rate.
    Higher,
    /// A lower value is better, such as of a latency.
    Lower,
}

/// What a metric is a figure of. It decides how a difference is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A time that a user waits: differences are told as a ratio.
    Time,
    /// Work done in a second: differences are told in percent.
    Rate,
    /// What work costs, like a price: differences are told in percent.
    Cost,
    /// A part of a whole, in percent: differences are told in points.
    Share,
}

/// How two values of a metric are compared, and how large a difference has to be to be worth a
/// word, however surely it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Matters {
    /// By their ratio, and by how far they are apart.
    Ratio {
        /// Smaller ratios do not matter; above 1.
        factor: f64,
        /// Smaller distances do not matter, in the unit of the metric.
        distance: f64,
    },
    /// By their distance, for percentages, which may be 0: smaller ones do not matter.
    Points(f64),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct MetricInfo {
    /// The metric that is described.
    pub metric: Metric,
    /// Its name, as in the file of results.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The unit of its value.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Better,
    /// How large a difference has to be to matter.
    pub matters: Matters,
    /// What it is, in a sentence.
    pub doc: &'static str,
}

const fn row(
    metric: Metric,
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    better: Better,
    matters: Matters,
    doc: &'static str,
) -> MetricInfo {
    MetricInfo { metric, name, title, unit, better, matters, doc }
}

const fn ratio(factor: f64, distance: f64) -> Matters {
    Matters::Ratio { factor, distance }
}

/// All metrics with their properties.
pub const METRICS: [MetricInfo; 9] = [
    row(
        Metric::StartUp,
        "start_up",
        "start of an application",
        "s",
        Better::Lower,
        ratio(perception::NOTICED_TIMES, perception::NOTICED_S),
        "Time from the start of an application, none of it in memory, until it is ready.",
    ),
    row(
        Metric::Throughput,
        "throughput",
        "throughput",
        "MB/s",
        Better::Higher,
        ratio(1.03, 0.0),
        "Bytes moved in a second by all processes of the scenario together.",
    ),
    row(
        Metric::Iops,
        "iops",
        "operations",
        "1/s",
        Better::Higher,
        ratio(1.03, 0.0),
        "I/O operations in a second of all processes of the scenario together.",
    ),
    row(
        Metric::LatencyMedian,
        "latency_median",
        "usual latency",
        "ms",
        Better::Lower,
        ratio(1.1, 0.005),
        "Half of the I/Os of the measured process took longer than this.",
    ),
    row(
        Metric::LatencyTail,
        "latency_tail",
        "worst latency",
        "ms",
        Better::Lower,
        ratio(1.2, 0.02),
        "One I/O of the measured process in a hundred took longer than this.",
    ),
    row(
        Metric::LateFrames,
        "late_frames",
        "frames late",
        "%",
        Better::Lower,
        Matters::Points(1.0),
        "Part of the reads of a player that came after they were due.",
    ),
    row(
        Metric::ShareError,
        "share_error",
        "unfairness",
        "%",
        Better::Lower,
        Matters::Points(3.0),
        "The largest distance of a process's or group's share from what its weight says.",
    ),
    row(
        Metric::SyncTail,
        "sync_tail",
        "worst fsync",
        "ms",
        Better::Lower,
        ratio(1.1, 0.1),
        "One fsync in twenty took longer than this.",
    ),
    row(
        Metric::CpuPerIo,
        "cpu_per_io",
        "cost of an I/O",
        "µs",
        Better::Lower,
        ratio(1.05, 0.1),
        "Time of processors, the kernel's included, for an I/O.",
    ),
];

impl Matters {
    /// How two that are equal compare.
    pub fn equality(self) -> f64 {
        match self {
            Matters::Ratio { .. } => 1.0,
            Matters::Points(_) => 0.0,
        }
    }
}

impl Metric {
    /// The difference, in ms, from which on a person notices a metric of single I/Os; other
    /// metrics have none.
    pub fn noticed_ms(self) -> Option<f64> {
        match self {
            Metric::LatencyMedian => Some(perception::NOTICED_WAIT_MS),
            Metric::LatencyTail => Some(perception::NOTICED_WORST_WAIT_MS),
            _ => None,
        }
    }

    /// Its row in [`METRICS`].
    pub fn info(self) -> &'static MetricInfo {
        &METRICS[self as usize]
    }

    /// How two that are equal compare.
    pub fn equality(self) -> f64 {
        self.info().matters.equality()
    }

    /// What it is a figure of.
    pub fn kind(self) -> MetricKind {
        match self {
            Metric::StartUp | Metric::LatencyMedian | Metric::LatencyTail | Metric::SyncTail => {
                MetricKind::Time
            }
            Metric::Throughput | Metric::Iops => MetricKind::Rate,
            Metric::CpuPerIo => MetricKind::Cost,
            Metric::LateFrames | Metric::ShareError => MetricKind::Share,
        }
    }

    /// The metric of a name.
    pub fn from_name(name: &str) -> Option<Metric> {
        METRICS.iter().find(|row| row.name == name).map(|row| row.metric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_names() {
        for (at, row) in METRICS.iter().enumerate() {
            assert_eq!(row.metric as usize, at);
            assert_eq!(Metric::from_name(row.name), Some(row.metric));
            assert_eq!(serde_json::to_string(&row.metric).unwrap(), format!("{:?}", row.name));
        }
    }
}
