// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a client's connection is closed, for the log and for the limits of the log.

use base::text::time;
use nbd::server::TransmissionError;
use std::io;

/// Why a connection is closed.
#[derive(Debug, thiserror::Error)]
pub enum Closed {
    /// The client has left in good order.
    #[error("the client has left")]
    Left,
    /// The client is gone in the middle of something.
    #[error("the client has gone in the middle of {0}")]
    Gone(&'static str),
    /// The socket is broken.
    #[error("the connection is broken: {0}")]
    Broken(#[from] io::Error),
    /// The client does not speak NBD.
    #[error("the client sends garbage: {0}")]
    Garbage(#[from] TransmissionError),
    /// The client does not read.
    #[error("the client has taken nothing of its answers for {}", time(*.0))]
    Unread(u64),
    /// The client does not send what it has begun.
    #[error("the client has sent nothing more of a write's data for {}", time(*.0))]
    Unsent(u64),
    /// The server closes it.
    #[error("{0}")]
    Told(&'static str),
}

impl Closed {
    /// What happened, for the limits of the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Closed::Left => "left",
            Closed::Gone(_) => "gone",
            Closed::Broken(_) => "broken",
            Closed::Garbage(_) => "garbage",
            Closed::Unread(_) => "unread",
            Closed::Unsent(_) => "unsent",
            Closed::Told(why) => why,
        }
    }
}
