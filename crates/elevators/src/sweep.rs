// SPDX-License-Identifier: MIT OR Apache-2.0
//! What mq-deadline and the older deadline have in common (peers.md §3): requests of one direction
//! in sector order and by deadline, served in batches.

mod batches;
mod direction;
mod queue;
mod statistics;
mod tunables;

pub(crate) use batches::Batches;
pub(crate) use direction::Direction;
pub(crate) use queue::{Slots, SweepQueue};
pub(crate) use statistics::rows as statistic_rows;
pub(crate) use tunables::{NS_PER_MS, SweepTunables, rows as tunable_rows};
