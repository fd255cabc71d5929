// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two directions of data, each of which has queues of its own (peers.md §3.2).

use base::Op;

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
