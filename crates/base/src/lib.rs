// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words that all crates share, each defined once: what an I/O does, with which priority, times,
//! sizes, rates, errors and words of a command as text, random numbers, and what a misspelt name
//! was meant to be.
//!
//! Everything else may depend on this crate. [`Operation`], [`Class`], [`Ioprio`], [`OutOfMemory`]
//! and [`GroupFigure`] are the core's own; this is the path by which all others name them.
//!
//! Without the default feature `std` it needs only an allocator; [`suggest`] is missing then.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "std")]
extern crate std;

mod date;
mod direction;
mod interval;
mod ioprio;
mod limits;
mod op;
pub mod random;
pub mod shell;
pub mod size;
#[cfg(feature = "std")]
pub mod suggest;
pub mod text;

pub use bfq::{
    Class, IOPRIO_LEVELS, Ioprio, Operation, OutOfMemory, cgroup::statistics::GroupFigure,
};
pub use date::Date;
pub use direction::Direction;
pub use interval::Interval;
pub use ioprio::{IoprioError, IoprioValue, parse_ioprio};
pub use limits::{DEFAULT_GROUP_WEIGHT, MAX_GROUP_WEIGHT, MIN_GROUP_WEIGHT, PAGE_BYTES};
pub use op::{Op, SECTOR_BYTES};
