// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an I/O does, from the process to the disk.

use bfq::Operation;

/// Bytes of a sector, the unit of positions and lengths between the block layer and the disk.
pub const SECTOR_BYTES: u64 = 512;

/// What an I/O does. Schedulers see an [`Operation`]: a flush never waits in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// It reads the sectors.
    Read,
    /// Writes sectors; the disk may keep them in a volatile cache.
    Write,
    /// Says that sectors are no longer needed.
    Discard,
    /// Makes everything that was written before durable. Has no sectors.
    Flush,
}

impl Op {
    /// All of them, in the order of their numbers: for tables by operation.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Discard, Op::Flush];

    /// The word for it, as in `read`.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Discard => "discard",
            Op::Flush => "flush",
        }
    }

    /// The letter for it, as block traces have it.
    pub const fn letter(self) -> char {
        match self {
            Op::Read => 'R',
            Op::Write => 'W',
            Op::Discard => 'D',
            Op::Flush => 'F',
        }
    }
}

// Tables by operation rely on it.
const _: () = {
    let mut number = 0;
    while number < Op::ALL.len() {
        assert!(Op::ALL[number] as usize == number, "the order of their numbers");
        number += 1;
    }
};

impl From<Operation> for Op {
    fn from(operation: Operation) -> Op {
        match operation {
            Operation::Read => Op::Read,
            Operation::Write => Op::Write,
            Operation::Discard => Op::Discard,
        }
    }
}
