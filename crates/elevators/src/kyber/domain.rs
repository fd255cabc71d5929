// SPDX-License-Identifier: MIT OR Apache-2.0
//! The domains of requests (peers.md §4.2).

use base::Op;

/// What has tokens of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Read,
    Write,
    Discard,
    /// Without latency target. The layer keeps flushes to itself, so nothing comes here; it has its
    /// turn all the same.
    Other,
}

impl Domain {
    pub const ALL: [Domain; 4] = [Domain::Read, Domain::Write, Domain::Discard, Domain::Other];

    /// Those with a latency target.
    pub const WITH_TARGET: [Domain; 3] = [Domain::Read, Domain::Write, Domain::Discard];

    pub const fn of(op: Op) -> Domain {
        match op {
            Op::Read => Domain::Read,
            Op::Write => Domain::Write,
            Op::Discard => Domain::Discard,
            Op::Flush => Domain::Other,
        }
    }

    /// The most tokens that the domain has, which is how many it has at first.
    pub const fn max_depth(self) -> u32 {
        match self {
            Domain::Read => 256,
            Domain::Write => 128,
            Domain::Discard => 64,
            Domain::Other => 16,
        }
    }

    /// Requests of a batch.
    pub const fn batch(self) -> u32 {
        match self {
            Domain::Read => 16,
            Domain::Write => 8,
            Domain::Discard | Domain::Other => 1,
        }
    }

    /// The domain whose turn it is after this one's.
    pub const fn next(self) -> Domain {
        match self {
            Domain::Read => Domain::Write,
            Domain::Write => Domain::Discard,
            Domain::Discard => Domain::Other,
            Domain::Other => Domain::Read,
        }
    }
}
