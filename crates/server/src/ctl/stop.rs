// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stop that was asked for, by a signal or on the control socket.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// An answer that takes longer is not waited for.
const LONGEST_ANSWER: Duration = Duration::from_secs(1);

/// A stop that was asked for.
#[derive(Debug)]
pub struct StopRequest {
    limit: Duration,
    /// Ends when whoever asked has been answered.
    answered: Receiver<()>,
}

/// The stop goes on when this is dropped.
#[derive(Debug)]
pub(super) struct Unanswered {
    _sender: Sender<()>,
}

impl StopRequest {
    /// A stop with a limit for requests in flight, and what keeps it until it has been answered.
    pub(super) fn new(limit: Duration) -> (StopRequest, Unanswered) {
        let (sender, answered) = channel();
        (StopRequest { limit, answered }, Unanswered { _sender: sender })
    }

    /// Waits until whoever asked has been answered, for the process may end soon afterwards; at
    /// most a second. Returns the limit for requests in flight.
    pub fn accept(self) -> Duration {
        // Nothing is sent: the other end is dropped, or too slow.
        let _ = self.answered.recv_timeout(LONGEST_ANSWER);
        self.limit
    }
}
