// SPDX-License-Identifier: MIT OR Apache-2.0
//! One figure of the layer or of an elevator, with what a reader needs to understand it.

use base::GroupFigure;

/// A count of the layer or of an elevator, with its unit, meaning and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistic {
    /// Its name: lower case, words joined by underscores.
    pub name: &'static str,
    /// Its unit, in the plural ("requests", "sectors", "ns").
    pub unit: &'static str,
    /// What is counted, as a phrase for documents.
    pub doc: &'static str,
    /// How much by now.
    pub value: u64,
}

/// A figure of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupStatistic {
    /// Its name, as behind `blkio.<scheduler>.` in a cgroup.
    pub name: String,
    /// How much by now.
    pub figure: GroupFigure,
}

/// A row of a table of statistics: a [`Statistic`] without its value, and where to get that in `T`.
#[derive(Debug)]
pub struct StatisticSpec<T> {
    /// See [`Statistic::name`] for the meaning.
    pub name: &'static str,
    /// See [`Statistic::unit`] for the meaning.
    pub unit: &'static str,
    /// See [`Statistic::doc`] for the meaning.
    pub doc: &'static str,
    /// Reads the count from the statistics of the layer or elevator.
    pub get: fn(&T) -> u64,
}

/// A row of a table of statistics about a field, which it is named after:
/// `statistic!(sleeps, "bios", "whose submitter had to sleep")`, or
/// `statistic!(counters.sleeps, …)` for a field of a field.
#[macro_export]
macro_rules! statistic {
    ($name:ident, $unit:literal, $doc:literal) => {
        $crate::StatisticSpec {
            name: stringify!($name),
            unit: $unit,
            doc: $doc,
            get: |of| of.$name,
        }
    };
    ($counters:ident.$name:ident, $unit:literal, $doc:literal) => {
        $crate::StatisticSpec {
            name: stringify!($name),
            unit: $unit,
            doc: $doc,
            get: |of| of.$counters.$name,
        }
    };
}

impl<T> StatisticSpec<T> {
    /// All rows of `table` with their values in `source`.
    pub fn read(table: &[StatisticSpec<T>], source: &T) -> Vec<Statistic> {
        table
            .iter()
            .map(|row| Statistic {
                name: row.name,
                unit: row.unit,
                doc: row.doc,
                value: (row.get)(source),
            })
            .collect()
    }
}
