// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who has the disks of this machine: what `bfq top` does without its screen.
//!
//! * [`Watch`]: disks of a machine. It traces the kernel, and joins with the events whose threads
//!   do I/O, what each control group's due is, and what our schedulers decided: a [`Snapshot`] of
//!   each interval. It needs the right to trace.
//! * [`Feed`]: the part of it that takes events: pages of the kernel's buffer from anywhere go in.
//! * [`Disks`], [`Processes`]: the disks and processes of a machine, for whoever has a feed.
//! * [`Recording`]: events as a trace for `bfq what-if`. [`Metrics`]: snapshots by HTTP.
//!
//! ```no_run
//! use host::Host;
//! use std::path::Path;
//! use std::time::{Duration, Instant};
//! use top::{POLL, TopError, Watch};
//!
//! # fn main() -> Result<(), TopError> {
//! let mut watch = Watch::start(&Host::here(), &["sda".into()], Path::new("/var/lib/bfq/top"))?;
//! let began = Instant::now();
//! while began.elapsed() < Duration::from_secs(2) {
//!     watch.poll()?;
//!     std::thread::sleep(POLL);
//! }
//! for process in &watch.snapshot()?.disks[0].processes {
//!     println!("{}: {} bytes read", process.name, process.figures.read_bytes);
//! }
//! watch.end()
//! # }
//! ```
//!
//! [`Snapshot`]: live::Snapshot
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod disks;
mod due;
mod error;
mod feed;
mod metrics;
mod processes;
mod reasons;
mod recording;
mod watch;

pub use disks::Disks;
pub use error::TopError;
pub use feed::Feed;
pub use metrics::Metrics;
pub use processes::Processes;
pub use recording::{Recorded, Recording};
pub use watch::{POLL, Watch};
