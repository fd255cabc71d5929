// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which bfq this is.

/// The version, and the commit if it is known.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("BFQ_BUILD"));
