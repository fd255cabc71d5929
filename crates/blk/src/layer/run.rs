// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of the dispatch loop: whether one is due, under way, or to follow.

/// Where the dispatch loop is.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// A run is to begin as soon as nothing else happens at this instant.
    pub(super) due: bool,
    /// A submitter that is about to sleep asks for one, too.
    pub(super) asked: bool,
    /// A run has begun and not ended.
    pub(super) active: bool,
    /// The present pass of it has obtained a request. A run is made of passes: each asks the
    /// elevator until that has no more, and the last one obtains nothing, or the last request.
    pub(super) obtained: bool,
    /// The next completion starts another run: the last one ended because the device was full, or
    /// began with what the device had refused before.
    pub(super) restart: bool,
    /// When to run again after a fruitless pass.
    pub(super) poll_ns: Option<u64>,
}

impl Run {
    /// Whether there is nothing to do: none has begun, and none is to begin.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        !(self.active | self.due | self.asked)
    }

    /// Begins a run if one is due or asked for; returns whether it does. `leftover`: requests that
    /// the device refused wait before the elevator's. The loop's own run takes the place of the
    /// poll; a sleeper's leaves the poll where it is.
    pub(super) fn begin(&mut self, leftover: bool) -> bool {
        if !self.due && !self.asked {
            return false;
        }
        let poll_ns = self.poll_ns.filter(|_| !self.due);
        let restart = self.restart || leftover;
        *self = Run { active: true, poll_ns, restart, ..Run::default() };
        true
    }
}
