// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request that has been found good: within the export, aligned, and permitted.

use crate::command::Command;

/// What a reply needs of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub(crate) cookie: u64,
    pub(crate) offset_bytes: u64,
}

impl Ticket {
    /// The client's name for the request.
    pub const fn cookie(self) -> u64 {
        self.cookie
    }
}

/// A request that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerRequest {
    /// What the reply needs to name the request.
    pub ticket: Ticket,
    /// What is to be done.
    pub command: Command,
    /// It is to be durable before it is acknowledged.
    pub fua: bool,
    /// How much it is about, in bytes; 0 for flushes.
    pub length_bytes: u64,
}

impl ServerRequest {
    /// Where it begins, in bytes.
    pub const fn offset_bytes(&self) -> u64 {
        self.ticket.offset_bytes
    }

    /// The bytes of data that follow its header: the host takes them from the connection before it
    /// gives the next bytes to the transmission.
    pub const fn payload_bytes(&self) -> usize {
        match self.command {
            // No payload is longer than 32 bits can tell.
            Command::Write => self.length_bytes as usize,
            _ => 0,
        }
    }
}
