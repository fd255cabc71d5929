// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results: what a run measured, in fio's words, and the tables that show it.
//!
//! A driver gives every process a [`Recorder`], which takes one [`Sample`] per completed I/O.
//! When the run is over, [`fio_jobs`] turns the recorders into the `jobs` of fio's JSON,
//! [`summary()`] says how the device was shared, and [`Results`] puts one run for each scheduler
//! and device side by side. [`tables()`] prints them for people, `serde_json` for programs, and
//! [`LogFiles`] holds fio's own per-I/O logs.
//!
//! Nothing here knows a scheduler, a device or a clock: times come in as nanoseconds, and the
//! same samples give the same bytes.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod alike;
mod apart;
pub mod comparison;
mod csv;
mod fairness;
mod fairness_rows;
mod fairness_table;
mod fio;
mod glance;
mod grid;
mod histogram;
mod job_table;
mod json;
mod log;
mod logs;
mod markdown;
mod moments;
mod names;
mod ordered;
mod page;
mod plots;
mod rates;
mod recorder;
mod results;
mod series;
pub mod study;
mod style;
mod summary;
mod tables;
pub mod timeline;
mod together;
mod totals;

pub use alike::{Alike, Because, alike};
pub use apart::apart;
pub use base::Direction;
pub use csv::csv;
pub use fairness::{Fairness, GroupFairness, ProcessFairness};
pub use fairness_table::fairness_table;
pub use fio::{
    DirectionStats, DiskUtil, FioOutput, GLOBAL_PERCENTILES, JobStats, LatencyStats, SyncStats,
};
pub use glance::glance;
pub use histogram::{Bin, Histogram};
pub use log::LogKind;
pub use log::LogSettings;
pub use logs::LogFiles;
pub use markdown::markdown;
pub use moments::Moments;
pub use ordered::OrderedMap;
pub use page::{PALETTE, page};
pub use plots::{LatencyBins, Plots, Throughput, plots};
pub use recorder::{Recorder, Sample};
pub use results::{DeviceInfo, Mode, Results, Run, Scenario};
pub use style::Style;
pub use summary::{GroupInfo, GroupSummary, JobSummary, LatencySummary, Summary, summary};
pub use tables::tables;
pub use totals::{JobInfo, LatencyGoal, ProcessRecord, fio_jobs};

#[cfg(test)]
mod tests {
    pub(crate) mod samples;
}
