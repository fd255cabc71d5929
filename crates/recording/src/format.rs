// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a recording begins.

/// The first bytes of a recording. The line end tells when line ends were changed in it.
pub(crate) const MAGIC: [u8; 8] = *b"bfqrec\r\n";

/// The version of the format, the byte behind the magic.
pub const VERSION: u8 = 2;

/// The first version, which names no policy.
pub(crate) const VERSION_WITHOUT_POLICY: u8 = 1;
