// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scheduler has done, as figures: what each of them means.

/// A statistic: its name, unit and meaning.
#[derive(Clone, Copy, Debug)]
pub struct StatisticInfo {
    /// Name of the statistic.
    pub name: &'static str,
    /// The unit of its value.
    pub unit: &'static str,
    /// What it counts or shows.
    pub doc: &'static str,
}
