// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a turn ends (peers.md §5.6; residuals §5.4).

/// Why a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expiry {
    /// The slice is used up.
    SliceUsedUp,
    /// It was waited for in vain.
    IdledOut,
    /// Another queue goes first.
    Preempted,
    /// It has no requests and is not waited for.
    Empty,
    /// It makes way for a queue with a request near the head.
    Cooperation,
    /// It has dispatched what an asynchronous queue, or one of the idle class, may at a time.
    Enough,
    /// Its process has gone, or has left its group.
    Abandoned,
}

impl Expiry {
    /// Whether time left over, or overdrawn, counts for the next turn.
    pub fn keeps_residual(self) -> bool {
        matches!(self, Expiry::SliceUsedUp | Expiry::IdledOut | Expiry::Preempted)
    }
}
