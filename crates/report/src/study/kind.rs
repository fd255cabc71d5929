// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kinds of measures: which way they count, and how people read them.

use base::text::{megabytes, time};

/// Kinds of measures, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MeasureKind {
    /// How long a program took to start, ns.
    StartUp,
    /// The latency that 99 of 100 I/Os stay below, ns.
    Latency,
    /// How far the shares of groups are from those of their weights, percentage points.
    Shares,
    /// The part of all bytes that a job or group got, percent.
    Share,
    /// Bytes per second of a job.
    Rate,
    /// Bytes per second of all jobs together.
    Throughput,
    /// The worst R of a process: the least that one got of what was due to it.
    Fairness,
    /// The part of the time that was useful, above 1 where several were served at once.
    Useful,
}

impl MeasureKind {
    /// Whether less is better.
    pub fn is_cost(self) -> bool {
        matches!(self, MeasureKind::StartUp | MeasureKind::Latency | MeasureKind::Shares)
    }

    /// A value turned so that more is better.
    pub fn advantage(self, value: f64) -> f64 {
        if self.is_cost() { -value } else { value }
    }

    /// A value, for people.
    pub fn show(self, value: f64) -> String {
        match self {
            MeasureKind::StartUp | MeasureKind::Latency => time(value as u64),
            MeasureKind::Shares => format!("{value:.1} points"),
            MeasureKind::Share => format!("{value:.1} %"),
            MeasureKind::Rate | MeasureKind::Throughput => {
                format!("{} MB/s", megabytes(value as u64))
            }
            MeasureKind::Fairness | MeasureKind::Useful => format!("{value:.2}"),
        }
    }
}
