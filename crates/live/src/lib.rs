// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who has the disks of a Linux machine, from the kernel's block trace events.
//!
//! * [`Decoder`] and [`Page`]: the events as the kernel writes them, page by page.
//! * [`Monitor`]: a state machine that takes [`BlockEvent`]s, and gives a [`Snapshot`] of each
//!   interval: what each process, control group and disk did.
//! * [`Screen`]: what a terminal shows, and what keys do.
//! * [`table()`]: a snapshot for people; [`Totals`], [`open_metrics()`]: all of them for a metrics
//!   server.
//!
//! Nothing here reads a file or a clock, and memory is bounded whatever comes.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod by_age;
mod decoder;
mod device_time;
mod disk;
mod event;
mod figures;
mod in_flight;
mod metrics;
mod monitor;
mod page;
mod reasons;
mod requests;
mod screen;
mod snapshot;
mod speed;
mod table;
mod threads;
mod totals;
mod usage;

pub use decoder::{Decoder, FormatError};
pub use event::{BlockEvent, BlockEventKind, DeviceId, Name};
pub use metrics::open_metrics;
pub use monitor::{Monitor, Watched};
pub use page::Page;
pub use screen::{Input, Next, Screen};
pub use snapshot::{DiskFigures, Figures, GroupFigures, ProcessFigures, Quantiles, Snapshot};
pub use table::table;
pub use threads::{Owner, ThreadOwners};
pub use totals::Totals;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod week_tests;
