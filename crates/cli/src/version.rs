// SPDX-License-Identifier: MIT OR Apache-2.0
//! The version of this program.

/// The version, and the commit if it is known.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("BFQ_BUILD"));
