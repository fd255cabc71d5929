// SPDX-License-Identifier: MIT OR Apache-2.0
//! The quantities that the modules of the scheduler exchange, each a type of its own, so that none
//! can stand for another (spec 0.2, 0.3, 2.1). Each wraps one number.
//!
//! | Type | What it is | What can be done with it |
//! |---|---|---|
//! | [`Time`] | a point in time | `since` another one is a [`Span`]; plus or minus a `Span` |
//! | [`Span`] | a length of time | sums, differences, multiples, parts; a ratio is a number |
//! | [`Ticks`] | the coarse clock | a `Time` rounded down, a `Span` rounded up to whole ticks |
//! | [`Sector`] | a position on the disk | its distance from another one is [`Sectors`]; plus `Sectors` |
//! | [`Sectors`] | a length on the disk | sums, and what is left of them |
//! | [`Weight`] | by what service is divided | compared; raised by a coefficient |
//! | [`Class`], [`Ioprio`] | the priority of a process | compared |
//!
//! Their arithmetic stops at the bounds, or says why it does not come near them; where the kernel's
//! counters run over and that shows in decisions, the method says so (`wrapping`). None is an
//! `Option`, not a 0. What comes from outside (tunables, the calls of hosts) is a bare number with
//! its unit in its name, and becomes one of these on its way in.

mod disk;
mod priority;
mod time;
mod weight;

pub(crate) use disk::LastEnd;
pub use disk::{Sector, Sectors};
pub use priority::{Class, CpuPolicy, IOPRIO_LEVELS, Ioprio};
pub use time::{Span, Ticks, Time};
pub use weight::{Weight, WeightError};
