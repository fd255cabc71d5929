// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much a server believes of what a client announces.

use crate::numbers::STRING_BYTES;

/// What a client may send in its handshake. What is longer is answered with an error, and is not
/// kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The data of an option, in bytes.
    pub option_bytes: u32,
    /// The name of an export and a query for contexts, in bytes each.
    pub name_bytes: u32,
    /// Queries for contexts in an option.
    pub queries: u32,
}

impl Limits {
    /// What the protocol allows: strings of 4,096 bytes, and an option `GO` with the longest name
    /// that asks for everything there could be. It limits queries only by the option's length,
    /// which each takes four bytes of.
    pub const PROTOCOL: Self = {
        let option_bytes = 4 + STRING_BYTES + 2 + 2 * u16::MAX as u32;
        Self { option_bytes, name_bytes: STRING_BYTES, queries: option_bytes / 4 }
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::PROTOCOL
    }
}
