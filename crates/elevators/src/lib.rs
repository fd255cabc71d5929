// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedulers behind the block layer's [`Elevator`](blk::Elevator) trait, and a registry that
//! builds them by name.
//!
//! ```
//! let limits = blk::DeviceLimits::new(32, true);
//! let elevator = elevators::build("mq-deadline:read_expire=100,fifo_batch=8", 0, &limits)?;
//! assert_eq!(elevator.name(), "mq-deadline");
//!
//! let error = elevators::build("mq-deadlin", 0, &limits).err().map(|error| error.to_string());
//! assert_eq!(error.as_deref(), Some("no scheduler `mq-deadlin`; did you mean `mq-deadline`?"));
//! # Ok::<(), elevators::BuildError>(())
//! ```
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod bfq;
mod cfq;
mod deadline;
mod kyber;
mod mq_deadline;
mod none;
mod noop;
mod recent;
mod registry;
mod sorted_tags;
mod sweep;
mod tag_list;
mod units;

/// What users write to the weight files of cgroups.
pub mod weights {
    pub use ::bfq::cgroup::weight::{
        DeviceNumber, DeviceStatus, GroupWeights, WeightFile, WeightWriteError,
    };
}

pub use bfq::Scheduled;
pub use cfq::Cfq;
pub use deadline::Deadline;
pub use kyber::Kyber;
pub use mq_deadline::MqDeadline;
pub use none::Fifo;
pub use noop::Noop;
pub use registry::{BuildError, Scheduler, build, build_observed, names, schedulers, tunables};
