// SPDX-License-Identifier: MIT OR Apache-2.0
//! What mq-deadline and the older deadline have in common (peers.md §3): requests of one direction
//! in sector order and by deadline, served in batches.

mod batches;
mod queue;
mod statistics;
mod tunables;

use base::Op;

pub(crate) use batches::Batches;
pub(crate) use queue::{Slots, SweepQueue};
pub(crate) use statistics::rows as statistic_rows;
pub(crate) use tunables::{NS_PER_MS, SweepTunables, rows as tunable_rows};

/// The direction of the data; what is not a read counts as a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

impl Direction {
    pub const ALL: [Direction; 2] = [Direction::Read, Direction::Write];

    pub fn of(op: Op) -> Direction {
        if op == Op::Read { Direction::Read } else { Direction::Write }
    }
}
