// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request that has been found good: within the export, aligned, and permitted.

/// What a client wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Data are to be sent.
    Read {
        /// In one piece, holes and all.
        whole: bool,
    },
    /// The payload is to be written.
    Write,
    /// Writes that were acknowledged are to be made durable.
    Flush,
    /// The contents are not needed any more.
    Trim,
    /// It will be read soon.
    Cache,
    /// Zeros are to be written.
    WriteZeroes {
        /// A hole will do.
        may_be_hole: bool,
        /// It is to fail with [`ErrorCode::NotSupported`] rather than take as long as a write.
        ///
        /// [`ErrorCode::NotSupported`]: crate::ErrorCode::NotSupported
        only_if_fast: bool,
    },
    /// What is allocated is to be told.
    BlockStatus {
        /// One extent is enough.
        one: bool,
    },
    /// The export is to have the size that the request has for its offset.
    Resize,
}

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
pub struct Request {
    /// For the reply.
    pub ticket: Ticket,
    /// What is to be done.
    pub command: Command,
    /// It is to be durable before it is acknowledged.
    pub fua: bool,
    /// How much it is about, in bytes; 0 for flushes.
    pub length_bytes: u64,
}

impl Request {
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
