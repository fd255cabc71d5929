// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which headers requests and replies have on a connection.

/// The headers that client and server agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Headers {
    /// A reply is one piece; of a failed read nothing but the error is sent.
    #[default]
    Simple,
    /// A reply is made of chunks.
    Structured,
    /// So it is, and lengths have 64 bits.
    Extended,
}

impl Headers {
    /// The bytes of a request's header.
    pub const fn request_bytes(self) -> usize {
        match self {
            Self::Simple | Self::Structured => 28,
            Self::Extended => 32,
        }
    }

    /// Whether a reply can have more than one piece.
    pub const fn has_chunks(self) -> bool {
        !matches!(self, Self::Simple)
    }
}
